"""The figures for specialists as data: their marks have the numbers of the run, and they refuse what shows nothing."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.as_result import weights_as_result
from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Arrows, Bars, Cells, Curve, Points, Rule
from hopattn.retrieval.weight_spread import operating_class
from tests.figures.reading import of_text
from tests.runs import result_of

CIRCUIT = 'kind = "memory_circuit"\n[circuit]\nwidths = [64, 8, 16]\nwords = 6\nlength = 30\ntriggers = 2\ntexts = 2\n'

PROBE = """kind = "probe"
probe = { layers = 2, dim = 4, length = 3, sequences = 40 }
[[variant]]
name = "four layers"
set = { "probe.layers" = 4 }
"""
TORUS = 'kind = "walk"\nwalk = { steps = 200, world = "torus", size = [6, 5], kinds = 8, planes = 6 }\n'
SALLY = """kind = "forgetting"
forgetting = { dim = 16, lengths = [0, 2, 5], trials = 10 }
[[variant]]
name = "nothing fades"
set = { "forgetting.carry" = 1 }
[[variant]]
name = "all fades"
set = { "forgetting.carry" = 0 }
"""
TREE = """kind = "landscape"
ensemble = { neurons = 9, patterns = 2, model = "hopfield" }
[states]
"""


def sheet(name, result):
    return gallery()[name].sheet(result_of(result) if isinstance(result, str) else result)


def sheet_lacks(name, result):
    return gallery()[name].lacks(result)


def marks(panel, kind):
    return [mark for mark in panel.marks if isinstance(mark, kind)]


def test_a_bar_of_a_head_is_the_median_share_of_its_keys_in_the_colour_of_its_class():
    few = np.tile(np.repeat([1 / 8, 0.0], [8, 32]), (40, 1))
    heads = np.stack([np.full((40, 40), 1 / 40), few, np.eye(40)])
    (panel,) = sheet("classes", weights_as_result(heads)).panels
    bars = {bar.key: (bar.at.tolist(), bar.values.tolist()) for bar in marks(panel, Bars)}
    assert bars == {
        "most keys (class I)": ([0], [36 / 40]),
        "many keys (class II)": ([1], [8 / 40]),
        "few keys, or one (class IV)": ([2], [1 / 40]),
    }
    assert [str(operating_class(head)) for head in heads] == ["I", "II", "IV"]
    assert panel.y_range[0] == 0, "a bar begins at 0"


def test_queries_of_fewer_keys_than_have_a_class_are_left_out():
    causal = np.tril(np.ones((40, 40))) / np.arange(1, 41)[:, None]
    (panel,) = sheet("classes", weights_as_result(causal, mask="causal")).panels
    (bar,) = marks(panel, Bars)
    shares = [np.ceil(0.9 * n - 1e-9) / n for n in range(32, 41)]
    assert bar.values[0] == pytest.approx(np.median(shares))
    assert sheet_lacks("classes", weights_as_result(causal[:31, :31], mask="causal")) != ""


def test_the_memories_of_a_circuit_are_curves_in_the_order_of_the_widths():
    result = of_text(CIRCUIT)
    (panel,) = sheet("probes", result).panels
    answers, *memories = marks(panel, Curve)
    assert answers.x.tolist() == [8, 16, 64]
    assert answers.y.tolist() == result.arrays["accuracy"].values[[1, 2, 0]].tolist()
    assert [one.y.tolist() for one in memories] == result.arrays["probes"].values[:, [1, 2, 0]].tolist()
    variants = "".join(f'[[variant]]\nname = "{i}"\nset = {{ "circuit.beta" = {i} }}\n' for i in range(1, 5))
    many = sheet("probes", of_text(CIRCUIT + variants))
    assert len(many.panels) == 3 and many.notes == ["3 of 5 runs"]


def test_what_a_probe_reads_of_positions_is_drawn_from_0_beside_chance():
    result = of_text(PROBE)
    for panel, run in zip(sheet("probes", result).panels, result.runs, strict=True):
        chance, *curves = marks(panel, Curve)
        assert np.allclose(chance.y, 1 / 3) and np.allclose(chance.error, 2 * run.arrays["standard error"].values)
        for curve, name in zip(curves, ("masked", "unmasked"), strict=True):
            assert np.array_equal(curve.y, run.arrays[f"{name} accuracy"].values)
        assert panel.y_range[0] == 0, "an axis that is cut makes an effect look larger than it is"


def test_gradients_have_one_colour_for_each_normalisation():
    drawn = sheet("gradients", "vanishing-gradients")
    norms = result_of("vanishing-gradients").arrays["scores_norm"]
    curves = [curve for panel in drawn.panels for curve in marks(panel, Curve)]
    assert [panel.title for panel in drawn.panels] == ["with residuals", "without residuals"]
    assert np.array_equal([curve.y for curve in curves], np.maximum(norms.values, 1e-12))
    assert [rule.y for panel in drawn.panels for rule in marks(panel, Rule)] == [1e-12] * 2, (
        "the foot is for the vanished"
    )
    assert len({curve.colour for curve in curves}) == len({curve.name for curve in curves}) == 3
    assert drawn.notes == ["1 of 2 runs"]


def test_a_map_has_the_response_of_positions_and_of_all_memories_at_each_place():
    result = of_text(TORUS)
    grid, fields = (result.runs[0].arrays[name].values for name in ("grid", "fields"))
    positions, memories = (marks(panel, Cells)[0].values for panel in sheet("maps", result).panels)
    assert np.array_equal(positions, grid[:, 0].reshape(6, 5))
    assert np.array_equal(memories, fields.max(axis=0).reshape(6, 5)) and np.sum(memories > 0.9) == len(fields)


def test_a_world_that_is_no_lattice_is_a_list_of_places_with_their_names():
    lists = [marks(panel, Cells)[0] for panel in sheet("maps", "rooms").panels]
    assert all(one.values.shape == (8, 1) and one.rows[0] == "hall" for one in lists)


def test_a_walk_shows_the_share_of_right_predictions_at_each_place():
    noise = '[[variant]]\nname = "noisy"\nset = { "walk.noise" = 30 }\n'
    result = of_text(TORUS + noise)
    panels = sheet("walk", result).panels
    for panel, run in zip(panels, result.runs, strict=True):
        (cells,) = marks(panel, Cells)
        sort, right, place = (run.arrays[name].values for name in ("sort", "right", "place"))
        for number in range(1, 31):
            at = (sort != "first visit") & (place == number)
            assert not at.any() or cells.values.ravel()[number - 1] == pytest.approx(right[at].mean())
    accuracy, new = (float(result.runs[1].arrays[f"accuracy{of}"].values) for of in ("", " on new edges"))
    percent = round(100 * accuracy), round(100 * new)
    assert panels[1].title == "noisy\n{} % right\nnew edges: {}\u00a0%".format(*percent)


def test_a_place_that_is_never_seen_again_is_hatched():
    walk = of_text('kind = "walk"\n[walk]\nsteps = 60\nworld = "grid"\nsize = [2, 30]\n')
    (cells,) = marks(sheet("walk", walk).panels[0], Cells)
    seen = np.unique(walk.arrays["place"].values[walk.arrays["sort"].values != "first visit"])
    assert cells.values.shape == (2, 30) and np.sum(~cells.hidden) == len(seen) and cells.key == "never seen again"


def test_forgetting_is_its_means_with_their_intervals_and_the_law():
    result = of_text(SALLY)
    drawn = sheet("forgetting", result)
    for panel, run in zip(drawn.panels, result.runs, strict=False):
        *laws, without, with_attention = marks(panel, Curve)
        for i, curve in enumerate((with_attention, without)):
            assert np.array_equal(curve.y, run.arrays["accuracy"].values[i])
            ends = [run.arrays[f"accuracy-{end}"].values[i] for end in ("low", "high")]
            assert np.array_equal(curve.error, np.abs(ends - curve.y))
        assert np.array_equal([law.y for law in laws], run.arrays["accuracy-law"].values)
    assert drawn.notes == ["bars: 95 % interval (Wilson) of 10 texts", "2 of 3 runs"]


def test_valleys_have_the_energies_of_minima_and_the_highest_wall_between_two_is_their_lowest_pass():
    arrays = result_of("three-updates").runs[0].arrays
    energy, barriers, leaves = arrays["energy"].values, arrays["barriers"].values, arrays["energy"].labels[0]
    (panel,) = sheet("disconnectivity", "three-updates").panels
    valleys = marks(panel, Curve)
    named = {x: name for one in marks(panel, Points) for name, (x, _) in zip(one.names, one.at, strict=False)}
    patterns = {leaves.index(named[x]): i for i, x in enumerate(1 + 2 * np.arange(len(valleys))) if x in named}
    assert {leaves[leaf] for leaf in patterns} == {"pattern 1", "pattern 2", "pattern 3"}
    assert all(valleys[i].y.min() == energy[leaf] for leaf, i in patterns.items())
    for leaf, i in patterns.items():
        for other, j in patterns.items():
            assert i >= j or max(valleys[k].y[-1] for k in range(i, j)) == barriers[leaf, other]
    assert panel.title == "6 of 14 minima", "six are deep: the patterns and their reverses"


def test_an_arrow_climbs_from_a_pattern_to_its_lowest_pass_and_names_the_barrier():
    drawn = sheet("disconnectivity", "depth")
    for panel, barrier in zip(drawn.panels, (2, 128), strict=True):
        arrow, (*_, name) = marks(panel, Arrows)[0], marks(panel, Points)
        assert name.names == [f"barrier {barrier}"] and np.ptp(arrow.start, axis=0) == pytest.approx([0, barrier])
    assert drawn.shared == "" and drawn.panels[0].y_range != drawn.panels[1].y_range, "these energies are of two kinds"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("classes", CIRCUIT, "32 keys or more"),
        ("probes", 'kind = "gradients"\n[gradients]\nmagnitudes = [1, 2]\n', "no probes"),
        ("gradients", CIRCUIT, "no gradients"),
        ("maps", 'kind = "walk"\nwalk = { steps = 60, world = "torus", size = [9], planes = 0 }\n', "no positions"),
        ("maps", CIRCUIT, "no world"),
        ("walk", CIRCUIT, "no world"),
        ("walk", 'kind = "walk"\nwalk = { steps = 1, world = "torus", size = [9] }\n', "never comes back"),
        ("forgetting", 'kind = "forgetting"\nforgetting = { lengths = [3], trials = 2 }\n', "two lengths"),
        ("disconnectivity", CIRCUIT, "no two minima"),
    ],
)
def test_what_shows_nothing_is_refused_with_the_reason(name, text, reason):
    with pytest.raises(ha.InvalidInput, match=reason):
        sheet(name, of_text(text))


def test_the_title_of_classes_has_the_least_and_the_largest_share():
    shares = [
        share for panel in sheet("classes", "emergence").panels for bar in marks(panel, Bars) for share in bar.values
    ]
    title = "heads need from {} to {} % of the keys for 90 % of their weight"
    assert sheet("classes", "emergence").title == title.format(*(round(100 * end(shares)) for end in (min, max)))
