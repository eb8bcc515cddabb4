"""The figures of sweeps draw the means and their intervals, on the scales of their axes, and the lines of theory."""

import numpy as np
import pytest

import hopattn as ha
from hopattn import theory
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.figure import FIGURES
from hopattn.figures.sheet import Curve, Nodes, Points
from hopattn.figures.sweep import sweep_sheet
from hopattn.figures.text import number
from hopattn.scenario.loading import parse
from tests.figures.reading import bands, curves, drawing, keys, map_of, note, panel, says, texts_in, ticks

LOADS, BETAS = (0.1, 0.2, 0.3), (0.1, 1.0, 10.0, 100.0)
NOISE = {"ensemble.model.beta": (1.0, 3.0, 9.0, 27.0, 81.0), "ensemble.noise": (0.1, 0.2, 0.3, 0.4, 0.5)}
LOAD = {"ensemble.model.beta": (2.0, 4.0, 8.0, 16.0, 32.0), "ensemble.load": (0.5, 2.0, 8.0, 32.0, 128.0)}


def sweep_of(axes, names=("overlap",), trials=3):
    """A sweep with numbers at random."""
    rng = np.random.default_rng(0)
    return Sweep(
        axes=axes, trials=trials, values={name: rng.normal(size=(*map(len, axes.values()), trials)) for name in names}
    )


def of_scenario(name, axes, measures, values=0.5):
    """A sweep of a shipped scenario with the same number everywhere: what is predicted does not depend on it."""
    shape = (*map(len, axes.values()), 2)
    return Sweep(
        axes=axes, trials=2, values={measure: np.full(shape, values) for measure in measures}, scenario=ha.load(name)
    )


def directions(seed=0, n=400, dim=16, noise=0.3):
    """Keys of unit length, cues with noise of this deviation for each entry, and their targets."""
    rng = np.random.default_rng(seed)
    keys = ha.unit(rng.normal(size=(n, dim)))
    return keys, ha.unit(keys + noise * rng.normal(size=keys.shape)), np.arange(n)


def lines(sweep, i=0, **options):
    """The points of each line, and each point of one's own, of the panel `i`."""
    marks = sweep_sheet(sweep, **options).panels[i].marks
    return [
        np.column_stack([mark.x, mark.y]) if isinstance(mark, Curve) else mark.at
        for mark in marks
        if isinstance(mark, Curve | Points)
    ]


def named(figure):
    """The names of the curves: below the figure, or beside them."""
    return keys(figure) or texts_in(figure.axes[0])


@pytest.mark.parametrize("loads", [LOADS, (0.1, 0.2, 0.3, 0.45, 0.6)])
def test_over_one_axis_the_mean_is_a_curve_in_its_interval(loads):
    sweep = sweep_of({"load": loads})
    (ax,) = drawing(sweep).axes
    ((at, low, high),) = bands(ax)
    mean = sweep.mean("overlap")
    assert np.allclose(curves(ax)[0], np.column_stack([loads, mean]))
    assert np.allclose([at, low, high], [loads, *sweep.interval("overlap")])
    names = ("load α = P/N", "overlap m with the pattern", "linear")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == names


def test_an_axis_has_the_last_key_of_its_path_as_its_title():
    five = (*BETAS, 1000.0)
    ax, _ = drawing(sweep_of({"layer.head.beta": five, 'cue."half of R".flip': five})).axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("inverse temperature β", "share of neurons flipped")


@pytest.mark.parametrize("axes", [{"beta": BETAS, "load": LOADS}, {"load": LOADS, "beta": BETAS}])
def test_a_few_numbers_of_one_axis_are_curves_with_names(axes):
    sweep = sweep_of(axes)
    figure = drawing(sweep)
    (ax,) = figure.axes
    mean = sweep.mean("overlap") if next(iter(axes)) == "beta" else sweep.mean("overlap").T
    assert np.allclose(curves(ax), [np.column_stack([BETAS, column]) for column in mean.T])
    assert named(figure) == [f"α = {number(load)}" for load in LOADS]
    assert note(figure) == "each point: the mean of 3 trials; band: its 95 % interval (Student's t)"
    assert (ax.get_xlabel(), ax.get_xscale()) == ("inverse temperature β", "log")
    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == len({look[1:] for look in looks}) == 3, "curves differ without colours too"


@pytest.mark.parametrize(
    ("name", "rows", "low", "high"),
    [
        ("recalled", [[0.9, 1.0, 1.0], [0.0, 0.1, 0.0]], 0, 1),
        ("mine", [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]], 0, 1),  # 0 or 1 in each trial
        ("overlaps[1]", [[-1.0, -0.2, -1.0], [1.0, 0.9, 1.0]], -1, 1),
        ("weights[banks, muddy]", [[0.0, 0.1, 0.0], [1.0, 0.9, 1.0]], 0, 1),
        ("steps", [[1.0, 2.0, 9.0], [1.0, 1.0, 2.0]], 0, np.inf),
        ("recalled", [[5.0, 5.0, 9.0], [1.0, 2.0, 3.0]], -np.inf, np.inf),  # a number, not a share
    ],
)
def test_an_interval_and_its_axis_stay_within_what_a_measure_can_be(name, rows, low, high):
    sweep = Sweep(axes={"load": (0.0, 0.1)}, trials=3, values={name: np.array(rows)})
    (ax,) = drawing(sweep).axes
    ((_, least, most),) = bands(ax)
    assert low <= ax.get_ylim()[0] and ax.get_ylim()[1] <= high and ax.get_xlim()[0] == 0
    lower, upper = sweep.interval(name)
    assert (least.min(), most.max()) == pytest.approx((max(low, lower.min()), min(high, upper.max())))
    assert lower.min() < low or upper.max() > high or np.isinf(low)  # the interval itself goes beyond


def test_overlaps_below_zero_lie_within_the_axes_and_trials_that_agree_have_no_interval():
    rows = np.array([[0.8] * 7, [-0.06] * 7, [0.1 + 0.2, *[0.3] * 6]])
    sweep = Sweep(axes={"load": LOADS}, trials=7, values={"overlap": rows})
    (ax,) = drawing(sweep).axes
    assert -0.1 < ax.get_ylim()[0] <= -0.06 and np.isnan(sweep.interval("overlap")).all()


@pytest.mark.parametrize(
    ("over", "overrides", "title"),
    [
        ({"load": [0.1, 0.2]}, {"ensemble.model": {"name": "hopfield", "rule": "storkey"}, "neurons": 20},
         "capacity: model = hopfield (rule = storkey), neurons = 20"),
        ({"load": [0.1, 0.2]}, {"ensemble.neurons": 500, "sweep.trials": 1}, None),
        ({"load": [0.1]}, {"neurons": 20, "title": "my own"}, "my own"),
        ({"neurons": [10, 20]}, {}, "capacity"),
    ],
)  # fmt: skip
def test_settings_that_are_not_the_files_stand_instead_of_its_message(over, overrides, title):
    capacity = ha.load("capacity")
    sweep = ha.experiments.sweep_scenario(capacity, over, overrides={"cues": 10} | overrides, trials=1, workers=1)
    assert drawing(sweep).get_suptitle().replace("\n", " ") == (title or capacity.spec.title)
    bank = ha.run(ha.load("bank"), overrides={"layer.head.beta": 2, "figure.run": "river"})
    assert (bank.title, bank.figure.title) == (ha.load("bank").spec.title, "bank: beta = 2")


@pytest.mark.parametrize(
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
    sweep = sweep_of({"load": (*LOADS, 0.4, 0.5), "beta": (*BETAS, 1000.0)})
    figure = drawing(sweep)
    ax, _ = figure.axes
    table, across, up = map_of(ax)
    assert np.array_equal(table, sweep.mean("overlap").T)
    assert np.allclose(across, [0.05, 0.15, 0.25, 0.35, 0.45, 0.55]) and np.allclose(up, 10.0 ** np.arange(-1.5, 4))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("load α = P/N", "inverse temperature β")
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")
    assert note(figure) == "each cell: the mean of 3 trials"


@pytest.mark.parametrize("axes", [{"x": (1, 2)}, {"x": (1, 2), "y": (1, 2)}, {"x": (1, 2, 3, 4, 5), "y": range(5)}])
def test_an_unfinished_sweep_is_drawn_as_far_as_it_is_known(axes):
    values = sweep_of(axes).values["overlap"].copy()
    values[0] = np.nan
    figure = drawing(Sweep(axes=axes, trials=3, values={"overlap": values}))
    gaps = np.isnan(map_of(figure.axes[0])[0].filled(np.nan)).any(axis=0) if len(figure.axes) > 1 else []
    assert [*gaps] in ([], [True, False, False, False, False])
    assert ("hatched: not measured" in note(figure)) == (len(figure.axes) > 1)
    assert drawing(Sweep(axes=axes, trials=3, values={"overlap": np.full_like(values, np.nan)})).axes


@pytest.mark.parametrize("axes", [{"beta": (0.1, 1.0, 10.0)}, {"beta": (0.1, 1.0, 10.0, 100.0, 1000.0), "x": range(5)}])
def test_a_logarithmic_axis_has_plain_numbers_and_no_formulae(axes):
    ax = drawing(sweep_of({name: tuple(numbers) for name, numbers in axes.items()})).axes[0]
    assert ax.get_xscale() == "log" and {".1", "1", "10"} <= {*ticks(ax.xaxis)}
    assert not any(sign in label for label in ticks(ax.xaxis) for sign in "$\\{")


@pytest.mark.parametrize(
    ("betas", "texts"),
    [
        ((500, 1000, 2000), ["500", "1000", "2000"]),
        ((1.25, 2.5, 5), ["1.25", "2.5", "5"]),
        ((1e3, 1e4, 1e5, 1e6), ["1000", "10000", "10⁵", "10⁶"]),
        ((1e-5, 1e-4, 1e-3), ["10⁻⁵", ".0001", ".001"]),
        ((2e-7, 4e-7, 8e-7), ["2·10⁻⁷", "4·10⁻⁷", "8·10⁻⁷"]),
    ],
)
def test_its_numbers_from_100000_up_and_below_a_10000th_have_powers(betas, texts):
    assert ticks(drawing(sweep_of({"beta": betas})).axes[0].xaxis) == texts


def test_a_measure_of_shares_has_the_scale_of_shares_and_words_for_a_name():
    (ax,) = drawing(Sweep(axes={"x": (1, 2)}, trials=2, values={"recalled": np.array([[0.4, 0.5], [0.6, 0.5]])})).axes
    assert (ax.get_ylim(), ax.get_ylabel()) == ((0, 1), "share of cues recalled")
    five = Sweep(axes={"x": range(5), "y": range(5)}, trials=1, values={"overlap": np.full((5, 5, 1), 0.5)})
    ax, bar = drawing(five).axes
    assert ax.collections[0].get_clim() == (0, 1) and bar.get_ylabel() == "overlap m with the pattern"
    (ax,) = drawing(sweep_of({"x": (1, 2)}, ("layer 1 head 1 weights[banks, financial]",))).axes
    assert ax.get_ylabel().replace("\n", " ") == "weight of 'financial' for 'banks' (layer 1 head 1)"


def test_measures_that_are_the_same_everywhere_come_last_and_a_fifth_is_left_out():
    values = {"a": np.ones((3, 1)), **{name: np.arange(3.0)[:, None] * i for i, name in enumerate("bcde", 1)}}
    figure = drawing(Sweep(axes={"x": (1, 2, 3)}, trials=1, values=values))
    assert [ax.get_ylabel() for ax in figure.axes] == [*"bcde"]
    assert note(figure) == "each point: 1 trial"


@pytest.mark.parametrize("theory", [{"m": lambda x: 2 * x}, {"overlap": {"m": (LOADS, np.array(LOADS) * 2)}}])
def test_the_lines_of_a_theory_lie_over_the_first_or_the_named_measure(theory):
    figure = drawing(sweep := sweep_of({"load": LOADS}, ("overlap", "steps")), theory=theory)
    x, y = curves(figure.axes[0])[-1].T
    assert np.allclose(y, 2 * x) and (x[0], x[-1]) == pytest.approx((0.1, 0.3))
    assert [len(lines(sweep, i, theory=theory)) for i in (0, 1)] == [2, 1] and keys(figure) == ["measured", "m"]


def test_the_lines_of_a_theory_lie_over_the_maps_of_all_measures():
    figure = drawing(sweep_of({"x": range(1, 6), "y": range(5)}, ("a", "b")), theory={"l": ([1, 2], [3, 4])})
    assert [curves(ax)[0].tolist() for ax in figure.axes[:2]] == [[[1, 3], [2, 4]]] * 2
    assert figure.axes[0].get_xlim() == (0.5, 5.5)


def test_one_measure_is_drawn_into_axes_of_ones_own():
    sweep = sweep_of({"load": LOADS}, ("overlap", "steps"))
    ax = panel(sweep, "curve", measure="steps", theory={"t": (LOADS, LOADS)})
    assert np.allclose(curves(ax)[0][:, 1], sweep.mean("steps")) and keys(ax) == ["measured", "t"]
    (same,) = sweep.plot("curve", measure="steps", ax=panel(sweep, measure="steps")).axes
    assert np.array_equal(curves(same)[0], curves(ax)[0])


def test_the_theory_of_amit_gutfreund_and_sompolinsky_lies_over_the_capacity():
    axes = {"load": (0.05, 0.1, 0.2), "neurons": (250, 500)}
    figure = drawing(of_scenario("capacity-by-size", axes, ["overlap"]))
    x, m = lines(of_scenario("capacity-by-size", axes, ["overlap"]))[-2].T
    assert x[-1] == pytest.approx(0.1379, abs=1e-4) and m[-2:] == pytest.approx([0.967, 0], abs=1e-3)
    assert np.interp(0.1, x, m) == pytest.approx(0.998, abs=1e-3)
    assert figure.get_suptitle() == ha.load("capacity-by-size").spec.title
    assert {*named(figure)} == {"N = 250", "N = 500", "theory, N → ∞"}
    assert len(lines(of_scenario("capacity", {"flip": (0.0, 0.1, 0.2)}, ["overlap"]))) == 1


def test_the_lines_below_which_patterns_stay_lie_over_the_phases():
    axes = {"load": (0.01, 0.05, 0.1, 0.15, 0.2), "temperature": (0.2, 0.4, 0.6, 0.8, 1.0)}
    stays, deepest, frozen = (line.T for line in lines(of_scenario("phases", axes, ["overlap"])))
    assert np.interp([0.01, 0.2], *frozen) == pytest.approx([1.1, 1 + 0.2**0.5], abs=2e-3)
    assert stays[0][0] == pytest.approx(0.1379, abs=1e-4) and stays[0][-1] == 0 and stays[1][-1] == 1
    assert np.interp(0.3, stays[1], stays[0]) == pytest.approx(0.103, abs=2e-3)
    assert np.all(deepest[0] <= stays[0])


def test_each_phase_has_its_name_inside_its_lines():
    axes = {"load": tuple(np.linspace(0.005, 0.2, 6)), "temperature": tuple(np.linspace(0.05, 1.5, 6))}
    (panel,) = sweep_sheet(of_scenario("phases", axes, ["overlap"])).panels
    (names,) = [mark for mark in panel.marks if isinstance(mark, Nodes)]
    places = dict(zip(names.texts, names.at, strict=True))
    assert [*places] == ["recall", "metastable recall", "glass", "noise"]
    for text, low, high in (("recall", 0, 0.054), ("metastable recall", 0.02, 0.138)):
        load, heat = places[text]
        assert low < load < high and load < theory.critical_load(heat)
    assert [places[text][1] < theory.glass_temperature(places[text][0]) for text in ("glass", "noise")] == [True, False]
    assert not any(mark.name for mark in panel.marks if isinstance(mark, Curve)), "names of lines would be twice"


def test_in_the_cold_the_line_of_retrieval_turns_back_and_that_of_replicas_meets_it():
    axes = {"load": (0.12, 0.13, 0.14, 0.15, 0.16), "temperature": (0.005, 0.02, 0.04, 0.07, 0.095)}
    stays, alike = (line.T for line in lines(of_scenario("re-entrance", axes, ["overlap"])))
    assert stays[0][0] < stays[0].max() > stays[0][-1] and stays[0].max() == pytest.approx(0.138188, abs=1e-6)
    assert alike[0][0] == 0 and np.all((alike[0] == stays[0])[alike[1] > 0.0251])


def test_the_capacity_is_where_the_share_recalled_falls_below_nine_tenths():
    """Two curves by hand: from 1 at 10 patterns to .8 at 40, half of that on the scale of logarithms, 20."""
    axes = {"neurons": (16, 64), "patterns": (10, 40, 160), "ensemble.model.n": (2, 3)}
    shares = np.zeros((2, 3, 2, 2))
    shares[0, :, 0], shares[1, :, 0] = np.array([[1], [0.8], [0]]), np.array([[1], [1], [0.8]])
    shares[0, :, 1], shares[1, :, 1] = np.array([[1], [1], [0.8]]), np.array([[1], [1], [1]])
    sweep = Sweep(axes=axes, trials=2, values={"recalled": shares}, scenario=ha.load("dense-capacity"))
    figure = drawing(sweep)
    (ax,) = figure.axes
    assert (ax.get_xscale(), ax.get_yscale(), ticks(ax.xaxis)) == ("log", "log", ["16", "64"])
    two, three, *theory = lines(sweep)
    assert np.allclose(two, [[16, 20], [64, 80]]) and np.allclose(three, [[16, 80]])
    assert [np.log(y[-1] / y[0]) / np.log(4) for _, y in (line.T for line in theory)] == pytest.approx([1, 2])
    assert named(figure) == ["n = 2", "n = 3"]
    assert says(figure, "1 of 4 lie beyond the grid", "the share recalled falls below .9 here") == []


def test_measured_curves_and_the_theory_in_their_colours_share_a_name_that_a_note_explains():
    sweep = of_scenario("sparse-coding", {"load": (0.1, 0.3, 0.5), "activity": (0.05, 0.1)}, ["overlap"])
    figure = drawing(sweep)
    assert named(figure) == ["activity = .05", "activity = .1"]
    assert "points: measured; line: theory, N → ∞" in note(figure)


def test_words_are_curves_or_marks_and_many_of_them_a_map():
    loads, rules = (0.1, 0.2, 0.3), ("hebb", "storkey")
    figure = drawing(of_scenario("capacity", {"load": loads, "ensemble.model.rule": rules}, ["overlap"]))
    assert named(figure) == ["hebb", "storkey"] and ticks(figure.axes[0].xaxis) != ["hebb", "storkey"]
    figure = drawing(of_scenario("capacity", {"ensemble.model.rule": rules}, ["overlap"]))
    (ax,) = figure.axes
    assert note(figure).endswith("bar: its 95 % interval (Student's t); N = 500")
    assert ticks(ax.xaxis) == ["hebb", "storkey"] and ax.lines[0].get_linestyle() == "None"
    many = {"rule": (*"abcde",), "load": (0.1, 0.2, 0.3, 0.4, 0.5)}
    ax = drawing(of_scenario("capacity", many, ["overlap"])).axes[0]
    assert ticks(ax.xaxis) == [*"abcde"] and map_of(ax)[0].shape == (5, 5)


ONE_UPDATE = {
    "bit-errors": ({"load": (0.1, 0.3, 0.5, 0.65)}, "bit_error", [(0.185, 0.01), (0.61, 0.1)]),
    "sparse-coding": ({"load": (0.1, 0.3, 0.6)}, "overlap",
                      [(x, float(ha.theory.sparse_overlap(x, 0.1, 0.45))) for x in (0.2, 0.55)]),
    "dense-errors": ({"patterns": (10, 100, 1000), "ensemble.model.n": (2, 3)}, "bit_error",
                     [(100, float(ha.theory.dense_error(100, 32, 3)))]),
    "sequence-errors": ({"patterns": (10, 100, 1000), "ensemble.model.n": (2, 3)}, "bit_error",
                        [(100, float(ha.theory.sequence_error(100, 51, 2, rectified=True)))]),
    "exponential-errors": ({"exponent": (0.3, 0.5, 0.7), "neurons": (8, 16)}, "bit_error", [(0.7, 0.273)]),
    "exact-retrieval": ({"ensemble.model.beta": (1.0, 4.0, 16.0), "ensemble.model.alpha": (1.5, 2)}, "converged",
                        [(2, 0.8129)]),
    "langevin": ({"temperature": (0.001, 0.006, 0.012)}, "overlap", [(0.001, 0.9517), (0.01, 0.6196)]),
    "softmax-patterns": ({"patterns": (4, 128, 4096), "neurons": (8, 32)}, "weight", [(256, 0.816)]),
    "any-couplings": ({"simulation.of.points": (4, 20, 36, 60), "simulation.of.dim": (10, 20)},
                      "share of the sets of answers that are learned",
                      [(36, float(ha.theory.separable_share(36, 20)))]),
    "denoising": ({"simulation.of.context": (8, 64, 512)}, "mean squared error", [(64, 16 / 3 * (1 + 18 / 64))]),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_UPDATE)
def test_the_last_line_over_a_sweep_is_its_theory(name):
    """`bit-errors`: Table 2.1 of Hertz, Krogh & Palmer. `denoising`: by hand. `exact-retrieval`: the share of 100
    random directions with no other one within 60°, by a sum over (1 − c²)^13.5. The others from `ha.theory`.
    """
    axes, measure, points = ONE_UPDATE[name]
    figure = drawing(of_scenario(name, axes, [measure], 0.1))
    x, y = lines(of_scenario(name, axes, [measure], 0.1))[-1].T
    for at, value in points:
        assert np.interp(at, x, y) == pytest.approx(value, rel=1e-2, abs=2e-3)
    assert says(figure, "theory") == [] or name == "bit-errors"
    assert ("N → ∞" in note(figure)) <= (name == "sparse-coding"), "the theory of one update has a finite N"


def test_the_theory_of_one_update_has_no_line_over_what_it_does_not_describe():
    """Three rules end at N/(2 ln N), N/√(2 ln N) and N."""
    axes = {"load": (0.1, 0.3, 0.5, 0.65)}
    stable = lines(of_scenario("bit-errors", axes, ["bit_error", "stable"], 0.01), 1)[-1]
    assert np.interp(0.6, *stable.T) == pytest.approx(0, abs=1e-6)
    axes = {"patterns": (10, 50, 90), "ensemble.model.rule": ("hebb", "storkey", "pseudo_inverse")}
    ends = [line[0, 0] for line in lines(of_scenario("three-rules", axes, ["stable"]))[-3:]]
    assert ends == pytest.approx([10.857, 32.95, 100], abs=0.01)
    for name, axes, measure in [
        ("bit-errors", {"flip": (0.0, 0.1, 0.2)}, "bit_error"),
        ("denoising", {"simulation.times": (10, 20, 40)}, "mean squared error"),
        ("langevin", {"ensemble.update.dt": (0.05, 0.1, 0.2)}, "overlap"),
        ("exact-retrieval", {"ensemble.model.alpha": (1.25, 1.5, 2)}, "converged"),
    ]:
        assert len(lines(of_scenario(name, axes, [measure], 0.1))) == 1


def test_the_lines_of_one_step_and_many_are_the_loads_at_which_patterns_are_lost():
    (line,) = lines(of_scenario("one-step-and-load", LOAD, ["gain"]))
    expected = np.exp(16 * ha.theory.sphere_load(np.array([4.0, 8.0]) / 16, neurons=16)) / 16
    assert np.exp(np.interp(np.log([4, 8]), *np.log(line.T))) == pytest.approx(expected, rel=2e-2)
    (line,) = lines(of_scenario("one-step-or-many", NOISE, ["gain"]))
    assert 16 * float(ha.theory.sphere_load(line[0, 0] / 16, neurons=16)) == pytest.approx(np.log(64), rel=3e-3)
    warm = {"ensemble.model.beta": (0.5, 1.0, 1.5, 2.0, 4.0), "ensemble.noise": NOISE["ensemble.noise"]}
    assert lines(of_scenario("one-step-or-many", warm, ["gain"])) == []  # beyond the map


@pytest.mark.parametrize(("name", "axes", "line"), [
    ("noise-and-load", {"load": (*np.arange(8, 18) / 100,), "flip": (*np.arange(6) / 10,)}, "α = .138: the capacity"),
    ("one-step-or-many", NOISE, "from here on patterns are recalled"),
])  # fmt: skip
def test_the_legend_names_the_only_line_on_a_map(name, axes, line):
    assert says(drawing(of_scenario(name, axes, [ha.load(name).spec.sweep.measures[0]])), line) == []


def test_a_head_of_ones_own_is_a_point_on_the_map():
    """Keys twice and cues three times as long: β = 4 is 24 for directions; 400 keys of 16 numbers are a load of 25."""
    keys, cues, targets = directions()
    own = ha.compare(2 * keys, 3 * cues, targets=targets, beta=4, memories=["softmax", "nearest"], rng=0)
    sweep = of_scenario("one-step-or-many", NOISE, ["gain"])
    figure = drawing(sweep, points={"mine": own})
    line, point = lines(sweep, points={"mine": own})
    assert len(line) > 1 and point == pytest.approx(np.array([[24, 0.3]]), rel=0.05)
    assert says(figure, "mine (P = 400)") == []
    assert lines(of_scenario("one-step-and-load", LOAD, ["gain"]), points={"mine": own})[-1] == pytest.approx(
        np.array([[24, 25]])
    )
    assert [line.tolist() for line in lines(sweep, points={"there": (16, 0.2)}, theory={})] == [[[16, 0.2]]]
    narrow = ha.compare(*directions(dim=8, n=64)[:2], targets=targets[:64], beta=9, memories="softmax", rng=0)
    assert says(drawing(sweep, points={"mine": narrow}), "mine (N = 8)") == []


def test_the_titles_of_the_kept_sweeps_have_their_numbers():
    titles = [FIGURES[name].sheet(FIGURES[name].result()).title for name in ("capacity", "phases")]
    assert all(f"load {number(float(theory.critical_load()), 3)}" in title for title in titles)
    assert f"{ha.load('capacity').spec.ensemble.neurons} neurons" in titles[0]
