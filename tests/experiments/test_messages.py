"""What wrong input of sweeps, comparisons, certificates and parts of one's own is refused with."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import hopattn as ha
from hopattn.experiments.sweeps.checkpoint import open_checkpoint
from tests import own_registries
from tests.on_workers import noisy
from tests.refusal import assert_says, problems, refused

EYE = np.eye(3)
NAN = float("nan")
PHASES, CAPACITY, LETTERS, BANK = map(ha.load, ("phases", "capacity", "letters", "bank"))
FEW = {"overrides": {"ensemble.neurons": 20, "ensemble.max_steps": 1}, "workers": 1, "trials": 1}
random, patterns = ha.experiments.compare_random, ha.experiments.compare_patterns
forgetting, scenario = ha.experiments.forgetting, ha.experiments.sweep_scenario


class Other(ha.Hopfield.__mro__[1]):
    """A memory that nobody can convert to another dtype."""

    step = field = energy = _single_neuron_states = _field_at = None


@dataclass(frozen=True)
class Softmax(ha.Separation):
    convex: ClassVar[bool] = True

    def potential(self, scores, where=None):
        return scores.sum(-1)


class Unfinished(ha.Separation):
    pass


class Undecorated(Softmax):
    name = "undecorated"


@dataclass(frozen=True)
class PartialStep(ha.Update):
    part: float
    step = guarantee = None


def compare(*arrays, **more):
    return lambda: ha.compare(*(arrays or (EYE, EYE)), **more)


def sweep(axes=None, trial=noisy, **more):
    return lambda: ha.sweep(trial, {"x": (1,), "y": (2,)} if axes is None else axes, **{"workers": 1, **more})


def gives(*names):
    """A sweep whose trials give these names, one after another."""
    left = iter(names)
    return lambda: ha.sweep(lambda point, seed: {next(left): 1.0}, {"x": (1,)}, trials=len(names), workers=1)


def along(over, swept=PHASES, **more):
    return lambda: scenario(swept, over, **{**FEW, **more})


def keyed(key):
    return lambda: scenario(LETTERS, {key: (1, 2)}, workers=1)


ROWS = [
    # a mistyped keyword of each function
    (sweep(trails=3), "sweep", "trails", "'trials'?"),
    (lambda: scenario(LETTERS, workrs=1), "sweep_scenario", "workrs", "'workers'?"),
    (compare(target=[0]), "compare", "'target'", "'targets'?"),
    (lambda: random(lod=0.1), "compare_random", "'lod'", "'load'?"),
    (lambda: patterns([[1]], dim=3), "compare_patterns", "'dim'", "choices: beta, hidden, "),
    # a comparison: its memories and numbers
    (compare(memories=["softmx"]), "memories", "softmx", "'softmax'"),
    (compare(memories=[]), "memories", "at least one of hopfield, dense"),
    (compare(memories=["softmax", "modern"]), "memories", "'modern'", "twice"),
    (compare(memories=3), "memories", "names", "3"),
    (compare(memories=[3]), "memories", "a function of keys", "3"),
    (compare(beta=0.0), "beta", "positive", "0"),
    (compare(beta="1,0.5"), "beta", "0.5 comes after 1"),
    (compare(beta=[-1.0, 2.0]), "beta", "positive", "-1"),
    (compare(max_steps=0), "max_steps", "whole number", "1", "0"),
    (compare(rng=-1), "rng", "at least 0", "-1"),
    (compare(report=3), "report", "function", "3"),
    # its arrays
    (compare([], [[1.0]]), "keys", "shape"),
    (compare(EYE, [[1.0, 2.0]]), "cues", "got shape (1, 2)", "dim = 3 of keys"),
    (compare(EYE, [[1.0, NAN, 0.0]]), "cues", "row 0", "NaN"),
    (compare(EYE, EYE, [[1.0]]), "values", "1 rows", "3 keys"),
    (compare(targets=[0, 1]), "targets", "3 cues", "[0, 1]"),
    (compare(targets=[0, 1, 3]), "targets", "no key 3", "0 to 2"),
    (compare(targets=[0, 1, -2]), "targets", "no key -2", "0 to 2"),
    (compare(targets=[0.0, 1.0, 2.0]), "targets", "number of a key"),
    (compare(mask=np.zeros((3, 3), bool)), "mask", "no cue"),
    (compare(mask=np.ones((2, 3), bool)), "mask", "shape"),
    (compare(mask="casual"), "", "'causal'"),
    (compare([[0, 0]], [[1.0, 0.0]]), "beta", "0, is in key 0"),
    (compare([[1, 1], [1e200, 0]], [[1.0, 0.0]]), "beta", "1e+200, is in key 1"),
    # random patterns, given patterns and their grids
    (lambda: random(load=0), "load", "positive", "0"),
    (lambda: random(dim=0), "dim", "at least 1", "0"),
    (lambda: random(dim="ten"), "dim", "ten"),
    (lambda: random(noise=1.1), "noise", "0 to 1", "1.1", "give 0.011"),
    (lambda: random(noise=-0.1), "noise", "at least 0", "-0.1"),
    (lambda: random(hidden=1), "hidden", "0 to below 1", "1"),
    (lambda: random(correlation=1.0), "correlation", "0 to below 1"),
    (lambda: random(patterns="spin"), "patterns", "spin", "'spins'"),
    (lambda: random(n_patterns=0), "n_patterns", "at least 1", "0"),
    (lambda: random(load=1e9, dim=10**6), "1,000,000,000,000,000 patterns of 1,000,000 neurons", "GiB"),
    (lambda: random({"bta": [1.0]}), "over", "bta", "'beta'"),
    (lambda: random({"noise": [0.5, 2]}), "noise", "fraction", "2"),
    (lambda: random({"beta": [1.0, 2.0]}, beta=1.0), "beta", "as a number and as an axis"),
    (lambda: random({"load": [0.1, 0.2]}, n_patterns=3), "load", "n_patterns"),
    (lambda: random({"dim": [10, 10.5]}), "dim", "10.5", "whole"),
    (lambda: random({"load": "0.1:0.2:100", "noise": "0:0.1:100"}), "the grid", "1,200,000 recalls", "20,000"),
    (lambda: random([("load", 1)]), "over", "axis", "[('load', 1)]"),
    (lambda: patterns([]), "patterns", "shape"),
    (lambda: patterns(EYE, {"load": [1, 2]}), "over", "'load'", "beta, hidden, noise"),
    (lambda: patterns([[0.5, 2.0], [0.0, 0.0]]), "patterns", "row 1", "zero"),
    (lambda: patterns([[0.5, 2.0], [5e-324, 5e-324]]), "patterns", "row 1", "4.94e-324", "larger"),
    (lambda: patterns([[0.5, 2.0], [1e308, 1e308]]), "patterns", "row 1", "1e+308", "9.48e+153"),
    # the sweep of a function: axes, arguments, what a trial gives
    (sweep({}), "sweep", "at least one axis"),
    (sweep({"x": (2, 1)}), "x", "1 comes after 2"),
    (sweep({"x": (1, 1)}), "x", "1 is given twice"),
    (sweep({"x": (1, NAN)}), "x", "nan", "finite"),
    (sweep({"x": range(10_000), "y": range(1000)}), "axes", "10,000,000 points", "1,000,000"),
    (sweep(trials=0), "trials", "whole number", "0"),
    (sweep(trials=10**9), "trials", "100000000", "1000000000"),
    (sweep(rng=-1), "rng", "seed", "-1"),
    (sweep(workers=0), "workers", "whole number", "0"),
    (sweep(workers=1001), "workers", "1 to 1000", "1001"),
    (sweep(about=3), "about", "mapping", "3"),
    (sweep(about={"x": object()}), "about", "texts and numbers"),
    (sweep(file=3), "file", "path", "3"),
    (sweep(report=3), "report", "function", "3"),
    (sweep(note=None), "note", "function", "None"),
    (sweep(trial="noisy"), "trial", "function", "'noisy'"),
    (sweep(trial=print), "x = 1, y = 2: the result of the trial", "numbers by name", "None"),
    (sweep(trial=lambda point, seed: {"a": "b"}), "x = 1, y = 2: 'a'", "number", "'b'"),
    (sweep(trial=lambda point, seed: {"a": np.inf}), "x = 1, y = 2: 'a'", "infinite"),
    (sweep(trial=lambda point, seed: {"x": 1.0}), "sweep: 'x'", "name of an axis"),
    (sweep({"x": (1, 2)}, lambda point, seed: {f"v{point['x']}": 1.0}), "sweep", "['v2']", "['v1']"),
    (gives("a", "b"), "x = 1", "['b'] now", "['a'] before"),
    (lambda: sweep()().mean("valu"), "sweep", "valu", "'value'"),
    (lambda: ha.load(None), "path", "path of a file", "None"),
    (lambda: ha.load("none.jsonl"), "there is no file 'none.jsonl' in '.'"),
    # the sweep of a scenario: keys, measures, points
    (keyed("max_step"), "max_step", "'max_steps'"),
    (keyed("memory.max_step"), "memory.max_step", "'memory.max_steps'"),
    (keyed('cue."half of S".flip'), 'cue."half of S".flip', "did you mean 'cue.\"half of R\".flip'"),
    (keyed("cue.half of R.flip"), "", "is not a path"),
    (keyed("patterns"), "patterns", "unknown"),
    (keyed("patterns"), "patterns", "unknown"),
    (keyed("seed"), "seed", "unknown"),
    (keyed("flip"), "flip", "several times", 'cue."half of R".flip or cue."torn X".flip'),
    (along({"lod": (1,)}), "lod", "'load'"),
    (along({"load": (-1, 0.1)}), "load = -1", "got -1", "more than 0"),
    (along({"cues": (0.5, 1)}), "cues = 0.5", "got 0.5", "whole number"),
    (along({"load": (0.1,)}, measures=["overlp"]), "measure", "overlp", "'overlap'"),
    (along({"load": (0.1,)}, measures=["status"]), "measure 'status'", "no mean", "choices: converged, met"),
    (along({"load": (0.1,)}, measures=["overlaps[7]"]), "load = 0.1: ", "measure 'overlaps[7]'", "'7'"),
    (along({"load": (0.1,)}, measures=["overlaps[1, 1]"]), "load = 0.1: ", "phases.toml: measure", "1 axes"),
    (along([0.1, 0.2]), "over", "each axis by its name"),
    (along({"beta": "1:2:2"}, "bank"), "scenario", "hopattn.load", "'bank'"),
    (lambda: scenario(BANK), BANK.where, "nothing to go over", "--over KEY=GRID"),
    (along({}, CAPACITY), CAPACITY.where, "nothing to go over", "over="),  # although its file has a [sweep]
    (along({"rule": "hebb,stork"}, CAPACITY), "rule = stork", "'storkey'"),
    (along({"load": "low"}, CAPACITY), "load", "'low'", "not a number"),
    (along({"model.rul": "hebb"}, CAPACITY), "model.rul", "'ensemble.model.rule'"),
    (along({"rule": [1, 2]}, CAPACITY), "rule", "unknown"),
    # forgetting and certificates
    (lambda: forgetting((2.5,)), "lengths", "at least 0", "2.5"),
    (lambda: forgetting((-1,)), "lengths", "at least 0", "-1"),
    (lambda: forgetting((2, 1)), "lengths", "1 comes after 2"),
    (lambda: forgetting((10**9,)), "texts of 1,000,000,000 words", "GiB"),
    (lambda: forgetting(names=1), "names", "at least 2", "1"),
    (lambda: forgetting(trials=0), "trials", "at least 1", "0"),
    (lambda: forgetting(model=0.9), "model", "FirstWord", "float"),
    (lambda: ha.certify("modrn"), "memory", "modrn", "'modern'"),
    (lambda: ha.certify("modern", "synch"), "update", "synch", "'sync'"),
    (lambda: ha.certify("modern", dtype="float23"), "dtype", "float23", "'float32'"),
    (lambda: ha.certify(Other(), dtype="float32"), "memory", "Other", "float32", "a Memory or"),
    (lambda: ha.certify("modern", count=0), "count", "at least 1", "0"),
    (lambda: ha.certify("modern", search=-1), "search", "at least 0", "-1"),
    (
        lambda: ha.certify("modern", (ha.register(PartialStep), "partial_step")[1]),
        "update",
        "PartialStep needs part",
        ".drawn",
    ),
    # a class that cannot be registered
    (lambda: ha.register(Softmax), "register: Softmax", "'softmax' exists", "another name"),
    (lambda: ha.register(Unfinished), "register: Unfinished", "convex"),
    (lambda: ha.register(Undecorated), "register: Undecorated", "@dataclass(frozen=True)"),
    (lambda: ha.register(int), "register", "Similarity, Separation, Activation or Update", "<class 'int'>"),
    (lambda: ha.register(ha.separations.softmax()), "register", "derives from", "Softmax(beta=1.0)"),
    (lambda: ha.register("mymodule:LogCosh"), "register", "derives from", "'mymodule:LogCosh'"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(row[1:])[:60])
def test_wrong_input_is_refused_at_its_place(row, tmp_path, monkeypatch):
    own_registries.keep(monkeypatch)
    monkeypatch.chdir(tmp_path)
    refused(*row)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("table", "place", "words"),
    [
        ('over = { lod = "1:2:3" }', "1 sweep.over.lod", ["'load'"]),
        ('over = { load = "2:1:3" }', "1 sweep.over.load", ["runs from 2 to 1"]),
        ("over = { load = [2, 1] }", "1 sweep.over.load", ["1 comes after 2"]),
        ("over = { load = [] }", "1 sweep.over.load", []),
        ("over = {}", "1 sweep.over", []),
        ("over = { load = [0.1] }\ntrials = 0", "2 sweep.trials", ["got 0"]),
        ("trials = 3", "0 sweep.over", ["is missing"]),
    ],
)
def test_a_table_of_a_sweep_is_refused_with_its_line(table, place, words):
    text = f"{CAPACITY.text.partition('[sweep]')[0]}[sweep]\n{table}\n"
    line, _, key = place.partition(" ")
    line = text.splitlines().index("[sweep]") + 1 + int(line)
    assert_says(problems(text), f"file.toml:{line}: {key}", *words)


@pytest.mark.parametrize(
    "content",
    [
        b"a table\n1,2\n",
        b"a table",
        b"{",
        b'{"other": 1}\n',
        b'{"sweep": \n',
        b'{"sweep":',
        b'{"sweep": 2, "days": [1, 2]}',
        b'{"sweep": 2, "days": [1, 2]}\n',
        b'{"sweep": 1, "about": {}, "axes": {"x": [1]}, "seed": 0}\n',
        b"\xff\xfe\n",
    ],
)
def test_a_file_of_something_else_is_no_sweep_and_is_left_as_it_is(tmp_path, content):
    file = tmp_path / "points.jsonl"
    file.write_bytes(content)
    for call in (lambda: ha.load(file), sweep(file=file)):
        refused(call, f"{file}:1: expected ", "not '", "left as it is; name another file of points")
    assert file.read_bytes() == content


def test_a_checkpoint_without_a_grid_is_no_sweep(tmp_path):
    file = tmp_path / "points.jsonl"
    with open_checkpoint(file, {"about": "something else"}) as kept:
        kept.add({"part": "one"}, 1)
    refused(lambda: ha.load(file), f"{file}:1: expected the axes of a grid", "something else")


def sparse(file, size, start=b""):
    """A file that ends with a hole."""
    file.write_bytes(start)
    with file.open("r+b") as stream:
        stream.truncate(size)


def test_a_file_of_points_that_cannot_be_used_is_named_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = Path("points.jsonl")
    Path("link").symlink_to("target")
    for start, *words in ((b"", "points of a sweep"), (b'{"sweep": 2, ', "would take", "GiB")):
        sparse(file, 2**42, start)
        for call in (lambda: ha.load(file), sweep(file=file)):
            refused(call, "points.jsonl", *words)
    file.write_text("")
    for path, *words in (("link", "link to a file that is not there"), (".", "folder")):
        refused(lambda path=path: ha.load(path), path, *words)
        refused(sweep(file=path), path, *words)
    refused(sweep(file="points.jsonl/a.jsonl"), "points.jsonl/a.jsonl", "cannot be written")
    assert not Path("target").exists()


ONES = {"q": np.ones((3, 2)), "k": np.ones((3, 2)), "v": np.ones((3, 2))}


@pytest.mark.parametrize(
    ("arrays", "options", "place", "words"),
    [
        ({"q": ONES["q"], "k": ONES["k"]}, (), "'a.npz' holds arrays of a head: q, k;", ["expected q, k and v"]),
        ({**ONES, "Q": ONES["q"]}, (), "'a.npz' holds arrays of a head: q, k, v, Q;", ["--array q,k,v"]),
        ({**ONES, "k": np.ones((3, 4))}, (), "'a.npz': cues", ["(3, 2)", "dim = 4 of keys"]),
        ({**ONES, "v": np.ones((4, 2))}, (), "'a.npz': values", ["4 rows", "3 keys"]),
        ({name: np.ones((n, 3, 2)) for name, n in zip("qkv", (2, 3, 3), strict=True)}, (), "'a.npz'", ["do not fit"]),
        ({name: np.ones((n, 3, 2)) for name, n in zip("qkv", (4, 2, 4), strict=True)}, (), "'a.npz'", ["do not fit"]),
        ({**ONES, "q": np.ones(3)}, (), "'a.npz': queries: shape (3,)", ["4 axes"]),
        ({**ONES, "q": np.ones((0, 2))}, (), "'a.npz': 'q'", ["(0, 2)"]),
        ({**ONES, "q": np.full((3, 2), NAN)}, (), "'a.npz'", ["nan is at 1, 1"]),
        ({**ONES, "q": np.array([["a"]])}, (), "'a.npz' holds arrays of a head: k, v;", []),
        ({**ONES, "q": np.ones((1,) * 5)}, (), "'a.npz'", ["shape"]),
        ({**ONES, "k": np.ones((2, 2)), "v": np.ones((2, 2))}, ("--mask", "causal"), "'a.npz': mask", ["3 queries"]),
        (ONES, ("--mask", "casual"), "", ["'casual'", "'causal'"]),
        ({"a": np.ones((2, 2)), "b": np.ones((2, 3))}, (), "'a.npz' holds 2 arrays of 2 shapes", ["--array"]),
        ({"a": np.ones(3)}, (), "'a.npz' holds an array of shape (3,)", ["one a row"]),
        ({"a": np.ones((2, 2))}, ("--array", "b"), "'a.npz'", ["'b'"]),
    ],
)
def test_a_file_without_heads_and_patterns_is_refused(hopattn, tmp_path, arrays, options, place, words):
    np.savez(tmp_path / "a.npz", **arrays)
    code, out, err = hopattn("compare", "a.npz", *options)
    assert (code, out) == (2, "")
    assert_says(err, place, *words)


@pytest.mark.parametrize(
    ("name", "words"), [("similarity", ["'cue' has no keys", "attention or memory"]), ("softmax-table", ["no head"])]
)
def test_a_scenario_without_keys_is_refused(hopattn, name, words):
    code, out, err = hopattn("compare", name)
    assert (code, out) == (2, "") and all(word in err for word in words)


@pytest.mark.parametrize("name", ["x.npz", "x.safetensors", "x.npy", "x.csv"])
def test_a_truncated_file_of_patterns_is_refused(hopattn, tmp_path, name):
    assert "there is no file" in hopattn("compare", name)[2]
    (tmp_path / name).write_bytes(b"\x93torn")
    code, _, err = hopattn("compare", name)
    assert code == 2 and ("truncated" in err or "UTF-8" in err)
