"""A scenario over a grid: its keys are found, its measures equal those of single runs, wrong input is refused."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.experiments.sweep.table import load_sweep
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.grids import axes_from
from hopattn.scenario.language.sweep_table import path_of
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import problems

WRITTEN = {
    "schema": 1,
    "seed": 3,
    "memory": {"beta": 8.0, "update": {"name": "glauber", "temperature": 0.3}, "values": None, "patterns": ["a"]},
    "layer": [{"head": [{"beta": 1.0, "scale": 2}]}, {"head": [{"beta": 1.0, "scale": 2}]}],
    "sweep": {"trials": 3},
    "cue": {"half of R": {"flip": 0.1}},
}
MIXED = """schema = 1
title = "t"
source = "s"
kind = "memory"
[vocabulary]
axes = ["1", "2", "3"]
magnitude = "free"
[vocabulary.words]
a = [1, 1, 1]
b = [1, -1, 1]
c = [1, 1, -1]
[memory]
patterns = ["a", "b"]
model = "nearest"
[input]
tokens = ["a", "c"]
"""
BANK = "layer 1 head 1 weights[banks, financial]"


@each(
    ("key", "path"),
    [
        ("temperature", "memory.update.temperature"),
        ("update.temperature", "memory.update.temperature"),
        ("memory.beta", "memory.beta"),
        ("scale", "layer.head.scale"),
        ("layer.head.beta", "layer.head.beta"),
        ("layer.2.head.1.beta", "layer.2.head.1.beta"),
        ("values", "memory.values"),
        ("flip", 'cue."half of R".flip'),
        ('cue."half of R".flip', 'cue."half of R".flip'),
    ],
)
def test_a_key_is_found_by_its_last_part(key, path):
    assert path_of(key, WRITTEN) == path


@each(
    ("key", "message"),
    [
        ("beta", "occurs several times; write memory.beta or layer.head.beta"),
        ("temprature", "'temprature' is unknown; did you mean 'temperature'"),
        ("memory.bta", "did you mean 'memory.beta'"),
        ('cue."half of S".flip', "did you mean 'cue.\"half of R\".flip'"),
        ("cue.half of R.flip", "is not a path"),
        ("name", "is unknown"),
        ("patterns", "is unknown"),
        ("seed", "is unknown"),
        ("trials", "is unknown"),
    ],
)
def test_a_key_that_is_not_a_number_of_the_file_is_reported(key, message):
    with pytest.raises(InvalidInput, match=message):
        path_of(key, WRITTEN)


def test_a_point_is_a_run_with_that_number():
    found = ha.experiments.sweep_scenario(ha.load("bank"), {"beta": (0.5, 1, 2)}, measures=[BANK, "met"], workers=1)
    for beta, weight in zip((0.5, 1, 2), found.mean(BANK), strict=True):
        result = ha.run(ha.load("bank"), overrides={"layer.head.beta": beta})
        weights = result.arrays["layer 1 head 1 weights"]
        place = [rows.index(word) for rows, word in zip(weights.labels, ("banks", "financial"), strict=True)]
        assert weight == weights.values[*place]


def test_the_part_of_what_is_expected_that_is_met_is_the_measure_of_a_file_without_another():
    found = ha.experiments.sweep_scenario(ha.load("similarity"), {"network.neurons.neuron.1": (0.8,)}, workers=1)
    assert list(found.values) == ["met"] and found.mean("met") == [1]


def test_the_mean_of_an_array_is_a_measure():
    found = ha.experiments.sweep_scenario(ha.load("letters"), {"max_steps": (1, 50)}, measures=["steps"], workers=1)
    runs = [ha.run(ha.load("letters"), overrides={"memory.max_steps": steps}) for steps in (1, 50)]
    assert found.mean("steps").tolist() == [run.arrays["steps"].values.mean() for run in runs]


def test_the_file_says_what_is_swept_and_is_overruled(tmp_path):
    text = """schema = 1
title = "t"
source = "ours"
kind = "ensemble"
[ensemble]
neurons = 30
load = 0.1
model = "hopfield"
[sweep]
over = { load = "0.1:0.3:3", flip = [0, 0.1] }
trials = 2
measures = ["overlap", "steps"]
"""
    scenario = parse(text, "t.toml", "t")
    found = ha.experiments.sweep_scenario(scenario, workers=1, file=tmp_path / "points.jsonl")
    assert {name: rows.shape for name, rows in found.values.items()} == {"overlap": (3, 2, 2), "steps": (3, 2, 2)}
    assert found.axes == {"load": (0.1, 0.2, 0.3), "flip": (0, 0.1)}
    again = load_sweep(tmp_path / "points.jsonl")
    assert all(np.array_equal(again.values[name], rows) for name, rows in found.values.items())
    other = ha.experiments.sweep_scenario(scenario, {"flip": (0, 0.2)}, trials=1, measures=["recalled"], workers=1)
    assert {name: rows.shape for name, rows in other.values.items()} == {"recalled": (2, 1)}


def test_trials_are_independent_and_do_not_depend_on_the_workers():
    over = {"load": (0.1, 0.2)}
    arguments = {"trials": 4, "measures": ["overlap"], "overrides": {"ensemble.neurons": 60, "ensemble.max_steps": 3}}
    alone, two = (ha.experiments.sweep_scenario(ha.load("phases"), over, workers=n, **arguments) for n in (1, 2))
    assert np.array_equal(alone.values["overlap"], two.values["overlap"])
    assert len(np.unique(alone.values["overlap"])) > 2


@each(
    ("over", "arguments", "message"),
    [
        ({"lod": (1,)}, {}, "'lod' is unknown; did you mean 'load'"),
        ({"load": (-1, 0.1)}, {}, "load = -1: .*load: got -1; expected more than 0"),
        ({"cues": (0.5, 1)}, {}, "cues: got 0.5; expected a whole number"),
        ({"load": (0.1,)}, {"measures": ["overlp"]}, "'overlp' is unknown; did you mean 'overlap'"),
        (
            {"load": (0.1,)},
            {"measures": ["status"]},
            r"measure 'status': 'status' has no mean \(choices: converged, met",
        ),
        ({"load": "0.1:0.2"}, {}, "load: '0.1:0.2' has 2 parts; expected start:stop:count"),
        ([0.1, 0.2], {}, "over: expected the numbers of each axis by its name"),
        ({"load": (0.1,)}, {"measures": ["overlaps[7]"]}, "'7' is unknown"),
        ({"load": (0.1,)}, {"measures": ["overlaps[1, 1]"]}, "has 2 labels; 'overlaps' has 1 axes"),
    ],
)
def test_what_does_not_fit_is_reported(over, arguments, message):
    overrides = {"ensemble.neurons": 20, "ensemble.max_steps": 1}
    with pytest.raises(InvalidInput, match=message):
        ha.experiments.sweep_scenario(ha.load("phases"), over, overrides=overrides, workers=1, trials=1, **arguments)


def test_an_axis_may_be_written_as_in_a_file():
    arguments = {"overrides": {"ensemble.neurons": 20}, "trials": 1, "workers": 1}
    found = ha.experiments.sweep_scenario(ha.load("capacity"), over={"load": "0.1:0.2:2"}, **arguments)
    assert found.axes == {"load": (0.1, 0.2)}
    same = ha.experiments.sweep_scenario(ha.load("capacity"), over={"load": np.array([0.1, 0.2])}, **arguments)
    assert found.table() == same.table()


def test_a_sweep_of_a_memory_records_what_its_cues_recall():
    """The letters: two of three cues reach their letter, the third ends at the reverse of it."""
    spec = ha.load("letters").spec
    assert [spec.memory.patterns[target] for target in spec.targets] == [spec.cue[name].of for name in spec.tokens]
    arrays = ha.run(ha.load("letters")).arrays
    own = [spec.vocabulary.vectors[spec.cue[name].of] for name in spec.tokens]
    overlaps = [state @ letter / 35 for state, letter in zip(arrays["state"].values, own, strict=True)]
    assert arrays["overlaps"].values == pytest.approx(overlaps)
    little = {'cue."torn X".flip': 0.03}  # one pixel, which no draw of it keeps from its letter
    found = ha.experiments.sweep_scenario(ha.load("letters"), {"max_steps": (50,)}, overrides=little, workers=1)
    assert found.mean("overlap")[0] == pytest.approx(np.mean(overlaps))
    assert found.mean("recalled")[0] == pytest.approx(2 / 3)


def test_a_cue_that_belongs_to_no_pattern_has_no_overlap():
    arrays = ha.run(parse(MIXED, "m.toml", "m")).arrays
    assert arrays["overlaps"].labels == (("a",),) and arrays["overlap"].values == arrays["recalled"].values == 1
    alone = parse(MIXED.replace('["a", "c"]', '["c"]'), "m.toml", "m")
    assert not {"overlap", "overlaps", "recalled"} & set(ha.run(alone).arrays)


@pytest.mark.parametrize("measure", ["nearest", "recalls", "nearest word[torn X]"])
def test_words_and_what_has_no_mean_are_neither_offered_nor_recorded(measure):
    with pytest.raises(InvalidInput, match="has no mean") as refused:
        ha.experiments.sweep_scenario(ha.load("letters"), {"max_steps": (1, 2)}, measures=[measure])
    offered = str(refused.value).partition("(choices: ")[2].rstrip(")").split(", ")
    assert {"overlap", "recalled", "steps", "met"} <= set(offered)
    assert not {"nearest", "nearest word", "recalls", "status", "visits", "spurious", "of", "patterns"} & set(offered)


def test_nothing_to_go_over_is_reported():
    with pytest.raises(InvalidInput, match="nothing to go over; give --over KEY=GRID"):
        ha.experiments.sweep_scenario(ha.load("bank"))


HEAD = (
    'schema = 1\ntitle = "t"\nsource = "s"\nkind = "ensemble"\n[ensemble]\nneurons = 9\nload = 1\nmodel = "hopfield"\n'
)


@each(
    ("table", "message"),
    [
        ('over = { lod = "1:2:3" }', "file.toml:10: sweep.over.lod: 'lod' is unknown; did you mean 'load'"),
        ('over = { load = "2:1:3" }', "sweep.over.load: '2:1:3' runs from 2 to 1; write the smaller end first"),
        ("over = { load = [2, 1] }", "sweep.over.load: 1 comes after 2"),
        ("over = { load = [] }", "sweep.over.load"),
        ("over = {}", "sweep.over"),
        ("over = { load = [0.1] }\ntrials = 0", "sweep.trials: got 0"),
        ("trials = 3", "sweep.over: is missing"),
    ],
)
def test_a_table_that_does_not_fit_is_reported_with_its_line(table, message):
    assert any(message in line for line in problems(f"{HEAD}[sweep]\n{table}\n"))


@pytest.mark.parametrize("text", ["load", "=1", "load="])
def test_what_is_not_an_axis_is_reported(text):
    with pytest.raises(InvalidInput, match=r"expected KEY=GRID|a number is missing"):
        axes_from([text])


def test_an_axis_that_is_given_twice_is_reported():
    with pytest.raises(InvalidInput, match="load: is given twice"):
        axes_from(["load=1", "load=2"])


def test_no_trials_and_a_name_instead_of_a_scenario_are_refused():
    with pytest.raises(InvalidInput, match="trials: expected a whole number of at least 1, not 0"):
        ha.experiments.sweep_scenario(ha.load("capacity"), over={"load": [0.1]}, trials=0)
    with pytest.raises(InvalidInput, match=r"expected a Scenario from hopattn\.load, not 'bank'"):
        ha.experiments.sweep_scenario("bank", over={"beta": "1:2:2"})


def test_no_axes_at_all_are_refused():
    with pytest.raises(InvalidInput, match=r"nothing to go over; give --over KEY=GRID \(in Python over=\)"):
        ha.experiments.sweep_scenario(ha.load("capacity"), over={})  # its file has a [sweep]


def test_the_rules_of_a_model_are_an_axis(tmp_path):
    """Storkey's rule keeps more patterns than Hebb's; each point is a run of the file with that rule."""
    scenario, file = ha.load("capacity"), tmp_path / "points.jsonl"
    few = {"ensemble.neurons": 60}
    axes = {"rule": "storkey,hebb", "load": (0.1, 0.3)}
    sweep = ha.experiments.sweep_scenario(
        scenario, axes, trials=4, measures=["overlap"], overrides=few, workers=1, file=file
    )
    assert sweep.axes["rule"] == ("storkey", "hebb")
    storkey, hebb = sweep.mean("overlap")
    assert storkey[1] > hebb[1] + 0.1
    alone = ha.experiments.sweep_scenario(
        scenario,
        {"load": (0.1, 0.3)},
        trials=40,
        measures=["overlap"],
        overrides=few | {"model.rule": "hebb"},
        workers=1,
    )
    assert abs(alone.mean("overlap")[1] - hebb[1]) < 4 * (alone.error("overlap")[1] + sweep.error("overlap")[1, 1])
    assert load_sweep(file).axes["rule"] == ("storkey", "hebb") and "storkey,0.1," in sweep.to_csv()
    assert "rule storkey, hebb (2)" in repr(sweep)


def test_models_are_an_axis():
    sweep = ha.experiments.sweep_scenario(
        ha.load("capacity"),
        {"model": ["hopfield", "dense"]},
        overrides={"ensemble.neurons": 40, "load": 0.5},
        measures=["recalled"],
        workers=1,
    )
    assert sweep.mean("recalled")[1] == 1 > sweep.mean("recalled")[0]


@each(
    ("axes", "message"),
    [
        ({"rule": "hebb,stork"}, "rule = stork: .*did you mean 'storkey'"),
        ({"load": "low"}, "load: 'low' is not a number"),
        ({"model.rul": "hebb"}, "did you mean 'ensemble.model.rule'"),
        ({"rule": [1, 2]}, "rule: 'rule' is unknown"),
    ],
)
def test_words_that_do_not_fit_are_refused(axes, message):
    with pytest.raises(InvalidInput, match=message):
        ha.experiments.sweep_scenario(ha.load("capacity"), axes, workers=1)
