"""Checks of arguments that are not arrays: numbers, flags, lists, functions, paths, random numbers; room and time.

Each check returns the value in the form that the code works with, or raises `InvalidInput` with `what`, the name of
the argument, the value, and what was expected. An annotation declares a check: `boundary.py`.
"""

import math
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from hopattn.foundation.errors import InvalidInput, a_class, quoted
from hopattn.foundation.traces import known_true, requires_grad

Kind = TypeVar("Kind")
Seed = int | np.random.Generator | None
"""A source of random numbers: a whole number of at least 0, or a generator; None where it is not given."""
COUNTED = 2**63 - 1  # the largest whole number with which NumPy counts
REPEATED = 10**8  # the most steps, trials or draws of one call: more would take days
MOST_BYTES_OF_NAME = 255  # the longest name of a file or a folder, on every system


def positive(value: Any, what: str, **bounds: Any) -> float:
    """A positive finite number as a Python float, with which a float32 array stays float32.

    The least is the least number of full precision, whose inverse has full precision too. bounds: as of `real`.
    """
    return float(require_least(real(value, what, above=0.0, **bounds), what, sys.float_info.min))


def require_least(number: Any, what: str, least: float) -> Any:
    """The number; raises `InvalidInput` for one that is surely below the least number of full precision."""
    if known_true(number < least):
        bound = f"at least {least:.3g}, the least number of full precision"
        raise InvalidInput(f"{what}: expected {bound}, not {quoted(number)}")
    return number


def moderate(value: Any, what: str, most: float = 1e100) -> float:
    """A number from 1e-100 to 1e100, whose square and inverse square are numbers too."""
    return real(value, what, least=1e-100, most=most)


def positive_or_variable(value: Any, what: str) -> Any:
    """A positive finite number as a Python float; an array `()` that requires a gradient as it is."""
    if isinstance(n := getattr(value, "ndim", 0), int) and n > 0:  # a module has a function of this name
        shape = tuple(value.shape)
        cure = "multiply the queries by it, or take one Head for each number"
        raise InvalidInput(f"{what}: expected a single number, not an array of shape {shape}; {cure}")
    if not requires_grad(value):
        return positive(value, what)
    if known_true(~((value > 0) & (value < math.inf))):
        raise InvalidInput(f"{what}: expected a positive finite number, not {quoted(value)}")
    return value


def real(
    value: Any,
    what: str,
    above: float = -math.inf,
    least: float = -math.inf,
    below: float = math.inf,
    most: float = math.inf,
    cure: str = "",
) -> float:
    """A finite number as a Python float; raises `InvalidInput`, with the cure, for one outside its bounds.

    It is above `above`, at least `least`, below `below`, and at most `most`. Raises `InvalidInput` too for an array
    that requires a gradient, which would be cut.
    """
    if requires_grad(value):
        raise InvalidInput(f"{what}: expected a plain number; the derivative by an array would be lost here")
    try:  # NumPy below 2.4 takes an array of one number for that number
        number = math.nan if isinstance(value, (bool, str)) or getattr(value, "ndim", 0) > 0 else float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and above < number < below and least <= number <= most):
        bounds = {"above": above or -math.inf, "of at least": least, "below": below, "of at most": most}
        reach = " and ".join(f"{word} {bound:g}" for word, bound in bounds.items() if math.isfinite(bound))
        if math.isfinite(least) and math.isfinite(min(below, most)):
            reach = f"from {least:g} to {'below ' * (below <= most)}{min(below, most):g}"
        kind = f"a {'positive ' * (above == 0)}finite number {reach}".rstrip()
        shown = f"{number:g}" if math.isfinite(number) and not isinstance(value, (int, float)) else quoted(value)
        raise InvalidInput(f"{what}: expected {kind}, not {shown}{f'; {cure}' if cure else ''}")
    return number


def whole(value: Any, what: str, least: int = 1, most: int | None = COUNTED) -> int:
    """A whole number as an int; raises `InvalidInput` unless it is from `least` to `most` (None: no upper bound)."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    too_large = is_whole and most is not None and value > most
    if not is_whole or value < least or too_large:
        bounded = too_large or most not in (None, COUNTED, REPEATED)
        reach = f"from {least} to {most}" if bounded else f"of at least {least}"
        raise InvalidInput(f"{what}: expected a whole number {reach}, not {quoted(value)}")
    return int(value)


def generator(rng: Seed = None, what: str = "rng") -> np.random.Generator:
    """The generator of a seed; a generator is returned as it is, and None gives other numbers in each call.

    Raises `InvalidInput` for anything that is neither a seed nor a generator.

    >>> int(generator(1).integers(100)) == int(generator(1).integers(100))
    True
    """
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    if not isinstance(rng, (int, np.integer)) or isinstance(rng, bool) or rng < 0:
        raise InvalidInput(f"{what}: expected a seed of at least 0 or a numpy.random.Generator, not {quoted(rng)}")
    return np.random.default_rng(int(rng))


def whole_seed(rng: Seed, what: str = "rng") -> int:
    """The seed as a whole number, which a result can name; a generator, or None, gives one that is drawn.

    Raises `InvalidInput` as `generator` does.
    """
    draws = generator(rng, what)
    return int(draws.integers(2**63)) if rng is None or isinstance(rng, np.random.Generator) else int(rng)


def instance(value: Any, kind: type[Kind], what: str, noun: str = "") -> Kind:
    """A value that is of a class; raises `InvalidInput` for one of another.

    noun: what is expected, such as "a scenario from hopattn.load"; by default the `_noun` of the class itself, or its
    name.
    """
    if not isinstance(value, kind):
        raise InvalidInput(f"{what}: expected {noun or vars(kind).get('_noun', a_class(kind))}, not {quoted(value)}")
    return value


def each(values: Any, kind: type[Kind], what: str, noun: str = "") -> tuple[Kind, ...]:
    """The entries of an iterable, all of one class, as `instance` checks them; raises `InvalidInput` for others."""
    return tuple(instance(value, kind, f"{what}: entry {i}", noun) for i, value in enumerate(entries_of(values, what)))


def entries_of(values: Any, what: str) -> Iterable[Any]:
    """An iterable as it is; raises `InvalidInput` for a text, a mapping and for anything else."""
    if isinstance(values, (str, bytes, dict)) or not is_iterable(values):
        raise InvalidInput(f"{what}: expected a list, not {quoted(values)}")
    return values  # type: ignore[no-any-return]


def is_iterable(values: Any) -> bool:
    """Whether one can go through the entries; not through those of an array without axes."""
    return isinstance(values, Iterable) and getattr(values, "ndim", 1) != 0


def flag(value: Any, what: str) -> bool:
    """True or False; raises `InvalidInput` for anything else."""
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidInput(f"{what}: expected True or False, not {quoted(value)}")
    return bool(value)


def function(value: Any, what: str) -> Callable[..., Any]:
    """A function, or another object that can be called; raises `InvalidInput` for anything else."""
    if not callable(value):
        raise InvalidInput(f"{what}: expected a function, not {quoted(value)}")
    return value  # type: ignore[no-any-return]


def path_of(value: Any, what: str) -> Path:
    """The path of a file, from a text or a path; raises `InvalidInput` for anything else."""
    if not isinstance(value, (str, os.PathLike)) or not isinstance(text := os.fspath(value), str):
        raise InvalidInput(f"{what}: expected the path of a file, not {quoted(value)}")
    if "\0" in text or not text:
        raise InvalidInput(f"{what}: {quoted(text)} is not a path of a file")
    try:
        names = os.fsencode(text).split(os.fsencode(os.sep))
    except UnicodeEncodeError:
        raise InvalidInput(f"{what}: {quoted(text)} holds a character that no name of a file has") from None
    if max(map(len, names)) > MOST_BYTES_OF_NAME:
        raise InvalidInput(
            f"{what}: {quoted(text)} is longer than the name of a file may be, {MOST_BYTES_OF_NAME} bytes"
        )
    return Path(text)


def require_room(numbers: int, what: str, *counts: int) -> None:
    """Raise `InvalidInput` if an array of so many float64 `numbers` does not fit into the memory.

    That is the machine's, or what `ulimit -v` leaves this process. Where a system gives out more memory than there is,
    it kills the process before there is a `MemoryError`. what: the array, for the message, with a place such as `{:,}`
    for each of the counts.
    """
    if numbers < 2**24:  # 128 MiB, which any machine has
        return
    memory, allowed = _memory()
    if 8 * numbers > min(memory, allowed):
        gib = 2**30
        size = f"{8 * numbers / gib:,.1f} GiB" if numbers <= 2**60 else "more than 2^33 GiB"
        holder = "this machine has" if memory <= allowed else "this process may still have"
        raise InvalidInput(f"{what.format(*counts)} would take {size}; {holder} {min(memory, allowed) / gib:,.1f} GiB")


def require_time(multiplications: float, what: str) -> None:
    """Raise `InvalidInput` if work of so many multiplications, 10⁹ a second, would take more than ten minutes."""
    minutes = multiplications / 1e9 / 60
    if minutes > 10:
        raise InvalidInput(f"{what} would take about {minutes:,.0f} minutes; choose sizes for at most 10")


def _memory() -> tuple[float, float]:
    """The bytes of this machine's memory, and those that this process may still have; ∞ where no system says it."""
    try:
        import resource

        page = os.sysconf("SC_PAGE_SIZE")
        memory, limit = page * os.sysconf("SC_PHYS_PAGES"), resource.getrlimit(resource.RLIMIT_AS)[0]
        used = int(Path("/proc/self/statm").read_text().split()[0]) * page if limit != resource.RLIM_INFINITY else 0
    except (ImportError, AttributeError, ValueError, OSError):
        return math.inf, math.inf
    return memory, math.inf if limit == resource.RLIM_INFINITY else limit - used
