"""Drawing from Python: any figure of a result, into axes of your own or into a new figure."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import singledispatch
from typing import Any, NamedTuple, TypedDict, Unpack

from hopattn.circuits.census.table import Census
from hopattn.dynamics.record import Recall
from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.as_result import recall_as_result, weights_as_result
from hopattn.figures.census import census_sheet
from hopattn.figures.comparison import comparison_sheet
from hopattn.figures.drawing import Axes, Figure, draw, put_panel, settle
from hopattn.figures.favourites import favourite
from hopattn.figures.figure import below, gallery
from hopattn.figures.fit import fit, layout
from hopattn.figures.palette import DARK, LIGHT
from hopattn.figures.recalls import recall_sheet
from hopattn.figures.rows import rows_sheet
from hopattn.figures.sheet import LANGUAGES, Sheet
from hopattn.figures.style import STYLES, Style, coloured, loaded, sides, styled
from hopattn.figures.sweep import FORMS, sweep_sheet
from hopattn.figures.text import luminance
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import instance
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.results.dataset import Dataset
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result
from hopattn.transformer.heads import HeadTrace
from hopattn.transformer.multi_head import MultiHeadTrace


class PlotOptions(TypedDict, total=False):
    """The options of `plot`."""

    ax: Any
    run: str | None
    layer: int | None
    head: int | None
    query: str | int | None
    axes: Sequence[str] | str | None
    highlight: Sequence[str] | str | None
    title: str | None
    lang: str | None
    style: str | None
    size: Any
    tokens: Any
    mask: Any
    theory: Any
    points: Any
    measure: str | None


OF_RECALL = ("overlaps", "returns")
"""The figures of results that a bare recall has too."""
CHOICES = ("run", "layer", "head", "query", "axes", "highlight")
"""The options that choose a part of a result."""
OWNERS = {
    **dict.fromkeys(CHOICES, "a result"),
    **dict.fromkeys(("tokens", "mask"), "an array of weights"),
    **dict.fromkeys(("theory", "points"), "a sweep"),
    "measure": "a sweep, a comparison or a census",
}
"""The options that not every thing has, each with the things that have it."""


class Panels(NamedTuple):
    """What `plot` drew: a figure of matplotlib and those of its axes that are panels, in the order of the drawing.

    Unlike a bare figure, a pair is not shown by a notebook a second time, below the figures that are open there.
    """

    figure: Figure
    axes: tuple[Axes, ...]


@public
def plot(thing: Any, name: str | None = None, **options: Unpack[PlotOptions]) -> Panels:
    """Draw a figure of a result of any sort, or of an array of attention weights.

    Parameters
    ----------
    thing
        from `ha.run`, `memory.recall`, `ha.sweep`, `ha.compare` or `ha.circuits.head_census`; one of `result.arrays`;
        the trace of heads; or weights `(n_queries, n_keys)` or `(n_heads, n_queries, n_keys)`, of NumPy, PyTorch or
        JAX, or a DataFrame of pandas, whose index and columns are the words.
    name
        of the figure, as `hopattn figures --list` shows them; by default the one that shows the thing best; a recall
        has "recall", and if it kept its overlaps also "overlaps" and "returns".
    ax
        matplotlib's Axes, Figure or SubFigure to draw into; by default a new figure of pyplot. In axes of your own,
        `ax.legend()` lists the signs of the figure, and the legend is shown where it covers nothing.
    run, layer, head, query, axes, highlight
        as in the table `[figure]` of a scenario; a query may be a number, and one text may name axes or words, as in
        "money,river".
    title
        "" for none; in axes of your own there is none unless you give it, and "auto" is the figure's headline with the
        name of its run.
    lang : "en" or "de", the language of labels; by default that of `[figure]`.
    style : "slide", "paper" or "dark"; by default that of a slide, and in axes of your own the fonts that you set.
    size : of a new figure, its width and height in inches, as in (3.4, 2.4), or a ratio, as in "16:9".
    tokens : the words of an array, or a pair of those of its queries and keys; by default their numbers.
    mask : of an array, the name of a rule, such as "causal", or booleans (True = may attend): what it hides is hatched.
    measure : of a sweep, a comparison, a census, or a column of another table, the only one to draw.
    theory
        lines over a sweep, name → (x, y) or a function of the numbers of its horizontal axis, such as {"N → ∞":
        ha.theory.overlap}; {} for none; by default those of `ha.theory` where they describe the scenario that was
        swept.
    points
        on the map of a sweep, name → (x, y) or a comparison, at its effective β, the noise of its cues and its load.

    Raises
    ------
    InvalidInput
        for a name, an option or a part that does not exist, and for axes that would have to hold several panels.

    Notes
    -----
    Gives the pair (figure, axes), as pyplot's `subplots`: the whole figure, which has `savefig`, and the tuple of the
    axes that were drawn into, without those of colour bars.

    Examples
    --------
    >>> import hopattn as ha
    >>> figure, (ax,) = ha.plot([[1, 0], [0.4, 0.6]], "attention", tokens=["muddy", "banks"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['muddy', 'banks']
    """
    loaded()
    from matplotlib import pyplot

    if name is not None:
        instance(name, str, "plot", "the name of a figure")
    wishes: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    target: Any = wishes.get("ax")
    title, lang = wishes.get("title"), wishes.get("lang")
    if lang is not None:
        reject_unknown("plot", [instance(lang, str, "plot: lang", "a text")], ("en", *LANGUAGES), "lang")
    if isinstance(title, str) and title == "auto":
        del wishes["title"]
    sheet = sheet_of(thing, name, wishes)
    sheet = replace(sheet, lang=lang or sheet.lang, title=wishes.get("title", sheet.title))
    into_axes = _is_axes(target)
    with _looking_like(wishes, sheet) as style:
        if into_axes:
            title = below(sheet.title, sheet.panels[0].title) if title == "auto" else title or ""
            _put_into(target, replace(sheet, title=title).translated())
            return Panels(target.get_figure(root=True), (target,))
        figure = pyplot.figure(figsize=style.size, dpi=style.dpi) if target is None else target
        sheet = sheet.translated()
        places = draw(sheet, figure, layout(sheet) if target is None else None)
        return Panels(figure.get_figure(root=True), tuple(place.ax for place in places))


def _put_into(ax: Axes, sheet: Sheet) -> None:
    """Draw the only panel of a sheet into axes, with a legend of its signs."""
    if len(sheet.panels) > 1:
        raise InvalidInput(
            f"plot: axes hold one panel, and this figure has {len(sheet.panels)}: choose one with run, layer, head or "
            "measure, or give a Figure or a SubFigure as `ax`"
        )
    place = put_panel(replace(sheet.panels[0], title=sheet.title), ax, sheet.lang)
    ax.figure.draw_without_rendering()
    settle(place)
    signs = dict(place.curves) | place.keys
    for name, sign in signs.items():
        sign.set_label(name)
    if signs:
        ax.legend([*signs.values()], [*signs])


def _chosen(wishes: dict[str, Any], *options: str) -> dict[str, Any]:
    """The options of a thing that are set; raises `InvalidInput` for one that belongs to another thing."""
    for name, owner in OWNERS.items():
        if name in wishes and name not in options:
            raise InvalidInput(f"plot: {name}: is an option for {owner}")
    return {name: wishes[name] for name in options if name in wishes}


@singledispatch
def sheet_of(thing: Any, name: str | None, wishes: dict[str, Any]) -> Sheet:
    """The sheet of a thing by the name of its figure. wishes: the options that are set."""
    if not hasattr(thing, "__array__") and not isinstance(thing, list | tuple | HeadTrace | MultiHeadTrace):
        raise InvalidInput(
            "plot: expected a Result, a Recall, a Sweep, a Comparison, a Census or an array or DataFrame of weights, "
            f"not {type(thing).__name__}"
        )
    others = {**wishes}
    result = weights_as_result(thing, others.pop("tokens", None), others.pop("mask", None))
    return sheet_of(result, name or "attention", others)


sheet_of.register(Labelled, sheet_of.dispatch(object))


@sheet_of.register
def _(dataset: Dataset, name: str | None, wishes: dict[str, Any]) -> Sheet:
    reject_unknown("plot", [name or "rows"], ("rows",), "figure")
    return rows_sheet(dataset, **_chosen(wishes, "measure"))


@sheet_of.register
def _(result: Result, name: str | None, wishes: dict[str, Any]) -> Sheet:
    options = _chosen(wishes, "title", *CHOICES)
    figure = favourite(result) if name is None else gallery()[name]
    if figure is None:
        raise InvalidInput(f"plot: no figure can be drawn from '{result.name}'")
    return figure.sheet(result, options)


@sheet_of.register
def _(record: Recall, name: str | None, wishes: dict[str, Any]) -> Sheet:
    reject_unknown("plot", [name or "recall"], ("recall", *OF_RECALL), "figure")
    if name in (None, "recall"):
        _chosen(wishes)
        return recall_sheet(record)
    if record.overlaps is None:
        raise InvalidInput(f"plot: figure '{name}' needs the overlaps of the recall: run it with keep=['overlaps']")
    return sheet_of(recall_as_result(record), name, wishes)


@sheet_of.register
def _(thing: Sweep | Comparison | Census, name: str | None, wishes: dict[str, Any]) -> Sheet:
    kinds: dict[str, Any] = {
        "sweep": (sweep_sheet, FORMS, ("measure", "theory", "points")),
        "comparison": (comparison_sheet, (), ("measure",)),
        "census": (census_sheet, (), ("measure",)),
    }
    kind = type(thing).__name__.lower()
    made, forms, options = kinds[kind]
    reject_unknown("plot", [name or kind], (kind, *forms), "figure")
    return made(thing, *[name] * (name in forms), **_chosen(wishes, *options))  # type: ignore[no-any-return]


def _is_axes(target: Any) -> bool:
    """Whether a target is matplotlib's Axes; raises `InvalidInput` if it is nothing that can be drawn into."""
    from matplotlib.axes import Axes as RealAxes
    from matplotlib.figure import FigureBase

    if not isinstance(target, RealAxes):
        if not isinstance(target, FigureBase | None):
            raise InvalidInput(f"plot: ax: expected Axes, a Figure or a SubFigure, not {type(target).__name__}")
        return False
    if target.name != "rectilinear":
        raise InvalidInput(f"plot: ax: expected axes with a horizontal and a vertical line, not {target.name} axes")
    if target.figure is None or not target.figure.get_figure(root=True).axes:
        raise InvalidInput("plot: ax: these axes were removed from their figure")
    return True


@contextmanager
def _looking_like(wishes: dict[str, Any], sheet: Sheet) -> Iterator[Style]:
    """The context of a drawing: a style that is named, that of a slide, or the user's own settings in their axes.

    In a new figure, the font is the largest in which no text lies over another.
    """
    from matplotlib import pyplot, rc_context

    target, style = wishes.get("ax"), STYLES[wishes.get("style", "slide")]
    if "size" in wishes:
        if target is not None:
            raise InvalidInput("plot: size: is for a new figure; the size of your own figure is its `figsize`")
        style = style.with_size(*sides(wishes["size"], style.size[0], "plot: size"))
    if target is None:  # Jupyter's backend makes pyplot interactive while it loads, which must outlast the style
        pyplot.switch_backend(pyplot.get_backend())
        style = fit(sheet, style).style
    if target is None or "style" in wishes:
        with styled(style):
            yield style
    else:
        palette = DARK if luminance(target.get_facecolor()) < 0.2 else LIGHT
        with rc_context({"text.parse_math": False}), coloured(palette):
            yield style
