"""The figures of sweeps draw the means and their intervals, on the scales of their axes."""

import math
from itertools import product

import numpy as np
import pytest
from matplotlib import pyplot

import hopattn as ha
from hopattn.experiments.sweep.table import Sweep
from hopattn.figures.capacity import capacities
from hopattn.figures.fitting import outside, overlapping
from hopattn.figures.rendering import fitted
from hopattn.figures.style import SIZE, STYLES
from hopattn.figures.sweep import View, draw_sweep
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.loading import parse
from hopattn.views.sweep_files import require_writable, write_sweep
from tests.counts import but, spread
from tests.each import each
from tests.figures.finished import drawn, finished

LOADS, BETAS = (0.1, 0.2, 0.3), (0.1, 1.0, 10.0, 100.0)


def random_sweep(axes, names=("overlap",), trials=3):
    rng = np.random.default_rng(0)
    shape = tuple(map(len, axes.values()))
    return Sweep(axes, trials, {name: rng.normal(size=(*shape, trials)) for name in names})


def figure_of(sweep, title="t", **view):
    return drawn(lambda figure: draw_sweep(figure, sweep, View(title=title, **view)))


def box_of(sweep, title="t"):
    """The box around all that is drawn of a sweep, in inches."""
    return finished(lambda figure: draw_sweep(figure, sweep, View(title=title))).get_tightbbox()


def tick_labels(axis):
    return [text.get_text() for text in axis.get_ticklabels(which="both") if text.get_text()]


def test_over_one_axis_the_mean_is_a_curve_in_its_interval():
    sweep = random_sweep({"load": LOADS})
    (ax,) = figure_of(sweep).axes
    assert np.allclose(ax.lines[0].get_xydata(), np.column_stack([LOADS, sweep.mean("overlap")]))
    band = ax.collections[0].get_paths()[0].vertices
    for x, mean, error in zip(LOADS, sweep.mean("overlap"), sweep.error("overlap"), strict=True):
        heights = band[np.isclose(band[:, 0], x), 1]
        assert heights.min() == pytest.approx(mean - error) and heights.max() == pytest.approx(mean + error)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == (
        "load α = P/N",
        "overlap m with the pattern",
        "linear",
    )


def test_an_axis_has_the_last_key_of_its_path_as_its_title():
    five = (*BETAS, 1000.0)
    (ax, _) = figure_of(random_sweep({"layer.head.beta": five, 'cue."half of R".flip': five})).axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("inverse temperature β", "share of neurons flipped")


@pytest.mark.parametrize("axes", [{"beta": BETAS, "load": LOADS}, {"load": LOADS, "beta": BETAS}])
def test_a_few_numbers_of_one_axis_are_curves_with_names(axes):
    sweep = random_sweep(axes)
    figure = figure_of(sweep)
    (ax,) = figure.axes
    mean = sweep.mean("overlap") if next(iter(axes)) == "beta" else sweep.mean("overlap").T
    assert np.allclose([line.get_ydata() for line in ax.lines], mean.T)
    assert all(np.array_equal(line.get_xdata(), BETAS) for line in ax.lines)
    note = "each point: the mean of 3 trials; band: its 95 % interval"
    if figure.legends:
        (legend,) = figure.legends
        names, noted = [text.get_text() for text in legend.get_texts()], legend.get_title().get_text()
    else:
        names, noted = [text.get_text() for text in ax.texts], figure.get_supxlabel()
    assert (names, noted) == ([f"α = {load:g}" for load in LOADS], note)
    assert (ax.get_xlabel(), ax.get_xscale()) == ("inverse temperature β", "log")
    assert len({(line.get_color(), line.get_marker(), line.get_linestyle()) for line in ax.lines}) == 3


@pytest.mark.parametrize(
    ("name", "rows", "low", "high"),
    [
        ("recalled", [[0.9, 1.0, 1.0], [0.0, 0.1, 0.0]], 0, 1),
        ("mine", [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]], 0, 1),  # 0 or 1 in each trial: a share
        ("overlaps[1]", [[-1.0, -0.2, -1.0], [1.0, 0.9, 1.0]], -1, 1),
        ("steps", [[1.0, 2.0, 9.0], [1.0, 1.0, 2.0]], 0, np.inf),
        ("recalled", [[5.0, 5.0, 9.0], [1.0, 2.0, 3.0]], -np.inf, np.inf),  # a number, not a share
    ],
)
def test_an_interval_and_its_axis_stay_within_what_a_measure_can_be(name, rows, low, high):
    sweep = Sweep({"load": (0.0, 0.1)}, 3, {name: np.array(rows)})
    (ax,) = figure_of(sweep).axes
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert low <= ax.get_ylim()[0] and ax.get_ylim()[1] <= high and ax.get_xlim()[0] == 0
    mean, error = sweep.mean(name), sweep.error(name)
    assert band.min() == pytest.approx(max(low, (mean - error).min()))
    assert band.max() == pytest.approx(min(high, (mean + error).max()))
    assert (mean - error).min() < low or (mean + error).max() > high or np.isinf(low)  # the interval itself goes beyond


def test_overlaps_below_zero_lie_within_the_axes_and_trials_that_agree_have_no_error():
    rows = np.array([[0.8] * 7, [-0.06] * 7, [0.1 + 0.2, *[0.3] * 6]])
    sweep = Sweep({"load": LOADS}, 7, {"overlap": rows})
    (ax,) = figure_of(sweep).axes
    assert -0.1 < ax.get_ylim()[0] <= -0.06 and sweep.error("overlap").tolist() == [0, 0, 0]


def test_settings_that_are_not_the_files_stand_instead_of_its_message():
    capacity = ha.load("capacity")
    storkey = {"ensemble.model": {"name": "hopfield", "rule": "storkey"}, "neurons": 20}
    for over, overrides, title in (
        (None, storkey, "capacity: model = hopfield (rule = storkey), neurons = 20"),
        ({"load": [0.1, 0.2]}, {"ensemble.neurons": 500, "sweep.trials": 1}, capacity.spec.title),
        ({"load": [0.1]}, {"neurons": 20, "title": "my own"}, "my own"),
        ({"neurons": [10, 20]}, {}, "capacity"),
    ):
        over = {"load": [0.1, 0.2]} if over is None else over
        sweep = ha.experiments.sweep_scenario(capacity, over, overrides={"cues": 10} | overrides, trials=1, workers=1)
        figure = figure_of(sweep, title=None)
        assert figure.get_suptitle().replace("\n", " ") == title
    bank = ha.run(ha.load("bank"), overrides={"layer.head.beta": 2, "figure.run": "river"})
    assert (bank.title, bank.figure.title) == (ha.load("bank").spec.title, "bank: beta = 2")


@each(
    ("overrides", "names", "run"),
    [
        ({}, ["before", "after"], "after"),
        ({"ensemble.load": 0.2}, [], "more"),
        ({"ensemble.load": 0.2, "title": "my own"}, [], "more"),
        ({"ensemble.load": 0.2, "figure.names": ["a", "b"], "figure.run": "b"}, ["a", "b"], "b"),
        ({"ensemble.load": 0.1}, ["before", "after"], "after"),
    ],
)
def test_names_of_runs_with_other_settings_are_not_the_files(overrides, names, run):
    text = """
    schema = 1
    kind = "ensemble"
    title = "t"
    source = "s"
    figure = { names = ["before", "after"], run = "after" }
    ensemble = { neurons = 20, load = 0.1 }
    variant = [{ name = "more", set = { "ensemble.neurons" = 30 } }]
    """
    table = parse(text, "f.toml", "f", overrides).figure
    assert (table.names, table.run) == (names, run)


def test_over_two_axes_the_mean_is_a_map():
    sweep = random_sweep({"load": (*LOADS, 0.4, 0.5), "beta": (*BETAS, 1000.0)})
    ax, _ = figure_of(sweep).axes
    assert np.array_equal(ax.collections[0].get_array(), sweep.mean("overlap").T)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("load α = P/N", "inverse temperature β")
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")
    corners = ax.collections[0].get_coordinates()
    assert np.allclose(corners[0, :, 0], [0.05, 0.15, 0.25, 0.35, 0.45, 0.55])
    assert np.allclose(corners[:, 0, 1], 10.0 ** np.arange(-1.5, 4))


@pytest.mark.quick(2)
@pytest.mark.parametrize("axes", [{"x": (1,)}, {"x": (1, 2), "y": (5,)}])
@pytest.mark.parametrize("names", [("$a_1$",), ("a", "b"), ("a" * 90, "b c" * 30, "c", "d", "e")])
def test_any_names_and_sizes_are_drawn(axes, names):
    figure = figure_of(random_sweep(axes, names, trials=1), "t" * 300)
    panels = [ax for ax in figure.axes if ax.axison and ax.get_ylabel() != "x" and ax.get_label() != "<colorbar>"]
    assert len(panels) == min(len(names), 4)
    box = box_of(random_sweep(axes, names, trials=1), "t" * 300)
    assert box.x0 >= -0.05 and box.y0 >= -0.05 and box.x1 <= SIZE[0] + 0.05 and box.y1 <= SIZE[1] + 0.05


@pytest.mark.quick(0)
def test_the_maps_of_four_measures_fit_into_the_figure():
    box = box_of(random_sweep({"x": (1, 2, 3, 4, 5), "y": (5, 6, 7, 8, 9)}, "abcd"))
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= SIZE[0] and box.y1 <= SIZE[1]


def test_an_unfinished_sweep_is_drawn_as_far_as_it_is_known():
    for axes in ({"x": (1, 2)}, {"x": (1, 2), "y": (1, 2)}, {"x": (1, 2, 3, 4, 5), "y": (1, 2, 3, 4, 5)}):
        sweep = random_sweep(axes)
        values = sweep.values["overlap"].copy()
        values[0] = np.nan
        figure_of(Sweep(axes, 3, {"overlap": values}))
        figure_of(Sweep(axes, 3, {"overlap": np.full_like(values, np.nan)}))


def test_three_axes_are_not_drawn(tmp_path):
    with pytest.raises(InvalidInput, match="the sweep has 3: hold some of them"):
        write_sweep(random_sweep({"x": (1,), "y": (1,), "z": (1,)}), tmp_path / "a.svg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.quick(3)
@pytest.mark.parametrize("ending", ["svg", "pdf", "png", "csv", "npz", "json"])
def test_a_table_is_written_in_the_format_of_its_ending_with_the_same_bytes_twice(tmp_path, ending):
    sweep = random_sweep({"load": LOADS, "beta": BETAS})
    for name in ("a", "b"):
        write_sweep(sweep, tmp_path / f"{name}.{ending}", "title")
    one, other = (tmp_path / f"{name}.{ending}" for name in ("a", "b"))
    assert one.read_bytes() == other.read_bytes()
    starts = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG", "csv": b"load,beta", "npz": b"PK", "json": b"{"}
    assert one.read_bytes().startswith(starts[ending])


def test_another_ending_is_refused_before_any_work(tmp_path):
    with pytest.raises(InvalidInput, match=r"cannot tell what to write; expected a name that ends in \.csv"):
        require_writable([tmp_path / "a.csv", tmp_path / "a.txt"])


@pytest.mark.parametrize("axes", [{"beta": (0.1, 1.0, 10.0)}, {"beta": (0.1, 1.0, 10.0, 100.0, 1000.0), "x": range(5)}])
def test_a_logarithmic_axis_has_plain_numbers_and_no_formulae(axes):
    figure = figure_of(random_sweep({name: tuple(numbers) for name, numbers in axes.items()}))
    labels = tick_labels(figure.axes[0].xaxis)
    assert figure.axes[0].get_xscale() == "log" and {"0.1", "1", "10"} <= set(labels)
    assert not any(sign in label for label in labels for sign in "$\\{")


def test_a_measure_of_shares_has_the_scale_of_shares_and_words_for_a_name():
    sweep = Sweep({"x": (1, 2)}, 2, {"recalled": np.array([[0.4, 0.5], [0.6, 0.5]])})
    (ax,) = figure_of(sweep).axes
    assert (ax.get_ylim(), ax.get_ylabel()) == ((0, 1), "share of cues recalled")
    five = Sweep({"x": range(5), "y": range(5)}, 1, {"overlap": np.full((5, 5, 1), 0.5)})
    ax, bar = figure_of(five).axes
    assert ax.collections[0].get_clim() == (0, 1) and bar.get_ylabel() == "overlap m with the pattern"
    name = "layer 1 head 1 weights[banks, financial]"
    (ax,) = figure_of(random_sweep({"x": (1, 2)}, (name,))).axes
    assert ax.get_ylabel().replace("\n", " ") == "weight of 'financial' for 'banks' (layer 1 head 1)"


def test_the_lines_of_a_theory_lie_over_curves_and_maps():
    sweep = random_sweep({"load": LOADS}, ("overlap", "steps"))
    for theory in ({"m": lambda x: 2 * x}, {"overlap": {"m": (LOADS, np.array(LOADS) * 2)}}):
        figure = figure_of(sweep, theory=theory)
        line = figure.axes[0].lines[-1]
        assert np.allclose(line.get_ydata(), 2 * line.get_xdata())
        assert len(figure.axes[1].lines) == 1
        assert [text.get_text() for text in figure.legends[0].get_texts()] == ["measured", "m"]
    figure = figure_of(random_sweep({"x": range(1, 6), "y": range(5)}, ("a", "b")), theory={"l": ([1, 2], [3, 4])})
    assert [ax.lines[0].get_ydata().tolist() for ax in figure.axes[:2]] == [[3, 4], [3, 4]]
    assert figure.axes[0].get_xlim() == (0.5, 5.5)


@pytest.mark.parametrize(
    ("theory", "message"),
    [
        ([1, 2], "theory: expected names with their lines"),
        ({"m": 3}, r"theory: 'm': expected \(x, y\) or a function of x, not int"),
        ({"m": ([1, 2], [1])}, "has 2 numbers x and 1 numbers y"),
        ({"m": ([1, 2], ["a", "b"])}, "theory: .m.: gives list; expected a list of finite numbers"),
        ({"m": lambda x: 1}, "the function gives int; expected a list"),
        ({1: ([1], [1])}, "expected the name of a line, not int"),
        ({"overlop": {"m": ([1], [1])}}, "theory: measure 'overlop' is unknown; did you mean 'overlap'"),
        ({"m": ([1], [1]), "overlap": {}}, "gives both lines and measures"),
    ],
)
def test_other_theories_are_refused(theory, message):
    with pytest.raises(InvalidInput, match=message):
        figure_of(random_sweep({"load": LOADS}), theory=theory)


def test_one_measure_is_drawn_into_axes_of_ones_own():
    _, own = pyplot.subplots()
    sweep = random_sweep({"load": LOADS}, ("overlap", "steps"))
    assert sweep.plot("curve", measure="steps", ax=own, theory={"t": (LOADS, LOADS)}) is own
    assert np.allclose(own.lines[0].get_ydata(), sweep.mean("steps"))
    assert [text.get_text() for text in own.get_legend().get_texts()] == ["measured", "t"]
    with pytest.raises(InvalidInput, match="there are 2 measures: choose one with measure"):
        sweep.plot(ax=own)
    with pytest.raises(InvalidInput, match="measure 'step' is unknown; did you mean 'steps'"):
        sweep.plot(measure="step")
    with pytest.raises(InvalidInput, match="a map needs two axes"):
        sweep.plot("map")
    with pytest.raises(InvalidInput, match="a capacity needs the measure 'recalled'"):
        sweep.plot("capacity")
    pyplot.close("all")


def of_scenario(name, axes, measures, values=0.5):
    """A sweep of a shipped scenario with the same number everywhere: what is predicted does not depend on it."""
    shape = (*map(len, axes.values()), 2)
    return Sweep(axes, 2, {measure: np.full(shape, values) for measure in measures}, ha.load(name))


def test_the_theory_of_amit_gutfreund_and_sompolinsky_lies_over_the_capacity():
    axes = {"load": (0.05, 0.1, 0.2), "neurons": (250, 500)}
    figure = figure_of(of_scenario("capacity-by-size", axes, ["overlap"]), None)
    line = figure.axes[0].lines[-1]
    x, m = line.get_data()
    assert x[-1] == pytest.approx(0.1379, abs=1e-4) and m[-2:] == pytest.approx([0.967, 0], abs=1e-3)
    assert np.interp(0.1, x, m) == pytest.approx(0.998, abs=1e-3)
    assert figure.get_suptitle() == ha.load("capacity-by-size").spec.title
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["N = 250", "N = 500", "theory, N → ∞"]
    assert len(figure_of(of_scenario("capacity", {"flip": (0.0, 0.1, 0.2)}, ["overlap"])).axes[0].lines) == 1


def test_the_lines_below_which_patterns_stay_lie_over_the_phases():
    axes = {"load": (0.01, 0.05, 0.1, 0.15, 0.2), "temperature": (0.2, 0.4, 0.6, 0.8, 1.0)}
    figure = figure_of(of_scenario("phases", axes, ["overlap"]))
    stays, deepest, frozen = (line.get_data() for line in figure.axes[0].lines)
    assert np.interp([0.01, 0.2], *frozen) == pytest.approx([1.1, 1 + 0.2**0.5], abs=2e-3)
    assert stays[0][0] == pytest.approx(0.1379, abs=1e-4) and stays[0][-1] == 0 and stays[1][-1] == 1
    assert np.interp(0.3, stays[1], stays[0]) == pytest.approx(0.103, abs=2e-3)
    assert np.all(deepest[0] <= stays[0])


def test_in_the_cold_the_line_of_retrieval_turns_back_and_that_of_replicas_meets_it():
    axes = {"load": (0.12, 0.13, 0.14, 0.15, 0.16), "temperature": (0.005, 0.02, 0.04, 0.07, 0.095)}
    figure = figure_of(of_scenario("re-entrance", axes, ["overlap"]))
    stays, alike = (np.array(line.get_data()) for line in figure.axes[0].lines)
    assert stays[0][0] < stays[0].max() > stays[0][-1] and stays[0].max() == pytest.approx(0.138188, abs=1e-6)
    assert alike[0][0] == 0 and np.all((alike[0] == stays[0])[alike[1] > 0.0251])


def test_the_capacity_is_where_the_share_recalled_falls_below_nine_tenths():
    """Two curves by hand: from 1 at 10 patterns to .8 at 40, half of that on the scale of logarithms, 20."""
    axes = {"neurons": (16, 64), "patterns": (10, 40, 160), "ensemble.model.n": (2, 3)}
    shares = np.zeros((2, 3, 2, 2))
    shares[0, :, 0], shares[1, :, 0] = np.array([[1], [0.8], [0]]), np.array([[1], [1], [0.8]])
    shares[0, :, 1], shares[1, :, 1] = np.array([[1], [1], [0.8]]), np.array([[1], [1], [1]])
    sweep = Sweep(axes, 2, {"recalled": shares}, ha.load("dense-capacity"))
    few, many = (curve.patterns for curve in capacities(sweep))
    assert few == pytest.approx([20, 80]) and many[0] == pytest.approx(80) and np.isnan(many[1])
    figure = figure_of(sweep)
    (ax,) = figure.axes
    assert (ax.get_xscale(), ax.get_yscale(), tick_labels(ax.xaxis)) == ("log", "log", ["16", "64"])
    lines = [line for line in ax.lines if len(line.get_xdata()) > 10]
    slopes = [np.diff(np.log(line.get_ydata()[[0, -1]]))[0] / np.log(4) for line in lines]
    assert slopes == pytest.approx([1, 2])
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["n = 2: slope 1 in theory", "n = 3: slope 2 in theory"]
    assert "1 of 4 lie beyond the grid" in figure.legends[0].get_title().get_text()


def test_measured_curves_and_the_theory_in_their_colours_share_a_name_that_a_note_explains():
    axes = {"load": (0.1, 0.3, 0.5), "activity": (0.05, 0.1)}
    sweep = of_scenario("sparse-coding", axes, ["overlap"])
    legend = figure_of(sweep).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["activity = 0.05", "activity = 0.1"]
    assert "points: measured; line: theory, N → ∞" in legend.get_title().get_text()
    _, own = pyplot.subplots()
    assert "line: theory" in sweep.plot("curve", ax=own).get_legend().get_title().get_text()
    pyplot.close("all")


def test_words_are_curves_or_marks_and_many_of_them_a_map():
    loads, rules = (0.1, 0.2, 0.3), ("hebb", "storkey")
    figure = figure_of(of_scenario("capacity", {"load": loads, "ensemble.model.rule": rules}, ["overlap"]))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["hebb", "storkey"]
    figure = figure_of(of_scenario("capacity", {"ensemble.model.rule": rules}, ["overlap"]))
    (ax,) = figure.axes
    assert figure.get_supxlabel().endswith("bar: its 95 % interval\nN = 500")
    assert tick_labels(ax.xaxis) == ["hebb", "storkey"] and ax.lines[0].get_linestyle() == "None"
    many = {"rule": ("a", "b", "c", "d", "e"), "load": (0.1, 0.2, 0.3, 0.4, 0.5)}
    ax = figure_of(of_scenario("capacity", many, ["overlap"])).axes[0]
    assert tick_labels(ax.xaxis) == [*"abcde"] and len(ax.collections) == 1


def test_the_theory_of_sparse_coding_lies_over_its_load():
    figure = figure_of(of_scenario("sparse-coding", {"load": (0.1, 0.3, 0.6)}, ["overlap"]))
    x, cosine = figure.axes[0].lines[-1].get_data()
    expected = ha.theory.sparse_overlap([0.2, 0.55], 0.1, 0.45)
    assert np.interp([0.2, 0.55], x, cosine) == pytest.approx(expected, abs=1e-3)


def test_one_update_of_a_stored_pattern_has_its_theory():
    """Table 2.1 of Hertz, Krogh & Palmer; three rules end at N/(2 ln N), N/√(2 ln N) and N; dense orders pair."""
    axes = {"load": (0.1, 0.3, 0.5, 0.65)}
    errors, stable = figure_of(of_scenario("bit-errors", axes, ["bit_error", "stable"], 0.01)).axes
    assert np.interp([0.185, 0.61], *errors.lines[-1].get_data()) == pytest.approx([0.01, 0.1], abs=5e-4)
    assert np.interp(0.6, *stable.lines[-1].get_data()) == pytest.approx(0, abs=1e-6)
    axes = {"patterns": (10, 50, 90), "ensemble.model.rule": ("hebb", "storkey", "pseudo_inverse")}
    ax = figure_of(of_scenario("three-rules", axes, ["stable"])).axes[0]
    assert [line.get_xdata()[0] for line in ax.lines[-3:]] == pytest.approx([10.857, 32.95, 100], abs=0.01)
    axes = {"patterns": (10, 100, 1000), "ensemble.model.n": (2, 3)}
    for name, size in (("dense-errors", 32), ("sequence-errors", 51)):
        ax = figure_of(of_scenario(name, axes, ["bit_error"], 0.2)).axes[0]
        theory = ha.theory.dense_error(100, size, 3)
        if name == "sequence-errors":
            theory = ha.theory.sequence_error(100, size, 2, rectified=True)
        assert np.interp(100, *ax.lines[-1].get_data()) == pytest.approx(float(theory), abs=1e-3)
    axes = {"exponent": (0.3, 0.5, 0.7), "neurons": (8, 16)}
    figure = figure_of(of_scenario("exponential-errors", axes, ["bit_error"], 0.1))
    assert np.interp(0.7, *figure.axes[0].lines[-1].get_data()) == pytest.approx(0.273, abs=1e-3)
    assert "line: theory" in figure.get_supxlabel() + figure.legends[0].get_title().get_text()
    axes = {"patterns": (4, 256, 4096), "neurons": (8, 32)}
    ax = figure_of(of_scenario("softmax-patterns", axes, ["weight"], 0.5)).axes[0]
    assert np.interp(256, *ax.lines[-1].get_data()) == pytest.approx(0.816, abs=2e-3)
    assert len(figure_of(of_scenario("bit-errors", {"flip": (0.0, 0.1, 0.2)}, ["bit_error"], 0.1)).axes[0].lines) == 1


def test_the_theory_of_a_simulation_is_a_line_for_each_curve_along_the_arguments_that_it_takes():
    axes = {"simulation.of.points": (4, 20, 36, 60), "simulation.of.dim": (10, 20)}
    measure = "share of the sets of answers that are learned"
    figure = figure_of(of_scenario("any-couplings", axes, [measure]))
    assert np.interp(36, *figure.axes[0].lines[-1].get_data()) == ha.theory.separable_share(36, 20)
    assert "N → ∞" not in figure.get_supxlabel() + figure.legends[0].get_title().get_text()
    axes = {"simulation.of.context": (8, 64, 512)}
    ax = figure_of(of_scenario("denoising", axes, ["mean squared error"])).axes[0]
    assert np.interp(64, *ax.lines[-1].get_data()) == pytest.approx(16 / 3 * (1 + 18 / 64), rel=1e-2)
    axes = {"simulation.times": (10, 20, 40)}
    assert len(figure_of(of_scenario("denoising", axes, ["mean squared error"])).axes[0].lines) == 1


NEW = [
    "any-couplings",
    "largest-margin",
    "diluted-patterns",
    "denoising",
    "distributed-reading",
    "sums-of-parts",
    "bit-errors",
    "three-rules",
    "dense-errors",
    "sequence-errors",
    "similarities",
    "exponential-errors",
    "softmax-patterns",
]
SHIPPED = ["capacity", "capacity-by-size", "phases", "noise-and-load", "dense-capacity", "sparse-coding", *NEW]


DRAWN = spread(product(SHIPPED, ["slide", "paper"]), 4)


@pytest.mark.parametrize(("name", "style"), but(DRAWN, *{*DRAWN} - {("noise-and-load", "paper")}))
def test_no_text_of_a_shipped_sweep_is_cut_or_covered(name, style):
    table = ha.load(name).spec.sweep
    rising = np.linspace(1, 0, math.prod(map(len, table.axes.values()))).reshape([*map(len, table.axes.values()), 1])
    sweep = Sweep(table.axes, 1, dict.fromkeys(table.measures, rising), ha.load(name))
    figure, used = fitted(lambda figure: draw_sweep(figure, sweep), STYLES[style])
    figure.draw_without_rendering()
    assert overlapping(figure) == [] and outside(figure) == [] and used.font >= 4.5


def directions(seed=0, n=400, dim=16, noise=0.3):
    """Keys of unit length, cues with noise of this deviation for each entry, and their targets."""
    rng = np.random.default_rng(seed)
    keys = ha.unit(rng.normal(size=(n, dim)))
    return keys, ha.unit(keys + noise * rng.normal(size=keys.shape)), np.arange(n)


NOISE = {"ensemble.model.beta": (1.0, 3.0, 9.0, 27.0, 81.0), "ensemble.noise": (0.1, 0.2, 0.3, 0.4, 0.5)}
LOAD = {"ensemble.model.beta": (2.0, 4.0, 8.0, 16.0, 32.0), "ensemble.load": (0.5, 2.0, 8.0, 32.0, 128.0)}


def test_the_lines_of_one_step_and_many_are_the_loads_at_which_patterns_are_lost():
    (line,) = figure_of(of_scenario("one-step-and-load", LOAD, ["gain"])).axes[0].lines
    expected = np.exp(16 * ha.theory.sphere_load(np.array([4.0, 8.0]) / 16, neurons=16)) / 16
    assert np.exp(np.interp(np.log([4, 8]), *np.log(line.get_data()))) == pytest.approx(expected, rel=2e-2)
    (line,) = figure_of(of_scenario("one-step-or-many", NOISE, ["gain"])).axes[0].lines
    least = line.get_xdata()[0] / 16
    assert 16 * float(ha.theory.sphere_load(least, neurons=16)) == pytest.approx(np.log(64), rel=3e-3)
    warm = {"ensemble.model.beta": (0.5, 1.0, 1.5, 2.0, 4.0), "ensemble.noise": NOISE["ensemble.noise"]}
    assert not figure_of(of_scenario("one-step-or-many", warm, ["gain"])).axes[0].lines  # beyond the map


def test_a_head_of_ones_own_is_a_point_on_the_map():
    keys, cues, targets = directions()
    own = ha.compare(2 * keys, 3 * cues, targets=targets, beta=4, memories=["softmax", "nearest"])
    sweep = of_scenario("one-step-or-many", NOISE, ["gain"])
    line, point = sweep.plot(points={"mine": own}).lines
    (beta,), (noise,) = point.get_data()
    assert beta == pytest.approx(24) and noise == pytest.approx(0.3, rel=0.05)
    assert point.get_marker() == "o" and "mine (P = 400)" in [text.get_text() for text in point.axes.texts]
    assert line.get_linestyle() == "-"
    _, point = of_scenario("one-step-and-load", LOAD, ["gain"]).plot(points={"mine": own}).lines
    assert np.ravel(point.get_data()) == pytest.approx([24, 25])
    (plain,) = sweep.plot(points={"there": (16, 0.2)}, theory={}).lines
    assert np.ravel(plain.get_data()).tolist() == [16, 0.2]
    narrow = ha.compare(*directions(dim=8, n=64)[:2], targets=targets[:64], beta=9, memories="softmax")
    texts = [text.get_text() for text in sweep.plot(points={"mine": narrow}).texts]
    assert "mine (N = 8)" in texts
    pyplot.close("all")


@each(
    ("points", "message"),
    [
        ([1, 2], "points: expected names with their points"),
        ({"a": 3}, r"points: 'a': expected \(x, y\) or a comparison, not 3"),
        ({"a": (1, "x")}, "points: 'a': expected a finite number, not 'x'"),
        ({"a": (1000, 0.2)}, "points: 'a': beta = 1e.03 is off the map, 1 to 81"),
        (
            {"a": ha.compare(*directions(n=4)[:2], memories="softmax")},
            "points: 'a': the noise of its cues is not known",
        ),
        ({"a": ha.compare(*directions(n=4)[:2], memories="nearest")}, "points: 'a': softmax has 0 places"),
        ({"a": ha.compare(*directions(n=4)[:2], memories="softmax", beta=[1, 2])}, "softmax has 2 places"),
    ],
)
def test_a_point_that_has_no_place_is_refused(points, message):
    with pytest.raises(InvalidInput, match=message):
        of_scenario("one-step-or-many", NOISE, ["gain"]).plot(points=points)
    pyplot.close("all")


def test_points_are_for_maps_of_directions():
    axes = {"load": (0.05, 0.1, 0.2, 0.3, 0.4), "flip": (0.0, 0.1, 0.2, 0.3, 0.4)}
    own = ha.compare(*directions(n=4)[:2], memories="softmax")
    with pytest.raises(InvalidInput, match="has a place on a map of directions over beta, noise, load, patterns"):
        of_scenario("noise-and-load", axes, ["overlap"]).plot(points={"a": own})
    with pytest.raises(InvalidInput, match="points: are for the figure 'map'"):
        of_scenario("capacity", {"load": (0.05, 0.1)}, ["overlap"]).plot(points={"a": (1, 2)})
    with pytest.raises(InvalidInput, match="points: is an option for a sweep"):
        own.plot(points={})
    pyplot.close("all")
