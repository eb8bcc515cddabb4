"""The figures that fit a result, and the one that shows it best."""

from collections.abc import Iterator

from hopattn.figures.figure import Figure, gallery
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

BEST = (
    ("messages", "qkv"),
    ("multiplications", "growth"),
    ("memories", "fast_weights"),
    ("scores_norm", "gradients"),
    ("thermal", "course"),
    ("score", "emergence"),
    ("probes", "probes"),
    ("component", "probes"),
    ("fields", "maps"),
    ("accuracy-law", "forgetting"),
    ("points", "bifurcation"),
    ("returned", "returns"),
    ("barriers", "disconnectivity"),
    ("selection", "program"),
    ("written", "translation"),
    ("context", "translation"),
    ("joins", "network"),
    ("parts", "course"),
    ("crosstalk", "crosstalk"),
    ("landscape", "landscape"),
    ("successor", "basins"),
    ("hidden", "qkv"),
    ("weights", "attention"),
    ("network", "projection"),
    ("network", "network"),
    ("energy", "course"),
    ("start", "returns"),
)
"""The figure that shows a quantity best, in the order of preference."""


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
    fits = (figures[name] for name in best_figures(result.runs[0]) if not figures[name].lacks(result))
    return next(fits, next(drawable(result), None))


def best_figures(run: Run) -> Iterator[str]:
    """The figures that show the arrays of a run, the best first."""
    if run.strips:
        yield "recall"
    quantities = {Name.parse(name).quantity for name, array in run.arrays.items() if array.dims and array.values.size}
    yield from (figure for quantity, figure in BEST if quantity in quantities)
