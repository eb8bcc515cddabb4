"""The figures of memories and networks show the numbers of their recalls, landscapes and ensembles."""

from dataclasses import replace

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.gallery import plots
from hopattn.figures.recalls import frame_times
from tests.figures import reading as see
from tests.runs import drawing_of, result_of


def shown(name, scenario=""):
    """The figure of the gallery, of its own or of another scenario."""
    return drawing_of(name, scenario or plots[name].scenario).figure


def array(scenario, name, run=0):
    return result_of(scenario).runs[run].arrays[name].values


@pytest.mark.parametrize(
    ("name", "scenario", "options", "words"),
    [
        ("recall", "letters", {}, ["recalls R", "recalls X", "stays at S reversed", "1 of 3 runs"]),
        ("recall", "spurious", {}, ["stays at S reversed", "stays at a mixture of J, V and X"]),
        ("recall", "metastable", {}, ["stays between C, G and 8", "recalls J"]),
        ("recall", "two-letters", {}, ["stays at I + L"]),
        ("recall", "two-cycle", {}, ["ends in a cycle of 2"]),
        ("recall", "sequence", {}, ["visits 8 patterns, the last is H"]),
        ("recall", "dense", {}, ["energy / 10¹⁴", "overlap with the nearest"]),
        ("animation", "graded", {}, ["the cue: half of R", "step 114", "recalls R", "V, S"]),
        ("overlaps", "letters", {"query": "torn X"}, ["torn X", "1 of 3 cues"]),
        ("overlaps", "letters", {}, ["1 of 3 cues"]),
        ("energies", "attraction", {}, ["100 of 210 cues", "3 of 4 runs",
                                        "with load .1 and load .14, cues that go astray end lower than recalled ones"]),
        ("energies", "dense", {}, ["torn K", "half of M"]),
        ("energies", "letters", {"query": "half of R", "title": "mine"}, ["the cue: half of R", "converges elsewhere"]),
        ("between", "barrier", {}, ["n = 3: barrier .75"]),
        ("landscape", "landscape", {}, ["β = 12 5 cues, 4 ends", "β = 3 5 cues, 2 ends", "β = .8 5 cues, 1 end",
                                        "energy above the lowest of each panel; higher than .46: no colour"]),
        ("states", "basins", {}, ["halves 16 states: +++−−−", "halves reversed 16 states: −−−+++",
                                  "stripes 16 states: +−+−+−", "stripes reversed 16 states: −+−+−+",
                                  "hollow: its reverse"]),
        ("states", "barrier", {}, ["grey: neither"]),
        ("states", "hopfield-beside-attention", {}, ["more basins hold"]),
        ("separations", "sparse", {}, ["α = 2", "score², n = 3", "the separation of this memory, the same as sparsemax",
                                       "shares stay between 0 and 1; other weights may grow without limit"]),
        ("beside", "hopfield-beside-attention", {}, ["Hopfield", "attention", "−.25", ".75", "−2", "6"]),
        ("beside", "dense", {}, ["shares of weight", "10 of 36 patterns · 2 of 3 runs"]),
        ("classes", "emergence", {}, ["layer 1 averages over most keys, layer 2 picks few",
                                      "not defined below 32 keys"]),
        ("parts", "two-layers", {}, ["hidden", "visible", "their sum"]),
        ("magnetisation", "magnetisation", {}, ["temperature"]),
        ("updates", "three-updates", {}, ["one at random", "in sequence", "all at once"]),
        ("radii", "radius", {}, ["load (patterns / neuron)", "(fraction of neurons reversed)"]),
        ("returns", "thirty-neurons", {}, ["neurons reversed in the cue (fraction)"]),
        ("bifurcation", "bifurcation", {}, ["inverse temperature β", "first pattern", "halfway", "second pattern"]),
    ],
)  # fmt: skip
def test_a_figure_says_the_ends_and_the_names_of_its_result(name, scenario, options, words):
    assert see.says(see.drawing(scenario, name, **options), *words) == []


def own(scenario, name, *index, run=0):
    return lambda: array(scenario, name, run)[index]


@pytest.mark.parametrize(
    ("name", "scenario", "options", "at", "values"),
    [
        ("overlaps", "sequence", {}, 0, lambda: array("sequence", "course")[0].T),
        ("overlaps", "letters", {"query": "torn X", "run": "as written"}, 0, lambda: array("letters", "course")[1].T),
        ("magnetisation", "magnetisation", {}, 0, own("magnetisation", "sampled", slice(None), 1)),
        ("magnetisation", "magnetisation", {}, 0, own("magnetisation", "curve", slice(None), 0)),
        ("radii", "radius", {}, 0, own("radius", "radii")),
        ("radii", "radius", {}, 0, own("radius", "radii", run=1)),
        ("beside", "hopfield-beside-attention", {}, 0, lambda: [-2, 6, -2]),
        ("beside", "hopfield-beside-attention", {}, 1, lambda: [-0.25, 0.75, -0.25]),
        ("beside", "hopfield-beside-attention", {}, 4, own("hopfield-beside-attention", "step 1 weights", 0, run=1)),
        *(("beside", "hopfield-beside-attention", {}, 3 * run + 2, lambda run=run: np.vstack(
            [array("hopfield-beside-attention", name, run) for name in ("input", "state")])) for run in (0, 1)),
    ],
)  # fmt: skip
def test_a_panel_has_the_numbers_of_its_run(name, scenario, options, at, values):
    values = np.asarray(values())
    ax = see.drawing(scenario, name, **options).axes[at]
    assert see.shows(ax, values if name != "overlaps" else values[:, : see.cells(ax)[0].shape[1]])


def pictures(figure):
    return [ax for ax in figure.axes if ax.images and ax.images[0].get_cmap().name == "picture"]


@pytest.mark.parametrize("name", ["letters", "two-letters", "spurious", "metastable", "sequence", "spherical", "bam"])
def test_the_pictures_of_a_recall_begin_with_its_cue_and_end_with_its_last_state(name):
    run, figure = result_of(name).runs[0], shown("recall", name)
    black = np.abs(run.arrays["patterns"].values).max()
    drawn = [np.ravel(see.cells(ax)[0]) for ax in pictures(figure)]
    for cue, state in zip(run.arrays["trajectory"].values, run.arrays["state"].values, strict=True):
        for one in (cue[0], state):
            assert any(np.allclose(one / black, picture, atol=1e-12) for picture in drawn)
    assert len({ax.images[0].get_clim() for ax in pictures(figure)}) == 1 or name in ("bam", "spherical")


def test_every_letter_of_a_replayed_word_is_shown_above_its_overlaps():
    run, figure = result_of("sequence").runs[0], shown("recall", "sequence")
    drawn = [np.ravel(see.cells(ax)[0]) for ax in pictures(figure)]
    letters = dict(zip("HOPFIELD", run.arrays["patterns"].values, strict=True))
    names = [next((name for name in letters if np.array_equal(letters[name], one)), "torn") for one in drawn]
    assert names == ["torn", *"OPFIELDH"]
    (table,) = [see.cells(ax)[0] for ax in figure.axes if ax.images and ax not in pictures(figure)]
    expected = [[letter @ one / letter.size for one in drawn] for letter in letters.values()]
    assert table == pytest.approx(np.array(expected))


def test_energy_and_overlap_are_drawn_by_step():
    arrays, figure = result_of("letters").runs[0].arrays, shown("recall", "letters")
    axes = {" ".join(ax.get_ylabel().split()): ax for ax in figure.axes}
    for i, steps in enumerate(arrays["steps"].values):
        energy, overlap = (see.curves(axes[name])[i][:, 1] for name in ("energy", "overlap with the nearest"))
        assert np.array_equal(energy, arrays["energy"].values[i][: steps + 1])
        assert overlap[-1] == pytest.approx(ha.cosine(arrays["state"].values[i], arrays["nearest"].values[i]))
    assert see.curves(axes["overlap with the nearest"])[2][:, 1] == pytest.approx(-1)  # the reverse of a letter


def test_cues_beyond_four_are_left_out_and_counted():
    result = result_of("letters")
    run = result.runs[0]
    twice = {
        name: replace(one, values=np.repeat(one.values, 2, axis=0), labels=(one.labels[0] * 2, *one.labels[1:]))
        if one.dims[:1] == ("cue",) else one
        for name, one in run.arrays.items()
    }  # fmt: skip
    figure = see.drawing(replace(result, runs=(replace(run, arrays=twice, strips=run.strips * 2),)), "recall")
    assert "4 of 6 cues" in see.note(figure)
    assert "runs" not in see.note(see.drawing("letters", "recall", run="ten letters"))


PATTERNS = np.array([[1, 1, 1, 1, 1, 1, 1, 1], [1, -1, 1, -1, 1, -1, 1, -1.0]])


def test_a_record_names_its_ends_beside_them():
    record = ha.memories.hopfield(PATTERNS).recall([PATTERNS[1], -PATTERNS[0], PATTERNS[0]], keep=["overlaps"])
    figure = see.drawing(record)
    ends = [text for text in see.texts(figure) if "pattern" in text]
    assert ends == ["pattern 2", "a pattern reversed", "pattern 1"] and len(figure.axes) == 3
    assert figure.axes[0].get_xlabel() == "neuron (filled: 1, empty: −1)"
    assert see.ticks(figure.axes[0].yaxis) == ["● 1", "■ 2", "▲ 3"]
    ax = see.drawing(record, "overlaps", query="1").axes[0]
    assert see.ticks(ax.yaxis) == ["1", "2"] and ax.get_title() == "cue: 1"
    assert see.cells(ax)[0][:, -1] == pytest.approx(record.overlaps[-1, 0])
    for name, values in (("energy", record.energies.T), ("overlap", np.abs(record.overlaps).max(axis=-1).T)):
        drawn = see.drawing(record, name, title="two letters")
        assert drawn.get_suptitle() == "two letters" and drawn.axes[0].get_xlabel() == "step"
        for cue, steps in enumerate(record.steps):
            assert np.array_equal(see.curves(drawn.axes[0])[cue][:, 1], values[cue, : steps + 1])


def test_the_energy_of_a_memory_is_what_its_landscape_is_painted_with():
    for run, beta in zip(result_of("landscape").runs, (12.0, 3.0, 0.8), strict=True):
        field, patterns = run.arrays["landscape"], run.arrays["patterns"].values
        across, up = (np.array(places, float) for places in reversed(field.labels))
        x = np.stack(np.meshgrid(across, up), axis=-1)
        expected = 0.5 * np.sum(x * x, axis=-1) - np.log(np.exp(beta * x @ patterns.T).sum(axis=-1)) / beta
        assert field.values == pytest.approx(expected)


def test_the_landscape_has_the_path_of_every_cue_and_its_patterns():
    *axes, _ = shown("landscape").axes
    for ax, run in zip(axes, result_of("landscape").runs, strict=True):
        drawn = see.curves(ax)
        for path in (*run.arrays["trajectory"].values, run.arrays["patterns"].values):
            assert any(np.array_equal(line, path) for line in drawn)
    run = result_of("landscape").runs[1]
    draws = plots["landscape"]().frames(replace(result_of("landscape"), runs=(run,)))
    assert len(draws) >= 12 and see.panel("landscape", "landscape", run="flat").get_xlabel() == "x1"


@pytest.mark.parametrize("variant", [0, 1])
def test_the_successor_of_a_state_is_the_state_after_one_step_and_each_state_is_drawn_once(variant):
    run = result_of("basins").runs[variant]
    memory = ha.memories.hopfield(run.arrays["patterns"].values)
    update = (ha.Asynchronous(order="sequence"), "sync")[variant]
    signs, leads = run.arrays["successor"].labels[0], run.arrays["successor"].values
    states = np.array([[1.0 if sign == "+" else -1.0 for sign in state] for state in signs])
    assert np.array_equal(states[leads], memory.recall(states, update=update, max_steps=1).state)
    figure = see.drawing(replace(result_of("basins"), runs=(run,)), "states")
    sizes = [int(title.split(" states")[0].split()[-1]) for title in see.titles(figure)]
    assert sum(len(curve) for ax in figure.axes for curve in see.curves(ax)) == sum(sizes)
    assert sum(sizes) == (64, 40)[variant] and all(
        len(see.arrows(ax)) in (size - 1, size) for ax, size in zip(figure.axes, sizes, strict=True)
    )


def test_a_state_stands_as_far_from_the_middle_of_its_basin_as_it_differs_in_spins():
    """On rings around the fixed point of each basin, a pattern beside its reverse."""
    run = result_of("basins").runs[0]
    ends = run.arrays["successor"].values
    for _ in range(64):
        ends = run.arrays["successor"].values[ends]
    signs = run.arrays["successor"].labels[0]
    for ax, title in zip(shown("states").axes, see.titles(shown("states")), strict=True):
        middle = signs.index(
            title.split(": ")[1].replace("−", "-") if "-" in signs[0] + signs[1] else title.split(": ")[1]
        )
        members = [state for state in range(64) if ends[state] == middle]
        apart = sorted(sum(a != b for a, b in zip(signs[state], signs[middle], strict=True)) for state in members)
        radii = np.sort(np.hypot(*np.concatenate(see.curves(ax)).T))
        rings = {k: radii[np.array(apart) == k] for k in {*apart}}
        assert len(radii) == len(members) == 16 and radii[0] == 0
        assert all(np.ptp(ring) < 1e-9 for ring in rings.values())
        assert np.diff([rings[k][0] for k in sorted({*rings} - {0})]) == pytest.approx(1)


def test_each_state_of_two_small_basins_has_its_spins():
    text = (
        'kind = "memory"\n[vocabulary]\naxes = ["1", "2", "3", "4"]\nmagnitude = "free"\n'
        "words = { own = [1, -1, -1, -1] }\n"
        '[memory]\npatterns = ["own"]\nmodel = "hopfield"\nupdate = { name = "async", order = "sequence" }\n'
        '[input]\ntokens = ["own"]\n'
    )
    axes = see.drawing(see.of_text(text), "states").axes
    spins = [text for ax in axes for text in see.texts_in(ax) if {*text} <= {"+", "−"}]
    assert len(axes) == 2 and len(spins) == len({*spins}) == 16 - 2


def test_the_states_of_many_neurons_are_lines():
    leads = array("hopfield-beside-attention", "successor")
    figure = shown("states", "hopfield-beside-attention")
    sizes = [int(title.split(" states")[0].split()[-1]) for title in see.titles(figure)]
    assert [len(see.arcs(ax)) for ax in figure.axes] == [size - 1 for size in sizes] and len(leads) == 256


def test_each_separation_is_drawn_with_softmax_behind_it_and_shares_have_a_row_of_their_own():
    figure = shown("separations", "sparse")
    axes = {"_".join(ax.get_title().split()): ax for ax in figure.axes if ax.get_title()}
    assert {*axes} == {*ha.separations}
    score, drawn = see.curves(axes["softmax"])[-1].T
    odds = np.log(drawn / (1 - drawn)) - score  # against the other scores, which are the same at each
    assert np.ptp(odds) < 1e-9, "softmax"
    for name, ax in axes.items():
        assert name == "softmax" or any(np.array_equal(curve[:, 1], drawn) for curve in see.curves(ax))
    rows = {}
    for name, ax in axes.items():
        rows.setdefault(ax.get_subplotspec().rowspan.start, []).append(name)
    parameters = {"power": {"n": 3}, "rectified_power": {"n": 3}, "k_subsets": {"k": 2}}
    random = np.abs(np.random.default_rng(1).normal(size=(20, 5)))
    for row, names in rows.items():
        sums = [ha.separations[name](**parameters.get(name, {})).weights(random).sum(axis=1) for name in names]
        assert all(np.allclose(one, 1) == (row == 0) for one in sums)


def test_cues_that_fail_are_curves_of_their_own_and_every_end_is_that_of_its_cue():
    figure = shown("energies")
    lower = []
    for ax, run in zip(figure.axes, result_of("attraction").runs, strict=False):
        energies, right = run.arrays["energy"].values[:100], run.arrays["overlaps"].values[:100] >= 0.95
        good, bad = (part.get_segments() for part in ax.collections)
        assert (len(good), len(bad)) == (
            right.sum(),
            (~right).sum(),
        ) and f"{right.sum()} of 100 recall" in ax.get_title()
        ends = np.concatenate([line[:, 1] for line in see.curves(ax)])
        assert all(np.isclose(ends, energy).any() for energy in energies[:, -1])
        medians = [np.median(energies[which, -1]) for which in (right, ~right)]
        assert all(np.isclose(ends, median).any() for median in medians)
        lower.append(bool(medians[1] < medians[0]))
    assert lower == [False, True, True] and len({ax.get_xlim() for ax in figure.axes}) == 1


@pytest.mark.parametrize(("names", "count"), [(["overlaps"], 2), (["recalls"], 2), (["overlaps", "recalls"], 1)])
def test_a_cue_is_recalled_from_the_overlap_of_95_hundredths_on_unless_it_ends_elsewhere(names, count):
    result = result_of("letters")
    arrays = result.runs[0].arrays  # the first two recall a letter, and the third the reverse of one
    arrays = {**arrays, "overlaps": replace(arrays["overlaps"], values=np.array([0.95, 0.95 - 1e-12, 1.0]))}
    run = replace(result.runs[0], arrays={name: arrays[name] for name in ("energy", *names)})
    one = replace(result, runs=(run,), figure=result.figure.model_copy(update={"names": ()}))
    assert see.titles(see.drawing(one, "energies")) == [f"{count} of 3 recall"]


def test_the_energy_of_one_cue_is_a_curve_with_its_numbers():
    ax = see.panel("letters", "energies", run="as written", query="torn X")
    energies = array("letters", "energy")[1]
    assert np.array_equal(see.curves(ax)[-1][:, 1], np.unique(energies)[::-1])
    assert [float(text.replace("−", "-")) for text in see.texts_in(ax)[:2]] == pytest.approx(energies[:2], rel=5e-3)
    one = ha.memories.hopfield([[1, 1, 1, -1]]).recall([1, 1, 1, 1])
    assert any(np.isclose(line[0, 1], one.energies[0]) for line in see.curves(see.drawing(one, "energies")))
    moving = see.changed("langevin", ensemble__cues=25, ensemble__max_steps=50)
    assert not any("converges" in text for text in see.texts(see.drawing(moving, "energies")))


def test_the_basin_has_the_mean_of_thirty_cues_at_each_overlap_with_its_error():
    ax = shown("basin").axes[0]
    runs = result_of("attraction").runs
    assert len(see.bands(ax)) == len(runs)
    for (at, low, high), line, run in zip(see.bands(ax), see.curves(ax), runs, strict=False):
        start, end = run.arrays["start"].values, run.arrays["overlaps"].values
        near = [np.abs(start - place) < 0.075 for place in line[:, 0]]
        assert [some.sum() for some in near] == [30] * 7 and at == pytest.approx(line[:, 0])
        means = np.array([end[some].mean() for some in near])
        errors = np.array([end[some].std(ddof=1) / 30**0.5 for some in near])
        assert line[:, 1] == pytest.approx(means) and high == pytest.approx(means + 2 * errors)
        assert low == pytest.approx(means - 2 * errors)


def test_the_basin_of_a_bare_recall_is_that_of_the_pattern_nearest_to_each_cue():
    """Twelve patterns of 60 spins, each cued ten times with 0 to 27 flips."""
    rng = np.random.default_rng(1)
    patterns = rng.choice([-1.0, 1.0], size=(12, 60))
    cues = np.repeat(patterns, 10, axis=0)
    for i, cue in enumerate(cues):
        cue[: 3 * (i % 10)] *= -1
    record = ha.memories.hopfield(patterns).recall(cues, update="async", keep=["overlaps", "trajectory"], rng=0)
    ax = see.panel(record, "basin")
    states = record.trajectory
    nearest = np.argmax(states[0] @ patterns.T, axis=1)
    ends = [np.mean(states[at][np.arange(120)] * patterns[nearest], axis=1) for at in (0, -1)]
    assert np.allclose(ax.collections[0].get_offsets(), np.column_stack(ends))
    for name in ("overlaps", "energies", "energy", "overlap"):
        assert see.panel(record, name, **({"query": 1} if name == "overlaps" else {})).has_data()


def test_the_line_between_two_patterns_is_krotov_and_hopfields():
    ax = shown("between").axes[0]
    for line, n in zip(see.curves(ax)[1:], (2, 3, 5, 10), strict=True):
        way, heights = line.T
        assert heights == pytest.approx(1 - (1 - way) ** n - way**n)
    assert see.ticks(ax.xaxis)[::4] == ["stripes", "halves"]


def test_the_crosstalk_is_drawn_as_shares_and_beyond_the_signal_in_another_colour():
    for ax, run in zip(shown("crosstalk").axes, result_of("crosstalk").runs, strict=True):
        boxes = [bar for bar in ax.patches if bar.get_height()]
        area = {bar.get_x() + bar.get_width() / 2: bar.get_height() * bar.get_width() for bar in boxes}
        assert sum(area.values()) == pytest.approx(1) and len({bar.get_facecolor() for bar in boxes}) == 2
        beyond = sum(share for at, share in area.items() if at > 1)
        assert beyond == pytest.approx(float(run.arrays["wrong"].values), rel=0.5)


def test_the_classes_are_drawn_as_shares_of_the_keys():
    ax = shown("classes").axes[0]
    counts = [one.values for name, one in result_of("emergence").arrays.items() if name.endswith("keys for 90 %")]
    shares = np.concatenate(counts)[:, 31:] / np.arange(32, 65)  # below 32 keys there is no class
    heads = [[] for _ in shares]
    for line in ax.lines:
        for x, y in line.get_xydata() if line.get_marker() == "o" else ():
            heads[round(x)].append(y)
    assert np.allclose([sorted(head) for head in heads], np.sort(shares))
    bare = see.panel(np.stack([np.full((40, 40), 1 / 40), np.eye(40)]), "classes")
    assert see.ticks(bare.xaxis) == ["1", "2"]


def test_the_parts_of_an_energy_add_up_to_their_sum():
    result = result_of("two-layers")
    for ax, run in zip(see.drawing(result, "parts").axes, result.runs, strict=False):
        parts = run.arrays["energies"].values[0]
        total = parts.sum(axis=0)
        heights = [line[:, 1] for line in see.curves(ax)]
        for values in (*parts, total):
            assert any(np.allclose(line, values[: len(line)]) for line in heights) or np.ptp(values) == 0
    german = see.drawing(result, "parts", lang="de")
    assert see.says(german, "„hidden“", "„visible“") == [] and not any("verdeckt" in text for text in see.texts(german))


def test_memories_beside_each_other_are_compared_by_shares():
    figure = shown("beside", "dense")
    for ax, run in zip((figure.axes[1], figure.axes[4]), result_of("dense").runs[:2], strict=True):
        weights, names = run.arrays["step 1 weights"].values[0], run.arrays["step 1 weights"].labels[1]
        some = [names.index(name) for name in see.ticks(ax.yaxis)]
        assert np.allclose(see.bars(ax), weights[some] / weights.sum())
    assert [len(see.ticks(shown("beside", "letters").axes[k].yaxis)) for k in (0, 3)] == [5, 10], (
        "each has its own patterns"
    )
    rings = [line.get_xydata().tolist() for ax in shown("beside").axes for line in ax.lines if line.get_marker() == "o"]
    assert [ring for ring in rings if ring] == [[[7, 0]]] * 2, "`damaged` is `halves`, its last neuron flipped"


def test_the_bars_of_each_update_are_the_shares_of_all_states():
    for ax, run in zip(shown("updates").axes, result_of("three-updates").runs, strict=False):
        ends = run.arrays["ends"].values
        by_row = {}
        for patch in ax.patches:
            by_row.setdefault(round(patch.get_y() + patch.get_height() / 2), []).append(patch.get_width())
        assert [sum(by_row[row]) for row in sorted(by_row)] == pytest.approx(ends.sum(axis=1))
        for row, shares in zip(sorted(by_row), ends, strict=True):
            assert max(by_row[row]) >= max(shares) - 1e-12


def test_the_leaves_of_a_tree_of_minima_are_at_their_energies():
    for ax, run in zip(shown("disconnectivity").axes, result_of("three-updates").runs, strict=False):
        heights = np.concatenate([line[:, 1] for line in see.curves(ax)])
        energies = run.arrays["energy"].values
        assert heights.min() == pytest.approx(energies.min())
        assert {*np.round(heights, 9)} & {*np.round(energies.ravel(), 9)}


def test_fixed_points_are_dots_at_their_places_filled_where_they_are_stable():
    for ax, run in zip(shown("bifurcation").axes, result_of("bifurcation").runs, strict=False):
        at, place, stable = (run.arrays[f"points-{name}"].values for name in ("at", "place", "stable"))
        for line, which in zip(see.curves(ax), (stable, ~stable.astype(bool)), strict=False):
            assert np.array_equal(line, np.column_stack([at, place])[which.astype(bool)])


@pytest.mark.parametrize("last", [0, 1, 2, 7, 11, 12, 114, 4000])
def test_a_recall_of_any_length_has_enough_frames_from_its_cue_to_its_end(last):
    every = frame_times(last)
    assert 12 <= len(every) <= 24 and (every[0], every[-1]) == (0, last) and every == sorted(every)
    assert last >= 12 or {*range(last + 1)} <= {*every}, "no step of a short recall is left out"


@pytest.mark.parametrize(("query", "ends"), [("half of R", ["its pattern", "elsewhere"]), ("torn X", ["its pattern"])])
def test_a_legend_has_no_end_that_is_not_drawn(query, ends):
    said = " ".join(see.texts(see.drawing("letters", "energies", query=query))).replace("converges to", "converges")
    assert [end for end in ("its pattern", "elsewhere") if f"converges {end}" in said] == ends
