"""Kinds of circuits, whose arrays are those of `ha.circuits`: probes of positions, walks, circuits of memories."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.kinds import kinds
from tests.draws import count
from tests.texts import parsed

CIRCUIT = kinds["memory_circuit"].template().partition("[[expect]]")[0].replace("[16, 128, 512]", "[16, 64]")
CIRCUIT = (
    CIRCUIT.replace("words = 20", "words = 8")
    .replace("length = 64", "length = 40")
    .replace("triggers = 3", "triggers = 2")
)
TEMPLATE = kinds["probe"].template()
SMALL = TEMPLATE.replace("dim = 32", "dim = 4").replace("sequences = 400", "sequences = 20")


def verdicts(text):
    return ha.run(parsed(text)).expectations


def test_the_arrays_are_those_of_the_function():
    run = ha.run(parsed(TEMPLATE))
    rng = np.random.default_rng(0)
    blocks = ha.circuits.random_blocks(2, 32, 2, rng=rng)
    texts = ha.circuits.random_texts(400, 6, n_words=1000, dim=32, rng=rng)
    masked, unmasked = (ha.circuits.position_probe(blocks, texts, mask=mask) for mask in ("causal", None))
    numbers = {"masked accuracy": masked.accuracy, "unmasked accuracy": unmasked.accuracy, "line accuracy": masked.line}
    numbers |= {"rest accuracy": masked.rest, "masked distance": masked.distance, "accuracy": masked.accuracy[-1]}
    numbers |= {"unmasked length": unmasked.mean_length, "standard error": 1 / (6 * np.sqrt(200))}
    for name, expected in numbers.items():
        np.testing.assert_allclose(run.arrays[name].values, expected, rtol=1e-9)
    assert run.arrays["masked accuracy"].labels[0] == ("words", "layer 1", "layer 2")


def test_a_verdict_is_a_comparison_with_chance_in_standard_errors():
    met = verdicts(TEMPLATE)
    assert [outcome.met for outcome in met] == [True, True]
    assert met[1].expected.startswith("0.166667 ± 0.0471")  # 4 / (6 × √200)
    swapped = TEMPLATE.replace("above chance", "X").replace('"at chance"', '"above chance"').replace("X", "at chance")
    assert [outcome.met for outcome in verdicts(swapped)] == [False, False]
    assert [outcome.met for outcome in verdicts(TEMPLATE + "errors = 1e-6\n")] == [True, False]
    strict = verdicts(TEMPLATE.replace('"above chance"', '"above chance"\nerrors = 100'))
    assert [outcome.met for outcome in strict] == [False, True]


@pytest.mark.parametrize("seed", count([6, 11, *range(12, 30)], [6]))
def test_the_shipped_probe_meets_its_expectations_for_other_random_weights(seed):
    assert ha.run(ha.load("position-probe"), rng=seed).ok


def test_a_layer_is_named_by_its_number_and_the_words_by_0():
    text = TEMPLATE.replace('probe = "unmasked"', 'probe = "masked"\nlayer = 0')
    outcome = verdicts(text)[1]
    accuracy = ha.run(parsed(TEMPLATE)).arrays["masked accuracy"].values[0]
    assert outcome.computed == f"{accuracy:.6g}"
    assert outcome.expectation == "masked probe of the words is at chance"


def test_another_norm_and_another_mask_give_other_numbers():
    base = ha.run(parsed(SMALL)).arrays
    for change in ({"probe.norm": "first"}, {"probe.mask": "strict"}, {"probe.common": 0}, {"probe.heads": 1}):
        other = ha.run(parsed(SMALL), overrides=change).arrays
        assert not np.allclose(base["masked length"].values, other["masked length"].values), change
    same = ha.run(parsed(SMALL), overrides={"probe.mask": "none"}).arrays
    np.testing.assert_array_equal(same["masked accuracy"].values, same["unmasked accuracy"].values)


def test_the_working_states_chance_and_each_layer():
    lines = ha.run(parsed(SMALL), explain=True).runs[0].working
    assert lines[0] == "chance: one of 6 places, 1/6 ≈ .1667"
    assert lines[1] == "standard error at chance: at most 1/(6×√10) ≈ .0527, for 10 texts"
    assert [line.partition(":")[0] for line in lines[2:5]] == ["words", "layer 1", "layer 2"]


def test_the_arrays_are_the_curves_of_the_circuit():
    result = ha.run(parsed(CIRCUIT), 5, explain=True)
    arrays = result.arrays
    assert arrays["probes"].labels == (("previous word", "same word", "output"), ("16", "64"))
    for i, name in enumerate(arrays["probes"].labels[0]):
        assert [arrays[f"{name} at {d}"].values for d in (16, 64)] == arrays["probes"].values[i].tolist()
    assert [arrays[f"accuracy at {d}"].values for d in (16, 64)] == arrays["accuracy"].values.tolist()
    assert arrays["capacity"].values.tolist() == [ha.circuits.recall_width(39), ha.circuits.recall_width(8, spread=2)]
    assert arrays["expected recall"].values[1, 0] == ha.circuits.outer_product_recall(8, 16, spread=2)
    assert any("√(16 × 8 × ln 8) = 16.31" in line for line in result.runs[0].working)


HEAD = 'schema = 1\ntitle = "a walk"\nsource = "ours"\nkind = "walk"\n[walk]\n'
TORUS = HEAD + 'world = "torus"\nsize = [4, 5]\nsteps = 300\n'
GRAPH = HEAD + "steps = 20\nangles = { go = [90, 0], over = [0, 180] }\n[walk.graph]\n"
GRAPH += 'edges = [["a", "go", "b"], ["b", "over", "c"]]\ninverse = { go = "back", over = "over" }\n'


def arrays_of(text):
    return {name: array.values for name, array in ha.run(parsed(text)).arrays.items()}


def test_the_measures_follow_from_the_steps():
    arrays = arrays_of(TORUS + "planes = 0\nkinds = 3\nnoises = [0, 3]\n")
    revisits = arrays["sort"] != "first visit"
    new = arrays["sort"] == "new edge"
    right = arrays["predicted"] == arrays["seen"]
    kind_at = arrays["world"][:, 2]
    assert (arrays["seen"] == kind_at[arrays["place"] - 1]).all()
    assert (right == arrays["right"]).all()
    assert arrays["accuracy"] == right[revisits].mean() < 1
    assert arrays["accuracy on new edges"] == right[new].mean()
    assert (arrays["revisits"], arrays["new edges"]) == (revisits.sum(), new.sum())
    assert arrays["chance"] == np.bincount(arrays["seen"][revisits].astype(int)).max() / revisits.sum()
    assert np.bincount(kind_at.astype(int))[1:].tolist() == [7, 7, 6]
    np.testing.assert_array_equal(arrays["by noise"], [[right[revisits].mean(), right[new].mean()]] * 2)


def test_the_links_are_those_of_the_torus():
    links = arrays_of(TORUS)["links"]
    around = {frozenset((5 * i + j + 1, place + 1)) for i in range(4) for j in range(5)
              for place in (5 * i + (j + 1) % 5, 5 * ((i + 1) % 4) + j)}  # fmt: skip
    assert {frozenset(map(int, link)) for link in links} == around and len(links) == len(around) == 40


def test_the_file_gives_what_the_function_gives():
    arrays = arrays_of(TORUS + "noise = 3\nbeta = 20\nkinds = 7\n")
    options = {"steps": 300, "kinds": 7, "noise": 3, "beta": 20, "rng": np.random.default_rng(0)}
    walk = ha.circuits.walk(ha.circuits.World.torus(4, 5), **options)
    assert (arrays["predicted"] == walk.predicted + 1).all() and arrays["accuracy"] == walk.accuracy
    noiseless = arrays_of(TORUS + "beta = 20\nkinds = 7\n")
    assert noiseless["stray weight"] == walk.with_noise(0).stray_weight


def test_a_walk_with_noise_has_no_bound_of_the_stray_weight():
    """A quarter of the predictions are wrong; at exact positions the weight would be next to nothing."""
    run = ha.run(parsed(TORUS + "noise = 16\n"), explain=True).runs[0]
    assert "stray weight" not in run.arrays and float(run.arrays["accuracy"].values) < 0.9
    assert not any("every revisit is right" in line or "stray" in line for line in run.working)
    assert any("before the noise" in line for line in run.working)


def test_a_graph_is_walked_both_ways():
    arrays = arrays_of(GRAPH)
    assert arrays["links"].tolist() == [[1, 2], [2, 3]]
    assert arrays["gap"] == pytest.approx(0.5)  # a and b: (cos 90° + 1)/2; b and c: 0; a and c: (0 − 1)/2
    assert arrays["accuracy"] == 1
    assert arrays["new edges"] == 0  # a path has no loop
