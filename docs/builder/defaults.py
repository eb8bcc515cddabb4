"""The table of defaults: β, mask and rng of every public call, from its signature; what None stands for stands here."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from hopattn.foundation.shown_types import declared, spelled_out
from tools.signatures import is_result, public_names

NAMES: Mapping[str, tuple[str, ...]] = {
    "β": ("beta", "match_beta"),
    "mask": ("mask", "source_mask", "target_mask"),
    "rng": ("rng", "seed"),
}
"""The columns of the table, with the names of the parameters that each has."""
IN_ATTENTION = "1/√dim"
NONE: Mapping[str, str] = {"β": "1", "mask": "no mask", "rng": "new numbers"}
"""What None stands for in each column, where `OTHERWISE` does not say more."""
OTHERWISE: Mapping[tuple[str, str], str] = {
    **{
        (f"ha.{call}", "beta"): IN_ATTENTION
        for call in (
            "attention",
            "transformer.free_energy",
            "networks.Attention",
            "networks.EnergyTransformer",
            "jax.Hopfield.init",
            "torch.Hopfield",
            "torch.Hopfield.from_state",
            "torch.HopfieldLayer",
            "torch.HopfieldPooling",
        )
    },
    **{
        (call, "beta"): "√dim / mean of the keys' squared lengths"
        for call in ("ha.compare", "ha.experiments.compare_random", "ha.experiments.compare_patterns")
    },
    ("ha.circuits.induction_circuit", "beta"): "as sharp as its help says",
    ("ha.circuits.induction_circuit", "match_beta"): "as sharp as its help says",
    ("ha.run", "rng"): "the seed of the file",
    ("ha.experiments.sweep_scenario", "rng"): "the seed of the file",
}
"""What None stands for in other calls, by the name of the call and of the parameter."""


def calls() -> Iterator[tuple[str, Any]]:
    """Every public call by its name, once: functions, classes, their methods, and entries of registries."""
    seen: set[int] = set()
    for name, value in sorted(
        public_names(), key=lambda entry: entry[0] != "ha.Memory"
    ):  # a method of many stands there
        for call, made in _calls_of(name, value):
            origin = id(getattr(made, "__func__", made))
            if origin not in seen:
                seen.add(origin)
                yield call, made


def _calls_of(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if inspect.isclass(value):
        yield from () if is_result(value) else ((name, value),)
        for part in sorted(part for part in dir(value) if part == "__call__" or not part.startswith("_")):
            static = inspect.getattr_static(value, part)
            if isinstance(static, (classmethod, staticmethod)) or inspect.isfunction(static):
                yield f"{name}.{part}" if part != "__call__" else f"{name}(…)", getattr(value, part)
    elif inspect.isroutine(value):
        yield name, value
    elif isinstance(value, Mapping):
        yield from ((f"{name}.{entry}", made) for entry, made in value.items() if callable(made))


def defaults(call: Any) -> dict[str, Any]:
    """The defaults of the parameters of a call, by name; the keywords of `**options` are None."""
    try:
        parameters = spelled_out(declared(call)).parameters.values()
    except (TypeError, ValueError):  # written in C
        return {}
    return {one.name: None if one.default is ... else one.default for one in parameters}


def rows() -> Iterator[tuple[str, dict[str, str]]]:
    """The name of each call that has one of the parameters, and what they are by default, by the column."""
    for name, call in calls():
        found, cells = defaults(call), {}
        for column, parameters in NAMES.items():
            shown = [
                (parameter, _shown(name, column, parameter, found[parameter]))
                for parameter in parameters
                if parameter in found and found[parameter] is not inspect.Parameter.empty
            ]
            several = len(shown) > 1 or any(parameter != parameters[0] for parameter, _ in shown)
            cells[column] = ", ".join(f"`{parameter}`: {text}" if several else text for parameter, text in shown)
        if any(cells.values()):
            yield name, cells


def _shown(name: str, column: str, parameter: str, default: Any) -> str:
    if default is None:
        return OTHERWISE.get((name, parameter), NONE[column])
    return f'"{default}"' if isinstance(default, str) else f"{default:g}"


def table() -> str:
    """The table in Markdown."""
    lines = [f"| call | {' | '.join(NAMES)} |", f"|---|{'---|' * len(NAMES)}"]
    lines += [f"| `{name}` | {' | '.join(cells.values())} |" for name, cells in rows()]
    return "\n".join(lines)
