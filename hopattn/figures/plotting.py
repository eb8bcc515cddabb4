"""Drawing from Python: any figure of a result, into axes of your own or into a new figure."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import singledispatch
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from hopattn.circuits.census.table import Census
from hopattn.dynamics.record import Recall
from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.as_result import is_data_frame, recall_as_result, weights_as_result
from hopattn.figures.census import CensusView, census_sheet
from hopattn.figures.comparison import ComparisonView, comparison_sheet
from hopattn.figures.drawing import Axes, Figure, arranged, drawn, put_panel, settled
from hopattn.figures.favourites import favourite
from hopattn.figures.figure import gallery
from hopattn.figures.fit import fitted_sheet, layout
from hopattn.figures.palette import DARK, LIGHT
from hopattn.figures.recalls import recall_sheet
from hopattn.figures.sheet import LANGUAGES, Sheet, say
from hopattn.figures.style import Style, coloured, loaded, sides, style_named, styled
from hopattn.figures.sweep import FORMS, View, sweep_sheet
from hopattn.figures.text import brightness
from hopattn.foundation.arrays import is_foreign_array
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import instance
from hopattn.foundation.errors import InvalidInput, unknown
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


CHOICES = ("run", "layer", "head", "query", "axes", "highlight", "title")
"""The options that choose a part of a result."""
CHOSEN = tuple(name for name in CHOICES if name != "title")
OF_WEIGHTS = ("tokens", "mask")
OF_SWEEPS = ("theory", "points")
OF_PARTS = (*CHOSEN, *OF_WEIGHTS, *OF_SWEEPS, "measure")
"""The options that the picture of a bare recall does not have."""

OF_RECALL = ("overlaps", "returns")
"""The figures of results that a bare recall has too."""


class Panels(NamedTuple):
    """What `plot` drew: a figure of matplotlib and those of its axes that are panels, in the order of the drawing.

    Unlike a bare figure, a pair is not shown by a notebook a second time, below the figures that are open there.
    """

    figure: Figure
    axes: tuple[Axes, ...]


@public
def plot(thing: Any, name: str | None = None, **options: Unpack[PlotOptions]) -> Panels:
    """Draw a figure of a result, a recall, a sweep, a comparison, a census, or of an array of attention weights.

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
    measure : of a sweep, a comparison or a census, the only one to draw.
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
    if name is not None:
        instance(name, str, "plot", "the name of a figure")
    wishes: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    automatic = isinstance(wishes.get("title"), str) and wishes["title"] == "auto"
    if automatic:
        del wishes["title"]
    lang = _language(thing, wishes.pop("lang", None))
    sheet = replace(_sheet(thing, name, wishes), lang=lang)
    target = wishes.get("ax")
    with _looking_like(wishes, sheet):
        if target is not None and _is_axes(target):
            _require_flat(target)
            title = _headline(sheet) if automatic else wishes.get("title", "")
            _put_into(target, replace(sheet, title=title).translated())
            return Panels(target.get_figure(root=True), (target,))
        figure = _new_figure(wishes) if target is None else target
        translated = sheet.translated()
        places = drawn(translated, figure)
        arranged(figure, translated, places, layout(translated) if target is None else None)
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
    settled(place)
    for name, line in place.curves:
        place.keys.setdefault(name, line)
    for name, sign in place.keys.items():
        sign.set_label(name)
    if place.keys:
        ax.legend([*place.keys.values()], [*place.keys])


def _headline(sheet: Sheet) -> str:
    """The title of a sheet, with that of its panel."""
    texts = [sheet.title, *(panel.title for panel in sheet.panels[:1])]
    return say("\n".join("{}" for text in texts if text), *filter(None, texts))


def _language(thing: Any, lang: Any) -> str:
    """The language that was asked for, else that of a result's scenario; raises `InvalidInput` for an unknown one."""
    known = ("en", *LANGUAGES)
    if lang is not None and not (isinstance(lang, str) and lang in known):
        raise InvalidInput(f"plot: lang {unknown(str(lang), known)}")
    scenario = thing.scenario if isinstance(thing, Sweep) else thing
    return str(lang or (scenario.figure.lang if scenario is not None and hasattr(scenario, "figure") else "en"))


@singledispatch
def _sheet(thing: Any, name: str | None, wishes: dict[str, Any]) -> Sheet:
    """The sheet of a thing by the name of its figure. wishes: the options that are set."""
    known = isinstance(thing, np.ndarray | Labelled | list | tuple | HeadTrace | MultiHeadTrace)
    if not known and not is_foreign_array(thing) and not is_data_frame(thing):
        raise InvalidInput(
            "plot: expected a Result, a Recall, a Sweep, a Comparison, a Census or an array or DataFrame of weights, "
            f"not {type(thing).__name__}"
        )
    others = {key: value for key, value in wishes.items() if key not in OF_WEIGHTS}
    result = weights_as_result(thing, *(wishes.get(option) for option in OF_WEIGHTS))
    return _sheet(result, name or "attention", others)


@_sheet.register
def _(result: Result, name: str | None, wishes: dict[str, Any]) -> Sheet:
    _refuse(wishes, OF_SWEEPS, "a sweep")
    _refuse(wishes, ("measure",), "a sweep, a comparison or a census")
    _refuse(wishes, OF_WEIGHTS, "an array of weights")
    figure = favourite(result) if name is None else gallery()[name]
    if figure is None:
        raise InvalidInput(f"plot: no figure can be drawn from '{result.name}'")
    return figure.sheet(result, {key: wishes[key] for key in CHOICES if key in wishes})


@_sheet.register
def _(record: Recall, name: str | None, wishes: dict[str, Any]) -> Sheet:
    _require_name(name, ("recall", *OF_RECALL))
    if name is None or name == "recall":
        _refuse(wishes, OF_PARTS, "a result")
        return replace(sheet := recall_sheet(record), title=wishes.get("title", sheet.title))
    if record.overlaps is None:
        raise InvalidInput(f"plot: figure '{name}' needs the overlaps of the recall: run it with keep=['overlaps']")
    return _sheet(recall_as_result(record), name, wishes)


@_sheet.register
def _(sweep: Sweep, name: str | None, wishes: dict[str, Any]) -> Sheet:
    _require_name(name, ("sweep", *FORMS))
    _refuse(wishes, (*CHOSEN, *OF_WEIGHTS), "a result")
    asked = {key: wishes.get(key) for key in ("measure", "title", *OF_SWEEPS)}
    return sweep_sheet(sweep, View(None if name == "sweep" else name, **asked))


@_sheet.register
def _(comparison: Comparison, name: str | None, wishes: dict[str, Any]) -> Sheet:
    _require_name(name, ("comparison",))
    _refuse(wishes, (*CHOSEN, *OF_WEIGHTS), "a result")
    _refuse(wishes, OF_SWEEPS, "a sweep")
    return comparison_sheet(comparison, ComparisonView(wishes.get("measure"), wishes.get("title")))


@_sheet.register
def _(census: Census, name: str | None, wishes: dict[str, Any]) -> Sheet:
    _require_name(name, ("census",))
    _refuse(wishes, (*CHOSEN, *OF_WEIGHTS), "a result")
    _refuse(wishes, OF_SWEEPS, "a sweep")
    return census_sheet(census, CensusView(wishes.get("measure"), wishes.get("title")))


def _refuse(wishes: dict[str, Any], names: Sequence[str], owner: str) -> None:
    """Raise `InvalidInput` for the first of some options that is set: it belongs to another thing."""
    for name in names:
        if name in wishes:
            raise InvalidInput(f"plot: {name}: is an option for {owner}")


def _require_name(name: str | None, known: Sequence[str]) -> None:
    """Raise `InvalidInput` for the name of a figure that a thing does not have."""
    if name is not None and not (isinstance(name, str) and name in known):
        raise InvalidInput(f"plot: figure {unknown(name, known)}")


def _require_flat(ax: Any) -> None:
    """Raise `InvalidInput` for axes that are not flat, such as 3D or polar ones, and for axes without a figure."""
    if ax.name != "rectilinear":
        raise InvalidInput(f"plot: ax: expected axes with a horizontal and a vertical line, not {ax.name} axes")
    if ax.figure is None or not ax.figure.get_figure(root=True).axes:
        raise InvalidInput("plot: ax: these axes were removed from their figure")


def _is_axes(target: Any) -> bool:
    """Whether a target is matplotlib's Axes; raises `InvalidInput` if it is nothing that can be drawn into."""
    from matplotlib.axes import Axes as RealAxes
    from matplotlib.figure import FigureBase

    if target is not None and not isinstance(target, RealAxes | FigureBase):
        raise InvalidInput(f"plot: ax: expected Axes, a Figure or a SubFigure, not {type(target).__name__}")
    return isinstance(target, RealAxes)


def _new_figure(wishes: dict[str, Any]) -> Figure:
    """An empty figure of pyplot, so that a notebook shows it."""
    from matplotlib import pyplot

    style = _style_of(wishes)
    return pyplot.figure(figsize=style.size, dpi=style.dpi)


def _style_of(wishes: dict[str, Any]) -> Style:
    """The style of a new figure, in the size that was given."""
    named = style_named(wishes.get("style", "slide"))
    return named.with_size(*sides(wishes["size"], named.size[0], "plot: size")) if "size" in wishes else named


def _load_backend() -> None:
    """Load the backend of pyplot, before a style is set.

    Jupyter's backend makes pyplot interactive while it loads. Loaded within a style, it would lose that with the style,
    and Jupyter would show no later figure.
    """
    from matplotlib import pyplot

    pyplot.switch_backend(pyplot.get_backend())


@contextmanager
def _looking_like(wishes: dict[str, Any], sheet: Sheet) -> Iterator[None]:
    """The context of a drawing: a style that is named, that of a slide, or the user's own settings in their axes.

    In a new figure, the font is the largest in which no text lies over another.
    """
    import matplotlib

    target = wishes.get("ax")
    if target is None:
        _load_backend()
    elif "size" in wishes:
        raise InvalidInput("plot: size: is for a new figure; the size of your own figure is its `figsize`")
    if target is None or "style" in wishes:
        style = _style_of(wishes)
        with styled(fitted_sheet(sheet, style).style if target is None else style):
            yield
        return
    _is_axes(target)
    palette = DARK if brightness(target.get_facecolor()) < 0.5 else LIGHT
    with matplotlib.rc_context({"text.parse_math": False}), coloured(palette):
        yield
