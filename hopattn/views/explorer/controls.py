"""The controls of the page and the limits of its values, from `parts/controls.json`, which the page reads too."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.registry import name_of
from hopattn.retrieval.separation.base import Separation


def part(name: str) -> str:
    """The text of a file of the page."""
    return files("hopattn.views.explorer").joinpath("parts", name).read_text(encoding="utf-8")


@cache
def controls() -> dict[str, Any]:
    """The controls by view and key: a label, and choices, a switch, or the least and the most of a number.

    "sizes" holds the largest numbers of words, tokens, axes and the like.
    """
    table: dict[str, Any] = json.loads(part("controls.json"))
    return table


def widest_axes(vectors: Mapping[str, np.ndarray]) -> tuple[int, int]:
    """The two axes on which vectors `(dim,)` differ most, in their order; the first twice where there is one."""
    spread = np.ptp(np.stack(list(vectors.values())), axis=0)
    first, *others = sorted(np.argsort(-spread, kind="stable")[:2].tolist())
    return first, (others or [first])[0]


def require_within(view: str, values: dict[str, Any], where: str) -> None:
    """Raise `InvalidInput` for a value that a control of the page cannot have.

    view: a table of the controls, such as "head". values: by the keys of the controls; others are left alone. where:
    the place of the values in the scenario, for the message.
    """
    for key, control in controls()[view].items():
        if key not in values or ("for" in control and values.get("separation") not in control["for"]):
            continue
        value = values[key]
        if "choices" in control and value not in control["choices"]:
            raise InvalidInput(f"{where}: the page has no such {key}: {unknown(value, control['choices'])}")
        if "least" in control and not control["least"] <= value <= control["most"]:
            between = f"from {control['least']:g} to {control['most']:g}"
            raise InvalidInput(f"{where}: {key} is {value:g}; the page takes {between}")


def separated(separation: Separation, view: str) -> dict[str, Any]:
    """The settings of a separation in a view; raises `InvalidInput` for one with a sink."""
    if separation.sink is not None:
        raise InvalidInput(f"{view} has no sink")
    own = {"alpha": getattr(separation, "alpha", 1.5), "n": getattr(separation, "n", 3)}
    return {"separation": name_of(separation), "beta": separation.beta, **own}


def require_size(size: str, count: int, what: str) -> None:
    """Raise `InvalidInput` where there are more of something than the page takes; size: a key of "sizes"."""
    most = controls()["sizes"][size]
    if count > most:
        raise InvalidInput(f"{what}: there are {count:,}; the page takes at most {most}")


def require_names(names: Iterable[str], what: str) -> None:
    """Raise `InvalidInput` for a name that is longer than the page takes."""
    for name in names:
        require_size("name", len(name), f"{what}: the letters of '{name[:20]}…'")
