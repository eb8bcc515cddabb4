"""The figures for papers: their drawn numbers equal those of the result, or of another computation."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.patches import Rectangle
from matplotlib.text import Text

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.gallery import plots
from hopattn.figures.palette import LIGHT
from hopattn.figures.recalls import energy_scale, last_steps, recalled
from hopattn.figures.text import number
from hopattn.foundation.errors import InvalidInput
from tests.figures.finished import drawn
from tests.runs import drawing_of, result_of


def shown(name, scenario=""):
    return drawing_of(name, scenario or plots[name].scenario).figure


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


@pytest.fixture
def axes():
    figure, ax = pyplot.subplots()
    yield ax
    pyplot.close(figure)


@pytest.fixture(scope="module")
def record():
    """Twelve patterns of 60 spins, each cued ten times with 0 to 27 flips; the overlaps of every step are kept."""
    rng = np.random.default_rng(1)
    patterns = rng.choice([-1.0, 1.0], size=(12, 60))
    cues = np.repeat(patterns, 10, axis=0)
    for i, cue in enumerate(cues):
        cue[: 3 * (i % 10)] *= -1
    return ha.memories.hopfield(patterns).recall(cues, update="async", keep=["overlaps", "trajectory"], rng=0)


def test_the_heat_map_holds_the_overlap_of_every_state_with_every_letter():
    run, ax = result_of("sequence").runs[0], shown("overlaps").axes[0]
    letters = run.arrays["patterns"].values if "patterns" in run.arrays else None
    states = run.arrays["trajectory"].values[0]
    own = states[1:9]  # the word is replayed without a fault
    drawn = np.asarray(ax.images[0].get_array())
    expected = np.concatenate([own[-1:], own[:-1]]) @ states.T / states.shape[1]
    assert letters is None or np.allclose(letters @ states.T / states.shape[1], drawn)
    np.testing.assert_allclose(drawn, expected, atol=1e-12)
    assert ax.images[0].get_clim() == (-1, 1)
    frames = [patch.get_xy() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert frames == [(step - 0.5, step % 8 - 0.5) for step in range(9)]


def test_the_cue_of_the_heat_map_is_the_one_that_was_asked_for(axes):
    ha.plot(result_of("letters"), "overlaps", ax=axes, run="as written", query="torn X")
    course = result_of("letters").runs[0].arrays["course"].values[1]
    assert np.allclose(np.asarray(axes.images[0].get_array())[:, 0], course[0])
    assert "1 of 3 cues" in " ".join(texts(shown("overlaps", "letters")))


def test_cues_that_fail_are_dashed_and_every_end_is_that_of_its_cue():
    figure = shown("energies")
    for ax, run in zip(figure.axes, result_of("attraction").runs, strict=False):
        energies, right = run.arrays["energy"].values, recalled(run)[:100]
        good, bad = ax.collections
        assert (len(good.get_segments()), len(bad.get_segments())) == (right.sum(), (~right).sum())
        assert good.get_linestyle()[0][1] is None and bad.get_linestyle()[0][1]
        ends = np.concatenate([line.get_ydata() for line in ax.lines if line.get_linestyle() == "None"])
        assert sorted(ends) == pytest.approx(sorted(energies[:, -1]))
        bars = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "-"]
        assert bars == pytest.approx([np.median(energies[:100][which, -1]) for which in (right, ~right)])
        assert f"{right.sum()} of 100 recall" in ax.get_title()
    assert "100 of 210 cues · 3 of 4 runs" in " ".join(texts(figure))
    assert len({ax.get_xlim() for ax in figure.axes}) == 1, "one scale of steps, so that times can be compared"


def test_the_energy_of_one_cue_is_a_curve_with_its_numbers(axes):
    energies = result_of("letters").runs[0].arrays["energy"].values[1]
    ha.plot(result_of("letters"), "energies", ax=axes, run="as written", query="torn X")
    drawn_lines = [line.get_ydata() for line in axes.lines if len(line.get_ydata())]  # the others are signs
    assert np.array_equal(drawn_lines[-1], np.unique(energies)[::-1])
    assert texts(axes)[:2] == [number(energy, 3) for energy in energies[:2]]
    one = ha.memories.hopfield([[1, 1, 1, -1]]).recall([1, 1, 1, 1])
    (alone,) = ha.plot(one, "energies").figure.axes
    assert [line.get_ydata()[0] for line in alone.lines[-1:]] == [one.energies[0]]
    pyplot.close("all")


def test_one_cue_is_named_and_the_legend_has_no_end_that_is_not_drawn():
    for query, ends in (("half of R", ["to its pattern", "elsewhere"]), ("torn X", ["to its pattern"])):
        result = chosen(ha.run("letters", overrides={"figure.query": query, "figure.title": "mine"}))
        figure = drawn(lambda at, result=result: plots["energies"]().draw(at, result))
        written = [text.get_text() for text in figure.findobj(Text)]
        assert [end for end in ("to its pattern", "elsewhere") if f"converges {end}" in written] == ends
        assert any(f"the cue: {query}" in text for text in written)


def test_energies_of_a_crowd_are_seen_near_their_ends_and_the_title_says_which_end_lower():
    figure = shown("energies")
    runs = result_of("attraction").runs[:3]
    ends = np.concatenate([run.arrays["energy"].values[:, -1] for run in runs])
    for ax in figure.axes:
        low, high = ax.get_ylim()
        assert low < ends.min() and ends.max() < high and high - low < 2 * np.ptp(ends)
        assert ax.get_xscale() == "symlog" and ax.get_xlim()[0] <= 0
    lower = [
        np.median(run.arrays["energy"].values[~recalled(run)[:100], -1])
        < np.median(run.arrays["energy"].values[recalled(run)[:100], -1])
        for run in runs
    ]
    assert lower == [False, True, True]
    assert figure.get_suptitle() == "with load .1 and load .14, cues that go astray end lower than recalled ones"


def test_the_last_step_is_the_last_that_changes():
    assert last_steps(np.array([[1, 1, 1], [1, 2, 2], [1, 2, 3]])).tolist() == [0, 1, 2]


@pytest.mark.parametrize(("most", "unit"), [(9999, ""), (-3.2e14, " / 10¹⁴"), (2e4, " / 10⁴")])
def test_large_energies_are_counted_in_powers_of_ten(most, unit):
    assert energy_scale(np.array([[0.0, most]]))[1] == f"energy{unit}"


def test_the_basin_has_the_mean_of_thirty_cues_or_more_with_its_error_and_no_dot_for_each():
    ax = shown("basin").axes[0]
    runs = result_of("attraction").runs
    assert len(ax.collections) == len(runs), "a band for each run"
    for band, line, run in zip(ax.collections, ax.lines, runs, strict=False):
        start, end = run.arrays["start"].values, run.arrays["overlaps"].values
        places, means = line.get_data()
        own = [np.abs(start - place) < 0.075 for place in places]
        assert [some.sum() for some in own] == [30] * 7
        assert means == pytest.approx([end[some].mean() for some in own])
        errors = [end[some].std(ddof=1) / 30**0.5 for some in own]
        edges = band.get_paths()[0].vertices[:, 1]
        assert edges.max() == pytest.approx((means + 2 * np.array(errors)).max())
    assert shown("basin").legends == [], "names stand beside the lines"


def test_the_line_between_two_patterns_is_krotov_and_hopfields():
    ax = shown("between").axes[0]
    for line, n in zip(ax.lines[1:], (2, 3, 5, 10), strict=True):
        way, heights = line.get_data()
        assert heights == pytest.approx(1 - (1 - way) ** n - way**n)
    assert "n = 3: barrier .75" in texts(shown("between"))
    assert [label.get_text() for label in ax.get_xticklabels()][::4] == ["stripes", "halves"]


def test_the_crosstalk_is_drawn_as_shares_and_beyond_the_signal_in_another_colour():
    for ax, run in zip(shown("crosstalk").axes, result_of("crosstalk").runs, strict=True):
        bars = [bar for bar in ax.patches if bar.get_height()]
        assert sum(bar.get_height() * bar.get_width() for bar in bars) == pytest.approx(1)
        beyond = sum(bar.get_height() * bar.get_width() for bar in bars if bar.get_x() + bar.get_width() / 2 > 1)
        assert beyond == pytest.approx(float(run.arrays["wrong"].values), rel=0.5)
        assert len({bar.get_facecolor() for bar in bars}) == 2


def test_the_classes_are_those_of_the_numbers_of_keys():
    figure = shown("classes")
    ax = figure.axes[0]
    keys = [array.values for name, array in result_of("emergence").arrays.items() if name.endswith("keys for 90 %")]
    shares = np.concatenate(keys)[:, 31:] / np.arange(32, 65)  # below 32 keys there is no class
    of_class = dict(zip(LIGHT.series, [(1 / 2, 1), (1 / 8, 1 / 2), (1 / 32, 1 / 8), (0, 1 / 32)], strict=False))
    drawn = [[] for _ in shares]
    for line in ax.lines:
        if line.get_marker() == "o":
            low, high = of_class[line.get_color()]
            assert np.all((line.get_ydata() > low) & (line.get_ydata() <= high)), "a dot has the colour of its band"
            for x, y in line.get_xydata():
                drawn[round(x)].append(y)
    assert np.allclose([sorted(some) for some in drawn], np.sort(shares))
    assert "not defined below 32 keys" in figure.get_supxlabel()
    assert figure.get_suptitle().startswith("layer 1 averages over most keys, layer 2 picks few")


def test_the_classes_of_bare_weights(axes):
    weights = np.stack([np.full((40, 40), 1 / 40), np.eye(40)])
    ha.plot(weights, "classes", ax=axes)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2"]
    with pytest.raises(InvalidInput, match="32 keys or more"):
        ha.plot(np.full((31, 31), 1 / 31), "classes", ax=axes)


@pytest.mark.parametrize("name", ["overlaps", "energies", "basin", "energy", "overlap"])
def test_a_bare_recall_draws_them_into_axes_and_into_a_figure(name, record, axes):
    assert ha.plot(record, name, ax=axes, **({"query": 0} if name == "overlaps" else {})) is axes
    assert axes.lines or axes.images
    alone = ha.plot(record, name)
    assert (alone[0] if isinstance(alone, tuple) else alone).get_figure().axes
    pyplot.close("all")


def test_the_basin_of_a_bare_recall_is_that_of_the_pattern_nearest_to_each_cue(record, axes):
    ha.plot(record, "basin", ax=axes)
    patterns, states = record.reference.patterns, record.trajectory
    own = np.argmax(states[0] @ patterns.T, axis=1)
    ends = [np.mean(states[at][np.arange(120)] * patterns[own], axis=1) for at in (0, -1)]
    assert np.allclose(axes.collections[0].get_offsets(), np.column_stack(ends))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("overlap", r"needs the overlaps of the recall: run it with keep=\['overlaps'\]"),
        ("overlas", "did you mean 'overlaps'"),
    ],
)
def test_a_recall_that_lacks_what_a_figure_needs_says_so(name, message):
    one = ha.memories.hopfield([[1, 1, 1, -1]]).recall([1, 1, 1, 1])
    with pytest.raises(InvalidInput, match=message):
        ha.plot(one, name)


def test_a_memory_without_an_energy_has_no_curve_of_it():
    record = ha.memories.sequence(np.eye(3) * 2 - 1).recall([1, -1, -1], max_steps=2)
    with pytest.raises(InvalidInput, match="the memory has no energy"):
        ha.plot(record, "energy")


@pytest.mark.parametrize("name", ["overlaps", "energies", "basin", "between", "crosstalk", "classes"])
def test_a_result_without_the_numbers_has_a_reason(name):
    assert plots[name]().lacks(chosen(result_of("similarity"))).startswith("it has no ")


@pytest.mark.parametrize("name", ["energies", "crosstalk"])
def test_one_run_is_a_panel_of_its_own(name, axes):
    result = result_of(plots[name].scenario)
    with pytest.raises(InvalidInput, match="runs: choose one with run"):
        ha.plot(result, name, ax=axes)
    assert ha.plot(result, name, ax=axes, run=result.figure.names[0]) is axes


def test_energies_without_several_runs_have_one_panel(record):
    result = result_of("universal")
    figure = drawn(lambda figure: plots["energies"]().draw(figure, chosen(result)))
    assert len(figure.axes) == 1
