"""One law for every drawing: no text is cut, and none covers another.

What a pen writes is measured, and not what the package believes that it has placed.
"""

import warnings
from dataclasses import replace
from itertools import product
from string import ascii_uppercase

import numpy as np
import pytest
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.experiments.comparison import options
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.comparison import comparison_sheet
from hopattn.figures.favourites import drawable
from hopattn.figures.figure import gallery
from hopattn.figures.fit import films, fit
from hopattn.figures.style import LEGIBLE, STYLES
from hopattn.figures.sweep import sweep_sheet
from hopattn.scenario.files import shipped
from tests.draws import count
from tests.figures.reading import drawn_with, faults_of, margin_of, of_text, words
from tests.runs import drawing_of, result_of, sheet_of

MARGIN = 12
"""The least margin of a slide, of 1280 × 720 pixels."""
SLIDE, PAPER, DARK, SMALL = STYLES["slide"], STYLES["paper"], STYLES["dark"], STYLES["slide"].with_size(3.4, 2.4)
FIGURES = gallery()
KEPT = [name for name, figure in FIGURES.items() if figure.source]
DRAWN = [name for name in FIGURES if name not in KEPT]
MOVING = [name for name, figure in FIGURES.items() if figure.film]
slow = pytest.mark.slow


def faults(sheet, style=SLIDE):
    """The faults of a figure in the largest font in which it has few; the package must report the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = fit(sheet, style)
    pen = drawn_with(fitted.figure, fitted.style)
    assert bool(faults_of(pen)) <= bool(fitted.faults), "a fault that its author is not told of"
    return [*faults_of(pen), *filter(None, [fitted.remark()])] + ["a small font"] * (fitted.style.font < 4.5)


@pytest.mark.parametrize("name", DRAWN)
def test_a_slide_has_no_text_that_is_small_cut_or_covered_and_a_margin_on_every_side(name):
    drawing = drawing_of(name, FIGURES[name].scenario)
    pen = drawn_with(drawing.figure, SLIDE)
    assert faults_of(pen) == [] and all(" of " in note for note in drawing.notes)
    assert [text for text, _, size, _ in pen.lines if size < 0.6 * LEGIBLE] == []
    assert margin_of(pen) >= MARGIN


@pytest.mark.parametrize(
    ("name", "style"),
    [*product(count(DRAWN, ["heads", "basins", "words", "qkv"]), [PAPER]), *product(count(DRAWN, []), [DARK])],
)
def test_a_column_of_a_paper_has_no_text_that_is_cut_or_covered(name, style):
    assert faults(sheet_of(name, FIGURES[name].scenario), style) == []


@pytest.mark.parametrize(("name", "style"), [*product(KEPT, [SLIDE, PAPER])])
def test_a_finished_sweep_has_no_text_that_is_cut_or_covered(name, style):
    assert faults(FIGURES[name].sheet(FIGURES[name].result()), style) == []


@pytest.mark.parametrize("name", count(DRAWN, ["attention", "course", "qkv"]))
def test_a_dark_sheet_is_dark_and_nothing_on_it_is_black(name):
    fitted = fit(sheet_of(name, FIGURES[name].scenario), DARK)
    pen = drawn_with(fitted.figure, fitted.style)
    pixels = np.asarray(pen.buffer_rgba())[..., :3] / 255
    assert (pixels.max(axis=-1) < 0.3).mean() > 0.3
    assert [text for text, *_, colour in pen.lines if max(colour) == 0] == []


@pytest.mark.parametrize("name", count(DRAWN, ["attention", "returns", "landscape"]))
def test_a_subfigure_and_a_figure_without_a_layout_engine_hold_it(name):
    plain, halves = Figure(figsize=(12.8, 7.2)), Figure(figsize=(12.8, 7.2), layout="constrained").subfigures(1, 2)
    for target in (plain, halves[0]):
        figure, axes = ha.plot(result_of(FIGURES[name].scenario), name, ax=target, style="slide")
        figure.draw_without_rendering()
        assert figure is target.get_figure(root=True) and axes and {*axes} <= {*target.axes}
    assert halves[1].axes == [] and plain.get_layout_engine() is None


@slow
@pytest.mark.parametrize("name", MOVING)
def test_no_frame_has_a_text_that_is_cut_or_covered_and_nothing_moves_but_the_drawing(name):
    sheets = FIGURES[name].frames(result_of(FIGURES[name].scenario))
    frames = films(sheets[:: count(1, 4)], SLIDE)
    pens = [drawn_with(frame.figure, frame.style) for frame in frames]
    assert [faults_of(pen) for pen in pens] == [[]] * len(frames)
    assert len({tuple(ax.get_position(original=True).bounds for ax in frame.figure.axes) for frame in frames}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", count([*shipped()], ["hot-dog", "two-heads-sort", "grid-cells"]))
def test_no_text_of_any_figure_of_a_scenario_is_cut_or_covered(name):
    for figure in drawable(result_of(name)):
        for style in count([SLIDE, PAPER], [SLIDE]):
            assert faults(figure.sheet(result_of(name)), style) == [], figure.name


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
QUICK = ("odd pictures", "odd walk", "wide grid", "magnet", "magnets", "circuit", "long words", "one word")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[slow] * (name not in QUICK)) for name in CROWDED])
def test_crowded_and_odd_texts_are_drawn_by_every_figure_that_can_show_them(name):
    result = of_text(CROWDED[name], f"$x_1$ [no] <script> {'of many words ' * 20}")
    figures = [*drawable(result)]
    found = {figure.name: fault for figure in figures if (fault := faults(figure.sheet(result)))}
    assert figures and found == {}


@slow
@pytest.mark.parametrize("name", ["attention"])
def test_a_small_figure_of_long_words_too(name):
    assert faults(FIGURES[name].sheet(of_text(CROWDED["long words"])), SMALL) == []


@pytest.mark.parametrize("axes", [{"x": (1,)}, {"x": (1, 2), "y": (5,)}, {"x": range(5), "y": range(5)}])
@pytest.mark.parametrize("names", [("$a_1$",), ("a", "b"), ("a" * 90, "b c" * 30, "c", "d", "e")])
def test_a_sweep_of_any_names_and_sizes_has_a_panel_for_each_of_four_measures(axes, names):
    values = np.random.default_rng(0).normal(size=(*map(len, axes.values()), 1))
    sweep = Sweep(
        axes={key: tuple(numbers) for key, numbers in axes.items()}, trials=1, values=dict.fromkeys(names, values)
    )
    sheet = replace(sweep_sheet(sweep), title="t" * 300)
    fitted = fit(sheet, SLIDE)
    assert faults_of(drawn_with(fitted.figure, fitted.style)) == []
    assert len(sheet.panels) == min(len(names), 4)


SWEEPS = ["capacity-by-size", "noise-and-load", "dense-capacity", "sparse-coding", "dense-errors", "three-rules"]


@pytest.mark.parametrize(("name", "style"), [*product(SWEEPS, count([SLIDE, PAPER], [SLIDE]))])
def test_no_text_of_a_shipped_sweep_is_cut_or_covered(name, style):
    table = ha.load(name).spec.sweep
    shape = [len(axis) for axis in table.axes.values()]
    falling = np.linspace(1, 0, int(np.prod(shape))).reshape([*shape, 1])
    sweep = Sweep(axes=table.axes, trials=1, values=dict.fromkeys(table.measures, falling), scenario=ha.load(name))
    assert faults(sweep_sheet(sweep), style) == []


FEW = {"trials": 2, "dim": 16, "rng": 0}
COMPARED = {
    "bars": lambda: ha.experiments.compare_random(**FEW),
    "curves": lambda: ha.experiments.compare_random({"beta": (0.1, 1.0, 10.0)}, **FEW),
    "maps": lambda: ha.experiments.compare_random({"load": (0.1, 0.5), "noise": (0.0, 0.2)}, **FEW),
    "places": lambda: options.compared("bank", ("beta=0.1:32:log3",), (), {}),
}


@slow
@pytest.mark.parametrize(("name", "style"), [("bars", SLIDE), ("curves", PAPER), ("maps", SLIDE), ("places", SLIDE)])
def test_no_text_of_a_comparison_is_cut_or_covered(name, style):
    assert faults(comparison_sheet(COMPARED[name]()), style) == []
