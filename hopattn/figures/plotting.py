"""Drawing from Python: any figure of a result, into axes of your own or into a new figure."""

from collections.abc import Callable, Iterator, Sequence
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
from hopattn.figures.base import Around, Axes, Figure, require_drawable, require_one_run
from hopattn.figures.census import CensusView, draw_census, draw_census_panel
from hopattn.figures.choice import chosen
from hopattn.figures.comparison import ComparisonView, draw_comparison, draw_comparison_panel
from hopattn.figures.fitting import fitted
from hopattn.figures.headings import JOINT, balanced, wrapped
from hopattn.figures.kept_sweeps import every_figure
from hopattn.figures.keys import name_signs
from hopattn.figures.language import LANGUAGES, in_words, translate
from hopattn.figures.palette import DARK, LIGHT
from hopattn.figures.recall_course import curves_of, draw_curves, draw_recall
from hopattn.figures.rendering import favourite
from hopattn.figures.style import STYLES, Style, coloured, loaded, sides, style_named, styled
from hopattn.figures.sweep import FORMS, View, draw_sweep, draw_sweep_panel
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
"""The options that the final states and the curves of a recall do not have."""

OF_RECALL = ("overlaps", "energies", "basin")
"""The figures of results that a bare recall has too."""
CURVES = {"energy": "energy", "overlap": "largest overlap"}
"""The curves by step of a bare recall, each with the name of its axis."""
NEED_OVERLAPS = ("overlaps", "basin", "overlap")


class Drawing(NamedTuple):
    """A drawing. whole: draws into an empty figure. panel: draws into axes, without title and legend."""

    whole: Callable[[Figure], None]
    panel: Callable[[Axes], Around]


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
        has "recall", "energies", "energy", and if it kept its overlaps also "overlaps", "basin" and "overlap".
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
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    automatic = isinstance(given.get("title"), str) and given["title"] == "auto"
    if automatic:
        del given["title"]
    lang = _language(thing, given.pop("lang", None))
    if isinstance(thing, Result):
        thing = replace(thing, figure=thing.figure.model_copy(update={"lang": lang}))
    drawing = _drawing(thing, name, given)
    with _looking_like(given, drawing):
        target = given.get("ax")
        if target is not None and _is_axes(target):
            _require_flat(target)
            around = drawing.panel(target)
            name_signs(target, around.keys, [in_words(name, lang) for name in around.names])
            translate(target, lang)
            if title := _fitting(target, in_words(around.title, lang)) if automatic else given.get("title"):
                target.set_title(title)
            return Panels(target.get_figure(root=True), (target,))
        figure = _new_figure(given) if target is None else target
        root = figure.get_figure(root=True)
        before = len(root.axes)
        try:
            drawing.whole(figure)
        except BaseException:
            if target is None:  # a notebook would show it empty
                from matplotlib import pyplot

                pyplot.close(figure)
            raise
        translate(figure, lang)
        return Panels(root, tuple(ax for ax in root.axes[before:] if ax.get_label() != "<colorbar>"))


def _fitting(ax: Axes, title: str) -> str:
    """A title on lines that are about as long as the axes are wide."""
    width = ax.get_window_extent().width * 72 / ax.get_figure(root=True).dpi
    letters = max(12, int(width / (0.56 * ax.title.get_fontsize())))
    joined = title.replace(" → ", f"{JOINT}→{JOINT}")
    return "\n".join(wrapped(line, letters, 3) for line in joined.split("\n")).replace(JOINT, " ")


def _language(thing: Any, lang: Any) -> str:
    """The language that was asked for, else that of a result's scenario; raises `InvalidInput` for an unknown one."""
    known = ("en", *LANGUAGES)
    if lang is not None and not (isinstance(lang, str) and lang in known):
        raise InvalidInput(f"plot: lang {unknown(str(lang), known)}")
    return lang or (thing.figure.lang if isinstance(thing, Result) else "en")


@singledispatch
def _drawing(thing: Any, name: str | None, given: dict[str, Any]) -> Drawing:
    """The drawing of a thing by the name of its figure. given: the options that were given."""
    known = isinstance(thing, np.ndarray | Labelled | list | tuple | HeadTrace | MultiHeadTrace)
    if not known and not is_foreign_array(thing) and not is_data_frame(thing):
        raise InvalidInput(
            "plot: expected a Result, a Recall, a Sweep, a Comparison, a Census or an array or DataFrame of weights, "
            f"not {type(thing).__name__}"
        )
    others = {key: value for key, value in given.items() if key not in OF_WEIGHTS}
    result = weights_as_result(thing, *(given.get(option) for option in OF_WEIGHTS))
    return _drawing(result, name or "attention", others)


@_drawing.register
def _(result: Result, name: str | None, given: dict[str, Any]) -> Drawing:
    _refuse(given, OF_SWEEPS, "a sweep")
    _refuse(given, ("measure",), "a sweep, a comparison or a census")
    _refuse(given, OF_WEIGHTS, "an array of weights")
    options = {key: given[key] for key in CHOICES if key in given}
    shown = chosen(result, options)
    figure = favourite(result) if name is None else every_figure[name]()
    if figure is None:
        raise InvalidInput(f"plot: no figure can be drawn from '{result.name}'")
    require_drawable(figure, shown)

    def panel(ax: Axes) -> Around:
        require_one_run(figure, shown)
        return figure.panel(ax, shown)

    return Drawing(lambda at: figure.draw(at, shown), panel)


@_drawing.register
def _(record: Recall, name: str | None, given: dict[str, Any]) -> Drawing:
    _require_name(name, ("recall", *OF_RECALL, *CURVES))
    if name is None or name == "recall":
        _refuse(given, OF_PARTS, "a result")
        return Drawing(_titled(lambda figure: draw_recall(figure, record), given), _no_panel)
    if name in NEED_OVERLAPS and record.overlaps is None:
        raise InvalidInput(f"plot: figure '{name}' needs the overlaps of the recall: run it with keep=['overlaps']")
    if name in OF_RECALL:
        return _drawing(recall_as_result(record), name, given)
    _refuse(given, OF_PARTS, "a result")
    curves, steps = curves_of(record), np.atleast_1d(record.steps)
    if CURVES[name] not in curves:
        raise InvalidInput(f"plot: figure '{name}' cannot be drawn: the memory has no {name}")

    def panel(ax: Axes) -> Around:
        draw_curves(ax, CURVES[name], curves[CURVES[name]], steps)
        ax.set_xlabel("step")
        return Around(f"{CURVES[name]} by step")

    return Drawing(_titled(lambda figure: panel(figure.subplots()), given), panel)


@_drawing.register
def _(sweep: Sweep, name: str | None, given: dict[str, Any]) -> Drawing:
    _require_name(name, ("sweep", *FORMS))
    _refuse(given, (*CHOSEN, *OF_WEIGHTS), "a result")
    asked = {key: given.get(key) for key in ("measure", "title", *OF_SWEEPS)}
    view = View(None if name == "sweep" else name, **asked)
    return Drawing(lambda figure: draw_sweep(figure, sweep, view), lambda ax: draw_sweep_panel(ax, sweep, view))


@_drawing.register
def _(comparison: Comparison, name: str | None, given: dict[str, Any]) -> Drawing:
    _require_name(name, ("comparison",))
    _refuse(given, (*CHOSEN, *OF_WEIGHTS), "a result")
    _refuse(given, OF_SWEEPS, "a sweep")
    view = ComparisonView(given.get("measure"), given.get("title"))
    return Drawing(
        lambda figure: draw_comparison(figure, comparison, view), lambda ax: draw_comparison_panel(ax, comparison, view)
    )


@_drawing.register
def _(census: Census, name: str | None, given: dict[str, Any]) -> Drawing:
    _require_name(name, ("census",))
    _refuse(given, (*CHOSEN, *OF_WEIGHTS), "a result")
    _refuse(given, OF_SWEEPS, "a sweep")
    view = CensusView(given.get("measure"), given.get("title"))
    return Drawing(lambda figure: draw_census(figure, census, view), lambda ax: draw_census_panel(ax, census, view))


def _refuse(given: dict[str, Any], names: Sequence[str], owner: str) -> None:
    """Raise `InvalidInput` for the first of some options that was given: it belongs to another thing."""
    for name in names:
        if name in given:
            raise InvalidInput(f"plot: {name}: is an option for {owner}")


def _require_name(name: str | None, known: Sequence[str]) -> None:
    """Raise `InvalidInput` for the name of a figure that a thing does not have."""
    if name is not None and not (isinstance(name, str) and name in known):
        raise InvalidInput(f"plot: figure {unknown(name, known)}")


def _titled(draw: Callable[[Figure], object], given: dict[str, Any]) -> Callable[[Figure], None]:
    """A drawing with the title that was given, if any, above it."""

    def titled(figure: Figure) -> None:
        draw(figure)
        if title := given.get("title"):
            figure.suptitle(balanced(title))

    return titled


def _require_flat(ax: Any) -> None:
    """Raise `InvalidInput` for axes that are not flat, such as 3D or polar ones, and for axes without a figure."""
    if ax.name != "rectilinear":
        raise InvalidInput(f"plot: ax: expected axes with a horizontal and a vertical line, not {ax.name} axes")
    if ax.figure is None or not ax.figure.get_figure(root=True).axes:
        raise InvalidInput("plot: ax: these axes were removed from their figure")


def _no_panel(ax: Axes) -> Around:
    """Refuse axes for a figure that has several panels."""
    raise InvalidInput("plot: this figure has several panels: give a Figure or a SubFigure as `ax`")


def _is_axes(target: Any) -> bool:
    """Whether a target is matplotlib's Axes; raises `InvalidInput` if it is nothing that can be drawn into."""
    from matplotlib.axes import Axes as RealAxes
    from matplotlib.figure import FigureBase

    if target is not None and not isinstance(target, RealAxes | FigureBase):
        raise InvalidInput(f"plot: ax: expected Axes, a Figure or a SubFigure, not {type(target).__name__}")
    return isinstance(target, RealAxes)


def _new_figure(given: dict[str, Any]) -> Figure:
    """An empty figure of pyplot, so that a notebook shows it."""
    from matplotlib import pyplot

    style = _style_of(given)
    return pyplot.figure(figsize=style.size, dpi=style.dpi, layout="constrained")


def _style_of(given: dict[str, Any]) -> Style:
    """The style of a new figure, in the size that was given."""
    named = style_named(given.get("style", "slide"))
    return named.with_size(*sides(given["size"], named.size[0], "plot: size")) if "size" in given else named


def _load_backend() -> None:
    """Load the backend of pyplot, before a style is set.

    Jupyter's backend makes pyplot interactive while it loads. Loaded within a style, it would lose that with the style,
    and Jupyter would show no later figure.
    """
    from matplotlib import pyplot

    pyplot.switch_backend(pyplot.get_backend())


@contextmanager
def _looking_like(given: dict[str, Any], drawing: Drawing) -> Iterator[None]:
    """The context of a drawing: a style that was named, that of a slide, or the user's own settings in their axes.

    In a new figure smaller than a slide, the font is one with which no text lies over another.
    """
    import matplotlib

    target = given.get("ax")
    if target is None:
        _load_backend()
    elif "size" in given:
        raise InvalidInput("plot: size: is for a new figure; the size of your own figure is its `figsize`")
    if target is None or "style" in given:
        style = _style_of(given)
        if target is None and style.size != STYLES["slide"].size:
            style = fitted(drawing.whole, style)[1]
        with styled(style):
            yield
        return
    _is_axes(target)
    palette = DARK if brightness(target.get_facecolor()) < 0.5 else LIGHT
    with matplotlib.rc_context({"text.parse_math": False}), coloured(palette):
        yield
