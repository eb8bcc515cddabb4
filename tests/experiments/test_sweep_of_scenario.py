"""A scenario over a grid: its keys are known by their last part, and its measures equal those of single runs."""

import numpy as np
import pytest
from matplotlib.text import Text

import hopattn as ha
from tests.refusal import refused
from tests.texts import parsed

LETTERS, CAPACITY, PHASES, BANK = map(ha.load, ("letters", "capacity", "phases", "bank"))
WEIGHT = "layer 1 head 1 weights[banks, financial]"
SMALL = {"overrides": {"ensemble.neurons": 60, "ensemble.max_steps": 3}, "workers": 1}


def swept(scenario, over=None, **more):
    return ha.experiments.sweep_scenario(scenario, over, **{"workers": 1, **more})


def shapes(sweep):
    return {name: rows.shape for name, rows in sweep.values.items()}


@pytest.mark.parametrize(
    ("scenario", "key", "path"),
    [
        (LETTERS, "max_steps", "memory.max_steps"),
        (LETTERS, "memory.max_steps", "memory.max_steps"),
        (LETTERS, 'cue."torn X".flip', 'cue."torn X".flip'),
        (BANK, "beta", "layer.head.beta"),
        (BANK, "layer.1.head.1.beta", "layer.1.head.1.beta"),
        (BANK, "head.beta", "layer.head.beta"),
        (CAPACITY, "load", "ensemble.load"),
    ],
)
def test_a_key_is_known_by_its_last_part(scenario, key, path):
    value = 1 if "step" in key or "beta" in key else 0.1
    sweep = swept(scenario, {key: (value,)}, overrides=SMALL["overrides"] if scenario is CAPACITY else None)
    assert sweep.about["keys"] == {key: path} and sweep.axes == {key: (value,)}


def test_a_point_is_a_run_with_that_number():
    sweep = swept(BANK, {"beta": (0.5, 1, 2)}, measures=[WEIGHT, "met"])
    for i, beta in enumerate((0.5, 1, 2)):
        result = ha.run(BANK, overrides={"layer.head.beta": beta})
        weights = result.arrays["layer 1 head 1 weights"]
        place = [rows.index(word) for rows, word in zip(weights.labels, ("banks", "financial"), strict=True)]
        assert sweep.mean(WEIGHT)[i] == weights.values[*place]
        met = [one.met for one in result.expectations if not one.run]
        assert sweep.mean("met")[i] == np.mean([one for one in met if one is not None])
    similarity = swept(ha.load("similarity"), {"network.neurons.neuron.1": (0.8,)})  # the measure where none is named
    assert list(similarity.values) == ["met"] and similarity.mean("met") == [1]
    assert sweep.about["scenario"] == "bank" and sweep.scenario.name == "bank"


def test_the_mean_of_an_array_is_a_measure():
    sweep = swept(LETTERS, {"max_steps": (1, 50)}, measures=["steps"])
    runs = [ha.run(LETTERS, overrides={"memory.max_steps": steps}) for steps in (1, 50)]
    assert sweep.mean("steps").tolist() == [run.arrays["steps"].values.mean() for run in runs]


def test_the_file_says_what_is_swept_and_is_overruled(tmp_path):
    file, few = (
        tmp_path / "points.jsonl",
        {"ensemble.neurons": 20, "sweep.trials": 2, "sweep.over": {"load": [0.1, 0.2]}},
    )
    sweep = swept(CAPACITY, file=file, overrides=few)
    assert shapes(sweep) == {"overlap": (2, 2), "recalled": (2, 2)} and sweep.axes == {"load": (0.1, 0.2)}
    again = ha.load(file)
    assert np.array_equal(again.values["recalled"], sweep.values["recalled"])
    assert again.about == sweep.about and {**again.axes} == {**sweep.axes} and again.about["seed"] == CAPACITY.spec.seed
    other = swept(CAPACITY, {"flip": (0, 0.2)}, trials=1, measures=["overlap"], rng=7, overrides=few)
    assert shapes(other) == {"overlap": (2, 1)} and other.about["seed"] == 7
    assert shapes(swept(PHASES, {"load": (0.1,)}, **SMALL))["overlap"] == (1, PHASES.spec.sweep.trials)


def test_random_numbers_do_not_change_with_a_comment_nor_with_the_measures(tmp_path):
    file, load = tmp_path / "other.toml", {"load": (0.3, 0.4)}
    file.write_text(f"# my own copy\n{CAPACITY.text}\n# and a last remark\n")
    few = {"overrides": {"ensemble.neurons": 30}, "trials": 3}
    one, other = swept(CAPACITY, load, **few), swept(ha.load(file), load, measures=["met", "recalled"], **few)
    assert (
        np.array_equal(one.values["recalled"], other.values["recalled"]) and len(np.unique(one.values["overlap"])) > 3
    )


def test_trials_are_independent_and_do_not_depend_on_the_workers():
    one, two = (swept(PHASES, {"load": (0.1, 0.2)}, trials=4, **{**SMALL, "workers": n}) for n in (1, 2))
    assert np.array_equal(one.values["overlap"], two.values["overlap"])
    assert len(np.unique(one.values["overlap"])) > 2


def test_a_sweep_of_a_memory_records_what_its_cues_recall():
    """The letters: two of three cues reach their letter, the third ends at the reverse of it."""
    arrays, spec = ha.run(LETTERS).arrays, LETTERS.spec
    letters = [arrays["patterns"].values[arrays["patterns"].labels[0].index(spec.cue[name].of)] for name in spec.tokens]
    overlaps = [state @ letter / 35 for state, letter in zip(arrays["state"].values, letters, strict=True)]
    assert arrays["overlaps"].values == pytest.approx(overlaps)
    little = {'cue."torn X".flip': 0.03}  # one pixel, which no draw of it keeps from its letter
    sweep = swept(LETTERS, {"max_steps": (50,)}, overrides=little)
    assert sweep.mean("overlap")[0] == pytest.approx(np.mean(overlaps))
    assert sweep.mean("recalled")[0] == pytest.approx(2 / 3)


def test_a_cue_that_belongs_to_no_pattern_has_no_overlap():
    few = ha.run(LETTERS, overrides={"memory.patterns": ["J", "V", "X"]}).runs[0].arrays
    assert few["overlaps"].labels == (("torn X",),) and few["recalled"].values == 1
    none = ha.run(LETTERS, overrides={"memory.patterns": ["J", "V"]}).runs[0].arrays
    assert not {"overlap", "overlaps", "recalled"} & {*none}


@pytest.mark.parametrize("measure", ["nearest", "recalls", "nearest word[torn X]"])
def test_words_and_what_has_no_mean_are_neither_offered_nor_recorded(measure):
    with pytest.raises(ha.InvalidInput, match="has no mean") as refused:
        swept(LETTERS, {"max_steps": (1, 2)}, measures=[measure])
    offered = str(refused.value).partition("(choices: ")[2].rstrip(")").split(", ")
    assert {"overlap", "recalled", "steps", "met"} <= set(offered)
    assert not {"nearest", "nearest word", "recalls", "status", "visits", "spurious", "of", "patterns"} & set(offered)


def test_the_rules_of_a_model_are_an_axis(tmp_path):
    """Storkey's rule keeps more patterns than Hebb's; each point is a run of the file with that rule."""
    file, few = tmp_path / "points.jsonl", {"ensemble.neurons": 60}
    axes = {"rule": "storkey,hebb", "load": (0.1, 0.3)}
    sweep = swept(CAPACITY, axes, trials=4, measures=["overlap"], overrides=few, file=file)
    assert sweep.axes["rule"] == ("storkey", "hebb")
    storkey, hebb = sweep.mean("overlap")
    assert storkey[1] > hebb[1] + 0.1
    hebbian = few | {"model.rule": "hebb"}
    alone = swept(CAPACITY, {"load": (0.1, 0.3)}, trials=40, measures=["overlap"], overrides=hebbian)
    half = np.ptp(alone.interval("overlap"), axis=0)[1] + np.ptp(sweep.interval("overlap"), axis=0)[1, 1]
    assert abs(alone.mean("overlap")[1] - hebb[1]) < 2 * half
    assert ha.load(file).axes["rule"] == ("storkey", "hebb") and "storkey,0.1," in sweep.to_csv()
    assert "rule storkey, hebb (2)" in repr(sweep)


def test_a_load_is_the_patterns_stored_by_the_neurons_and_the_theory_stays_when_the_file_is_drawn(tmp_path):
    """80 neurons at .13 hold 10 patterns, at .135 and .14 the same 11: three loads of five, .125 and .1375."""
    file, few = tmp_path / "points.jsonl", {"ensemble.neurons": 80, "ensemble.max_steps": 3}
    asked = (0.05, 0.1, 0.13, 0.135, 0.14)
    sweep = swept(CAPACITY, {"load": asked}, trials=2, overrides=few, file=file)
    for one in (sweep, ha.load(file)):
        assert one.axes == {"load": (0.05, 0.1, 0.125, 0.1375)} and one.shares == ("recalled",)
        rows = [(row["load"], row["patterns"], row["neurons"]) for row in one.table()]
        assert rows == [(0.05, 4, 80), (0.1, 8, 80), (0.125, 10, 80), (0.1375, 11, 80)]
        alone = swept(CAPACITY, {"load": (0.135,)}, trials=2, overrides=few)
        assert one.mean("overlap")[3] == alone.mean("overlap")[0], "of equal sizes, the first that was asked for"
        texts = {text.get_text() for text in one.plot()[0].findobj(Text)}
        assert "theory, N → ∞" in texts and "load α = P/N" in texts


def test_two_sizes_have_the_loads_of_both_and_gaps_where_one_has_none():
    few = {"ensemble.max_steps": 2}
    sweep = swept(CAPACITY, {"load": (0.1, 0.13), "neurons": (20, 40)}, measures=["overlap"], overrides=few)
    assert sweep.axes["load"] == (0.1, 0.125, 0.15) and sweep.sizes["patterns"].tolist() == [[2, 4], [0, 5], [3, 0]]
    assert np.isnan(sweep.mean("overlap")).tolist() == [[False, False], [True, False], [False, True]]
    rows = [(row["load"], row["neurons"], row["patterns"]) for row in sweep.table()]
    assert rows == [(0.1, 20, 2), (0.1, 40, 4), (0.125, 40, 5), (0.15, 20, 3)]


def test_models_are_an_axis():
    more = {"overrides": {"ensemble.neurons": 40, "load": 0.5}, "measures": ["recalled"]}
    sweep = swept(CAPACITY, {"model": ["hopfield", "dense"]}, **more)
    assert sweep.mean("recalled")[1] == 1 > sweep.mean("recalled")[0]


@pytest.mark.parametrize(
    ("table", "line", "place", "words"),
    [
        ('measures = ["gain"]\nover.load = [0.1]', 1, "sweep.measures.1", ["'gain' is unknown", "overlap"]),
        ('measures = ["overlap", "status"]\nover.load = [0.1]', 1, "sweep.measures.2", ["no mean", "overlap"]),
        ('over.rule = ["hebb", "stork"]', 1, "sweep.over", ["rule = stork", "'storkey'"]),
        ("over.load = [-1, 0.1]", 1, "sweep.over", ["load = -1", "more than 0"]),
        ('measures = ["overlaps[11]"]\nover.load = [0.1]', None, "", ["file.toml: ", "load = 0.1", "'11'"]),
    ],
)
def test_a_fault_of_the_sweep_of_a_file_names_the_file(table, line, place, words):
    text = f"{CAPACITY.text.partition('[sweep]')[0]}[sweep]\n{table}\n"
    start = "" if line is None else f"file.toml:{text.splitlines().index('[sweep]') + 1 + line}: {place}: "
    refused(lambda: swept(parsed(text), trials=1), start, *words)
