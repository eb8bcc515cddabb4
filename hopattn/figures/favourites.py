"""The figures that fit a result, and the one that shows it best."""

from collections.abc import Iterator

from hopattn.figures.figure import Figure, gallery
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result

BEST = {
    "qkv": {"messages", "hidden"},
    "disconnectivity": {"barriers"},
    "program": {"selection"},
    "translation": {"written", "context"},
    "network": {"joins"},
    "landscape": {"landscape"},
    "basins": {"successor"},
    "attention": {"weights"},
    "course": {"thermal", "energy"},
}
"""Figures before all others, in the order of preference, each with the quantities that it shows best."""


def drawable(result: Result) -> Iterator[Figure]:
    """The figures that can be drawn from a result."""
    for figure in gallery().values():
        if not figure.lacks(result):
            yield figure


def why_no_figures(result: Result) -> str:
    """A sentence where no figure can be drawn from a result, and the command that draws it if there is one."""
    if any(drawable(result)):
        return ""
    sweep = f"; `hopattn sweep {result.name} --out {result.name}.svg` draws it over its grid"
    return f"no figure can be drawn from one run of '{result.name}'" + sweep * (result.kind == "ensemble")


def favourite(result: Result) -> Figure | None:
    """The figure that shows a result best; None if there is none.

    It is the one of the scenario's `[figure] gallery`, else the one that shows its arrays best, else the first that can
    be drawn. Raises `InvalidInput` for a `gallery` that the result does not have.
    """
    figures = gallery()
    if (name := result.figure.gallery) is not None:
        figures[name].sheet(result)
        return figures[name]
    run = result.runs[0]
    there = {Name.parse(name).quantity for name, array in run.arrays.items() if array.dims and array.values.size}
    best = ["recall"] * bool(run.strips) + [name for name, shown in BEST.items() if there & shown]
    return next((figures[name] for name in (*best, *figures) if not figures[name].lacks(result)), None)
