"""One law for every drawing: no text is cut, and none covers another.

What a pen writes is measured, and not what the package believes that it has placed.
"""

import warnings
from itertools import product
from string import ascii_uppercase

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.experiments.comparison import options
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.choice import chosen
from hopattn.figures.comparison import draw_comparison
from hopattn.figures.gallery import plots
from hopattn.figures.gif import fitted_frames
from hopattn.figures.kept_sweeps import KeptSweep, every_figure
from hopattn.figures.remarks import collected
from hopattn.figures.rendering import drawable, fitted
from hopattn.figures.style import LEGIBLE, STYLES
from hopattn.figures.sweep import View, draw_sweep
from hopattn.scenario.files import shipped
from tests.draws import count
from tests.figures.reading import TOUCH, drawn_with, faults_of, margin_of, of_text, panel, words
from tests.runs import drawing_of, result_of

MARGIN = 24
"""The least margin of a slide, of 1280 × 720 pixels."""
SLIDE, PAPER, DARK, SMALL = STYLES["slide"], STYLES["paper"], STYLES["dark"], STYLES["slide"].with_size(3.4, 2.4)
MOVING = [name for name, kind in plots.items() if kind.moves]
KEPT = [name for name, plot in every_figure.items() if issubclass(plot, KeptSweep)]
slow = pytest.mark.slow


def faults(draw, style=SLIDE):
    """The faults of a figure in the largest font in which it has few; the package must report the same."""
    with warnings.catch_warnings(), collected() as remarks:
        warnings.simplefilter("error")
        figure, used = fitted(draw, style)
    found = faults_of(drawn_with(figure, used))
    assert bool(found) <= (remarks.fault is not None), "a fault that its author is not told of"
    return [*found, *filter(None, [remarks.fault])] + [f"a font of {used.font}"] * (used.font < 4.5)


def of_figure(name, result, style=SLIDE):
    shown = chosen(result)
    return faults(lambda figure: plots[name]().draw(figure, shown), style)


@pytest.mark.parametrize("name", plots)
def test_a_slide_has_no_text_that_is_small_cut_or_covered_and_a_margin_on_every_side(name):
    drawing = drawing_of(name, plots[name].scenario)
    pen = drawn_with(drawing.figure, SLIDE)
    assert faults_of(pen) == []
    assert [text for text, _, size, _ in pen.lines if size < LEGIBLE - 1e-6] == []
    assert margin_of(pen) >= MARGIN
    headline = drawing.figure.get_suptitle().split("\n")[-1]
    below = [at.max(axis=0)[1] for ax in drawing.figure.axes for text, at, *_ in pen.lines if text in titles_of(ax)]
    if headline and below:
        above = max(at.min(axis=0)[1] for text, at, *_ in pen.lines if text == headline)
        assert above - max(below) >= 8, "the headline stands apart"


def titles_of(ax):
    return ax.get_title().split("\n") if ax.get_title() else []


@pytest.mark.parametrize(
    ("name", "style"),
    [
        *product(count([*plots], ["heads", "states", "gradients"]), [PAPER]),
        *(pytest.param(name, PAPER, marks=slow) for name in ("added", "moved", "walk", "qkv")),
        *product(KEPT, [SLIDE, PAPER]),
        *product(count([*plots], []), [DARK]),
    ],
)
def test_a_column_of_a_paper_has_no_text_that_is_cut_or_covered(name, style):
    plot = every_figure[name]()
    result = plot.result() if name in KEPT else chosen(result_of(plot.scenario))
    assert faults(lambda figure: plot.draw(figure, result), style) == []


@pytest.mark.parametrize("name", count([*plots], ["attention", "energies", "layer", "walk"]))
def test_a_dark_sheet_is_dark_and_nothing_on_it_is_black(name):
    plot = plots[name]()
    figure, used = fitted(lambda at: plot.draw(at, chosen(result_of(plot.scenario))), DARK)
    pen = drawn_with(figure, used)
    pixels = np.asarray(pen.buffer_rgba())[..., :3] / 255
    assert (pixels.max(axis=-1) < 0.3).mean() > 0.3
    assert [text for text, *_, colour in pen.lines if max(colour) == 0] == []


@pytest.mark.parametrize("name", count([*plots], ["attention", "basin", "landscape"]))
def test_a_subfigure_and_a_figure_without_a_layout_engine_hold_it(name):
    plain, halves = Figure(figsize=(12.8, 7.2)), Figure(figsize=(12.8, 7.2), layout="constrained").subfigures(1, 2)
    for target in (plain, halves[0]):
        figure, axes = ha.plot(result_of(plots[name].scenario), name, ax=target, style="slide")
        figure.draw_without_rendering()
        assert figure is target.get_figure(root=True) and axes and {*axes} <= {*target.axes}
    assert halves[1].axes == []


@slow
@pytest.mark.parametrize("name", MOVING)
def test_no_frame_has_a_text_that_is_cut_or_covered_and_nothing_moves_but_the_drawing(name):
    shown = chosen(result_of(plots[name].scenario))
    frames, style = fitted_frames(plots[name]().frames(shown)[:: count(1, 4)], SLIDE)
    pens = [drawn_with(frame, style) for frame in frames]
    assert [faults_of(pen) for pen in pens] == [[]] * len(frames)
    assert min(map(margin_of, pens)) >= MARGIN
    assert len({tuple(ax.get_position(original=True).bounds for ax in frame.axes) for frame in frames}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", count([*shipped()], ["hot-dog", "two-heads-sort", "grid-cells"]))
def test_no_text_of_any_figure_of_a_scenario_is_cut_or_covered(name):
    for plot in drawable(result_of(name)):
        for style in count([SLIDE, PAPER], [SLIDE]):
            assert of_figure(plot.name, result_of(name), style) == [], plot.name


LONG = [
    *("the", "Donaudampfschifffahrtskapitänsmütz", "wrote", "her", "counter-revolutionary", "reports", "about"),
    *("schools", "functional", "under", "maritime", "marketplaces"),
]
ODD = ["$x_1$", "<script>", "[no]", "ψυχή", "é" * 60, "_under", "100%"]
AXES = ["functional words", "persons", "maritime nature", "$a_1$"]


ONE = "[[layer]]\n[[layer.head]]\n"
SHARP = ONE + '[[layer.head]]\nbeta = 0.2\nmask = "causal"\n[[variant]]\nname = "%s"\nset = { "layer.head.beta" = 3 }\n'
MANY = f'kind = "memory"\n[pictures]\nletters = "{ascii_uppercase}"\n[memory]\npatterns = {[*ascii_uppercase]}\n'
CROWDED = {
    "long words": words(
        LONG, None, SHARP % "of a name that is too long for the title of a panel, and of any other one", AXES
    ),
    "letters": words(ascii_uppercase, None, SHARP % "sharp", AXES),
    "odd words": words(ODD, None, SHARP % ODD[4], AXES),
    "one word": words(ODD[:1], axes=AXES),
    "twelve heads": words(ODD[:3], None, "[[layer]]\n" + '[[layer.head]]\nmask = "causal"\n' * 12, AXES),
    "many words": words((ODD * 29)[:200], axes=AXES),
    "odd pictures": 'kind = "memory"\n[pictures.drawn]\n'
    + "".join(f"'{name}' = ['#.', '{'#' * (i % 2)}{'.' * (2 - i % 2)}']\n" for i, name in enumerate(ODD[:5]))
    + f"[memory]\npatterns = {ODD[:5]}\n[input]\ntokens = {ODD[:5]}\n",
    "26 letters": MANY
    + 'separation = "softmax"\nbeta = 1\nactivation = "sign"\n'
    + "".join(f'[cue."the left half of {name}"]\nof = "{name}"\nhide = "right"\n' for name in "PRSXY"),
    "odd plane": 'kind = "memory"\n[vocabulary]\naxes = ["$x_1$", "' + "x" * 60 + '"]\nmagnitude = "free"\n'
    "[vocabulary.words]\n"
    + "".join(f'"{ODD[i]}" = {at}\n' for i, at in enumerate([[1, 0], [0, 1], [-1, 0], [0, -1], [0.5, 0.5]]))
    + f"[memory]\npatterns = {ODD[:5]}\nbeta = 8\n[input]\ntokens = {ODD[:5]}\n"
    '[[variant]]\nname = "a $x$"\nset = { "memory.beta" = 100 }\n',
    "odd walk": 'kind = "walk"\n[walk]\nsteps = 60\nangles = { go = [90, 30, 1, 1, 1], over = [0, 0, 0, 0, 180] }\n'
    f'[walk.graph]\nedges = [["$x$", "go", "{ODD[4]}"], ["{ODD[4]}", "over", "[no]"]]\n'
    'inverse = { go = "back", over = "over" }\n',
    "wide grid": 'kind = "walk"\n[walk]\nsteps = 60\nworld = "grid"\nsize = [2, 30]\nnoises = [1, 180]\nnoise = 50\n',
    "magnet": 'kind = "ising"\n[ising]\ncouplings = [[0]]\ntemperatures = [1e-3]\nsweeps = 3\n',
    "magnets": 'kind = "ising"\n[ising]\ncurie_weiss = 8\ntemperatures = [1, 2]\n'
    f'[[variant]]\nname = "{ODD[4]}"\nset = {{ curie_weiss = 9 }}\n',
    "messages": words([f"a word of many letters {i}" for i in range(12)], axes=AXES[:3]).replace(
        '"attention"', '"messages"'
    ),
    "circuit": 'kind = "memory_circuit"\n[circuit]\nwidths = [1]\nwords = 6\nlength = 30\ntriggers = 2\ntexts = 2\n',
    "two texts": words(
        [f"{'w' * 30}{i}" for i in range(8)],
        rest=f"queries = {[f'{chr(119) * 30}{i}' for i in range(5)]}\n[[layer]]\nresidual = false\n[[layer.head]]\n",
    ),
}
QUICK = ("odd pictures", "odd walk", "wide grid", "magnet", "magnets", "circuit")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[slow] * (name not in QUICK)) for name in CROWDED])
def test_crowded_and_odd_texts_are_drawn_by_every_figure_that_can_show_them(name):
    result = of_text(CROWDED[name], f"$x_1$ [no] <script> {'of many words ' * 20}")
    names = [plot.name for plot in drawable(result)]
    found = {name: fault for name in names if (fault := of_figure(name, result))}
    assert names and found == {}


@slow
@pytest.mark.parametrize("name", ["flow", "attention"])
def test_a_small_figure_of_long_words_too(name):
    assert of_figure(name, of_text(CROWDED["long words"]), SMALL) == []


@given(st.integers(0, 2**32 - 1), st.integers(2, 9))
def test_names_in_a_plane_stand_nearest_to_their_own_points_or_are_led_to_them(seed, n):
    names = [f"{word[: 3 + 7 * i % 12]}{i}" for i, word in enumerate(LONG[:n])]
    ax = panel(of_text(words(names, seed=seed)), "plane", style="slide")
    ax.figure.draw_without_rendering()
    marks = [line.get_xydata() for line in ax.lines if line.get_marker() == "o"]
    dots = ax.transData.transform(np.concatenate(marks))
    for name in (text for text in ax.texts if text.get_text() and hasattr(text, "xy")):
        if name.arrow_patch is None:
            low, high = name.get_window_extent().get_points()
            gaps = np.linalg.norm(np.clip(dots, low, high) - dots, axis=1)
            own = ax.transData.transform(name.xy)
            assert np.linalg.norm(np.clip(own, low, high) - own) <= gaps.min() + TOUCH, name.get_text()


STEPS = np.linspace(0, 1, 30)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0.2, 4)), min_size=2, max_size=4),
    st.lists(st.text("abcdefghij", min_size=1, max_size=12), min_size=4, max_size=4, unique=True),
)
def test_a_name_beside_lines_stands_nearest_to_its_own_one(bundle, names):
    """Where not all names have such a place, a legend has them."""
    lines = np.array([start + (end - start) * STEPS**bend for start, end, bend in bundle])
    sweep = Sweep(
        axes={"rule": tuple(names[: len(lines)]), "x": tuple(STEPS)}, trials=1, values={"recalled": lines[..., None]}
    )
    figure, used = fitted(lambda at: draw_sweep(at, sweep, View(title="")), SLIDE)
    assert faults_of(drawn_with(figure, used)) == []
    (ax,) = figure.axes
    if figure.legends:
        assert [text.get_text() for text in figure.legends[0].get_texts()] == names[: len(lines)]
        return
    assert [text.get_text() for text in ax.texts] == names[: len(lines)]
    fine = np.linspace(0, 1, 900)
    paths = [ax.transData.transform(np.column_stack([fine, np.interp(fine, STEPS, line)])) for line in lines]
    for i, text in enumerate(ax.texts):
        low, high = text.get_window_extent().get_points()
        gaps = [np.linalg.norm(np.clip(path, low, high) - path, axis=1).min() for path in paths]
        if text.get_ha() == "left":  # beside the ends, moved apart where these are near
            gaps = [abs(path[-1, 1] - (low[1] + high[1]) / 2) for path in paths]
        assert int(np.argmin(gaps)) == i or text.arrow_patch is not None


SWEEPS = ["capacity-by-size", "noise-and-load", "dense-capacity", "sparse-coding", "dense-errors", "three-rules"]


@pytest.mark.parametrize(
    ("name", "style"),
    [
        *product(count([*SWEEPS, "phases", "bit-errors", "largest-margin", "softmax-patterns"], SWEEPS[::2]), [SLIDE]),
        pytest.param("noise-and-load", PAPER, marks=slow),
        *product(count(SWEEPS, []), [PAPER]),
    ],
)
def test_no_text_of_a_shipped_sweep_is_cut_or_covered(name, style):
    table = ha.load(name).spec.sweep
    shape = [len(axis) for axis in table.axes.values()]
    falling = np.linspace(1, 0, int(np.prod(shape))).reshape([*shape, 1])
    sweep = Sweep(axes=table.axes, trials=1, values=dict.fromkeys(table.measures, falling), scenario=ha.load(name))
    assert faults(lambda figure: draw_sweep(figure, sweep), style) == []


@pytest.mark.parametrize("axes", [{"x": (1,)}, {"x": (1, 2), "y": (5,)}, {"x": range(5), "y": range(5)}])
@pytest.mark.parametrize("names", [("$a_1$",), ("a", "b"), ("a" * 90, "b c" * 30, "c", "d", "e")])
def test_a_sweep_of_any_names_and_sizes_has_a_panel_for_each_of_four_measures(axes, names):
    values = np.random.default_rng(0).normal(size=(*map(len, axes.values()), 1))
    sweep = Sweep(
        axes={key: tuple(numbers) for key, numbers in axes.items()}, trials=1, values=dict.fromkeys(names, values)
    )
    figure, used = fitted(lambda at: draw_sweep(at, sweep, View(title="t" * 300)), SLIDE)
    assert faults_of(drawn_with(figure, used)) == []
    assert sum(ax.get_label() != "<colorbar>" for ax in figure.axes) == min(len(names), 4)


FEW = {"trials": 2, "dim": 16, "rng": 0}
COMPARED = {
    "bars": lambda: ha.experiments.compare_random(**FEW),
    "curves": lambda: ha.experiments.compare_random({"beta": (0.1, 1.0, 10.0)}, **FEW),
    "maps": lambda: ha.experiments.compare_random({"load": (0.1, 0.5), "noise": (0.0, 0.2)}, **FEW),
    "places": lambda: options.compared("bank", {"over": ("beta=0.1:32:log3",)}),
}


@slow
@pytest.mark.parametrize(("name", "style"), [("bars", SLIDE), ("curves", PAPER), ("maps", SLIDE), ("places", SLIDE)])
def test_no_text_of_a_comparison_is_cut_or_covered(name, style):
    comparison = COMPARED[name]()
    assert faults(lambda figure: draw_comparison(figure, comparison), style) == []
