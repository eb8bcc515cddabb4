"""The figures for specialists as data: their marks have the numbers of the run, and they refuse what shows nothing."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.as_result import weights_as_result
from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Arrows, Bars, Cells, Curve, Points
from hopattn.retrieval.weight_spread import operating_class
from hopattn.scenario.loading import parse
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


def of_text(text):
    return ha.run(parse(f'schema = 1\ntitle = "odd"\nsource = "ours"\n{text}', "odd.toml", "odd"))


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
    assert len(many.panels) == 4 and many.title == "odd" and many.notes == ["4 of 5 runs"]


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
    assert drawn.panels[0].y_ticks[1e-12] == "≤ 10⁻¹²", "what has vanished is drawn at the foot"
    assert len({curve.colour for curve in curves}) == len({curve.name for curve in curves}) == 3
    assert drawn.notes == ["1 of 2 runs"]


def test_a_map_has_the_response_at_each_place_and_frames_the_one_place_of_a_memory():
    result = of_text(TORUS)
    arrays = result.runs[0].arrays
    positions, memory = (marks(panel, Cells)[0] for panel in sheet("maps", result).panels)
    assert positions.values.ravel().tolist() in arrays["grid"].values.T.tolist() and not positions.framed
    field = arrays["fields"].values[2]
    assert np.array_equal(memory.values.ravel(), field) and memory.framed == [divmod(int(field.argmax()), 5)]


def test_a_world_that_is_no_lattice_is_a_list_of_places_with_their_names():
    panels = sheet("maps", "rooms").panels
    lists = [marks(panel, Cells)[0] for panel in panels]
    assert all(one.values.shape == (8, 1) and one.rows[0] == "hall" for one in lists)
    assert panels[1].title == "memory of landing"


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
    assert panels[1].title == "noisy\n{} % right\nnew edges: {} %".format(*percent)


def test_a_place_that_is_never_seen_again_is_hatched():
    walk = of_text('kind = "walk"\n[walk]\nsteps = 60\nworld = "grid"\nsize = [2, 30]\n')
    (cells,) = marks(sheet("walk", walk).panels[0], Cells)
    seen = np.unique(walk.arrays["place"].values[walk.arrays["sort"].values != "first visit"])
    assert cells.values.shape == (2, 30) and np.sum(~cells.hidden) == len(seen) and cells.key == "never seen again"


def test_forgetting_is_its_means_with_their_errors_and_the_law():
    result = of_text(SALLY)
    drawn = sheet("forgetting", result)
    for panel, run in zip(drawn.panels, result.runs, strict=False):
        *laws, with_attention, without = marks(panel, Curve)
        for i, (curve, points) in enumerate(zip((with_attention, without), marks(panel, Points), strict=True)):
            assert np.array_equal(curve.y, run.arrays["accuracy"].values[i])
            assert np.array_equal(points.at[:, 1], curve.y) and points.hollow == (i == 0)
            assert np.array_equal(curve.error, 2 * run.arrays["accuracy-error"].values[i])
        assert np.array_equal([law.y for law in laws], run.arrays["accuracy-law"].values)
    assert drawn.notes == ["2 of 3 runs"]


def test_leaves_are_minima_at_their_energies_and_branches_join_at_the_lowest_pass():
    result = of_text(TREE)
    arrays = result.runs[0].arrays
    (panel,) = sheet("disconnectivity", result).panels
    (lines,) = marks(panel, Arrows)
    leaves = np.vstack([points.at for points in marks(panel, Points)])
    assert np.allclose(np.sort(leaves[:, 1]), np.sort(arrays["energy"].values))
    passes = {round(float(y), 6) for y in lines.end[:, 1] if y > leaves[:, 1].min()} - {*leaves[:, 1].round(6).tolist()}
    assert passes <= {*arrays["barriers"].values.round(6).ravel().tolist()}
    named = {name for points in marks(panel, Points) for name in points.names if name}
    assert named == {"pattern 1", "pattern 2"}, "patterns alone have names"


def test_trees_of_energies_that_cannot_be_compared_have_axes_of_their_own():
    drawn = sheet("disconnectivity", "depth")
    assert drawn.shared == "" and drawn.panels[0].y_range != drawn.panels[1].y_range
    assert drawn.notes[0] == "6 of 44 minima; the others are flat or high"


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


def test_titles_say_what_the_numbers_are():
    titles = {
        "classes": "layer 1 averages over most keys, layer 2 picks few",
        "disconnectivity": "the patterns and their reverses are the deepest minima",
        "probes": "at width 128 each memory is right, and only 35 % of the answers",
    }
    for name, title in titles.items():
        assert sheet(name, gallery()[name].scenario).title == title
    assert sheet("disconnectivity", "depth").title == "how deep each minimum lies; branches join at the lowest pass"
