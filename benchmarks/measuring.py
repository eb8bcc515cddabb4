"""Measuring: works timed side by side in one run, what their ratios come to, and whether that meets the target."""

import importlib
import json
import math
import operator
import os
import statistics
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

LEAST_ROUNDS, MOST_ROUNDS = 3, 15
PAUSE = 0.1
"""Seconds before each work, in which the threads of the one before it cease to wait for more: those of OpenBLAS wait
for 50 to 100 ms here (OPENBLAS_THREAD_TIMEOUT), and take a core from whoever comes next."""
LONG = 0.5
"""A work that takes less, in seconds, is done once more before it is timed, as in a loop: after a pause the first one
of some milliseconds finds its core asleep, unless its threads have been waiting for it."""
Times = dict[str, list[float]]


class Skip(Exception):
    """A row cannot be measured here; the message says why."""


class Wrong(Exception):
    """The two sides of a row do not give the same numbers."""


@dataclass(frozen=True)
class Options:
    """How much to measure; kernel: the BLAS kernel that was asked for, empty where BLAS has chosen for itself."""

    quick: bool = False
    kernel: str = ""

    @property
    def budget(self) -> float:
        """After how many seconds a comparison begins no further round."""
        return 1.0 if self.quick else 6.0


@dataclass(frozen=True)
class Target:
    """A bound that a number is held against, such as ≥ 0.6."""

    sign: str
    bound: float

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}"

    def met(self, value: float) -> bool:
        """Whether the value is on the right side of the bound."""
        signs = {">": operator.gt, "≥": operator.ge, "≤": operator.le, "<": operator.lt}
        return bool(signs[self.sign](value, self.bound))


@dataclass(frozen=True)
class Measured:
    """A number with its spread, and the medians that it comes from."""

    value: float
    low: float
    high: float
    note: str = ""


@dataclass(frozen=True)
class Row:
    """One line of the table; the note of a row that is not measured says why."""

    work: str
    target: str
    verdict: str
    measured: Measured | None = None
    note: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """Work, measured, spread, target, verdict, medians or reason."""
        if self.measured is None:
            return self.work, "", "", self.target, self.verdict, self.note
        numbers = self.measured
        spread = f"{shown(numbers.low)} to {shown(numbers.high)}" if numbers.low < numbers.high else ""
        return self.work, shown(numbers.value), spread, self.target, self.verdict, numbers.note

    def to_json(self) -> str:
        """The row on one line."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> "Row":
        """The row of such a line."""
        told = json.loads(line)
        measured = told.pop("measured")
        return cls(**told, measured=None if measured is None else Measured(**measured))


def attempted(work: str, target: Target | None, measure: Callable[[], Measured]) -> Row:
    """The row of a measurement: met, short, shown where there is no target, skipped, wrong or broken."""
    bound = "" if target is None else str(target)
    try:
        measured = measure()
    except Skip as reason:
        return Row(work, bound, "skipped", note=str(reason))
    except Wrong as reason:
        return Row(work, bound, "wrong", note=str(reason))
    except MemoryError as error:
        return Row(work, bound, "short", note=f"not enough memory: {error}")
    except Exception as error:  # the other rows are measured all the same
        traceback.print_exc()
        return Row(work, bound, "broken", note=f"{type(error).__name__}: {error}")
    if target is None:
        return Row(work, bound, "shown", measured)
    return Row(work, bound, "met" if target.met(measured.value) else "short", measured)


def interleaved(works: Mapping[str, Callable[[], object]], options: Options, warm: bool = True) -> Times:
    """The seconds of each work in each round; every round begins with another work. warm: run each once before."""
    if warm:
        for work in works.values():
            work()
    times: Times = {name: [] for name in works}
    names, start = list(works), time.perf_counter()
    for number in range(MOST_ROUNDS):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            time.sleep(PAUSE)
            if not times[name] or times[name][-1] < LONG:
                works[name]()
            times[name].append(seconds(works[name]))
        if number + 1 >= LEAST_ROUNDS and time.perf_counter() - start > options.budget:
            break
    return times


def seconds(work: Callable[[], object]) -> float:
    """How long one run of a work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(times: Times, over: str, under: str, parts: float = 1.0) -> Measured:
    """The median, with quartiles, of each round's ratio. parts: of how many such parts `over` timed one."""
    if parts != 1:
        times = {**times, over: [parts * each for each in times[over]]}
    ratios = [a / b for a, b in zip(times[over], times[under], strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return Measured(middle, low, high, "; ".join(f"{name} {duration(times[name])}" for name in (over, under)))


def faster(times: Times, *names: str) -> str:
    """The name of the work with the least median."""
    return min(names, key=lambda name: statistics.median(times[name]))


def slope(sizes: Sequence[float], values: Sequence[float], note: str) -> Measured:
    """The exponent b of value ∝ sizeᵇ by least squares between the logarithms, ± its standard error."""
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in values]
    line = statistics.linear_regression(x, y)
    residuals = sum((b - line.slope * a - line.intercept) ** 2 for a, b in zip(x, y, strict=True))
    error = math.sqrt(residuals / (len(x) - 2) / (statistics.pvariance(x) * len(x)))
    return Measured(line.slope, line.slope - error, line.slope + error, note)


def shown(value: float) -> str:
    """A number as the table shows it."""
    return f"{value:.2f}" if abs(value) < 99.5 else f"{value:,.0f}"


def duration(times: Sequence[float]) -> str:
    """The median of some seconds, in a unit that can be read."""
    middle = statistics.median(times)
    number, unit = (middle, "s") if middle >= 1 else (1e3 * middle, "ms") if middle >= 1e-3 else (1e6 * middle, "µs")
    return f"{number:.3g} {unit}"


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def required(module: str) -> Any:
    """A module that hopattn itself does not need; raises `Skip` where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise Skip(f"{module} is not installed") from None
