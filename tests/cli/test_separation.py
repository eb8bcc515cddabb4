"""`hopattn separation`: files of patterns and of heads, the advice, JSON, and wrong usage."""

import json
import re

import numpy as np
import pytest

import hopattn as ha

RNG = np.random.default_rng(0)
APART = ha.unit(RNG.normal(size=(6, 8)))


@pytest.fixture
def file(tmp_path):
    """Write arrays to a file, and give its path."""

    def write(name, **arrays):
        path = tmp_path / name
        if name.endswith(".csv"):
            np.savetxt(path, *arrays.values(), delimiter=",")
        elif name.endswith(".npy"):
            np.save(path, *arrays.values())
        elif name.endswith(".npz"):
            np.savez(path, **arrays)
        else:
            pytest.importorskip("safetensors.numpy").save_file(arrays, path)
        return str(path)

    return write


@pytest.mark.parametrize("name", ["a.csv", "a.npy", "a.npz", "a.safetensors"])
def test_the_advised_memories_recall_what_the_table_promises(hopattn, file, name):
    code, out, err = hopattn("separation", file(name, patterns=APART), "--json")
    (found,) = json.loads(out)["heads"]
    assert (code, err) == (0, "")
    assert (found["n_patterns"], found["dim"]) == (6, 8)
    np.testing.assert_allclose(found["delta"], ha.theory.margins(APART).delta, rtol=1e-9)
    sparse, soft = ha.memories.sparse(APART, beta=found["beta"]), ha.memories.modern(APART, beta=found["softmax_beta"])
    way = ha.unit(RNG.normal(size=APART.shape))
    near = APART + np.array(found["radius_sparse"])[:, None] * 0.999 * way
    np.testing.assert_allclose(sparse.step(near), APART, atol=1e-12)
    near = APART + np.array(found["radius_softmax"])[:, None] * 0.999 * way
    far = np.linalg.norm(soft.recall(near).state - APART, axis=1)
    assert np.all(far <= found["error"] * np.array(found["distance"]))
    assert np.all(np.array(found["radius_sparse"]) >= 0.9 * np.array(found["reach"]) * (1 - 1e-9))


def test_patterns_that_cannot_be_told_apart_are_named_with_the_cure(hopattn, file):
    rows = np.vstack([APART, 3 * APART[:1], APART[2:3]])
    _, out, _ = hopattn("separation", file("a.csv", patterns=rows))
    assert "Equal patterns: 3 = 8. No memory tells them apart; keep one of each." in out
    assert "Hidden, since a longer pattern has as large a dot product with it: 1 by 7" in out
    beta = re.search(r"hides no pattern: ha\.memories\.log_sum_relu\(patterns, beta=([\d.]+)\)", out)[1]
    memory = ha.memories.log_sum_relu(rows[:-1], beta=float(beta))
    np.testing.assert_allclose(memory.recall(rows[:-1]).state, rows[:-1])
    _, out, _ = hopattn("separation", file("b.csv", patterns=np.array([[1.0, 0.2], [3.0, 0.0]])))
    assert "Scale patterns and cues to unit length; then none is hidden: ha.memories.sparse(ha.unit(" in out


def test_a_pattern_of_zeros_twice_and_a_single_one_are_no_fault(hopattn, file):
    _, out, _ = hopattn("separation", file("z.csv", patterns=np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])))
    assert "1 = 2" in out
    assert "product with it: 1 by 3, 2 by 3." in out
    code, out, _ = hopattn("separation", file("one.csv", patterns=np.array([[3.0, 1.0]])))
    assert code == 0
    assert "A single pattern is recalled from every cue" in out


def test_of_heads_each_has_a_line(hopattn, file):
    q, k, v = RNG.normal(size=(3, 4, 10, 8))
    _, out, _ = hopattn("separation", file("heads.npz", q=q, k=k, v=v))
    assert [line.split()[:3] for line in out.split("\n")[1:5]] == [["head", str(i + 1), "10"] for i in range(4)]
    one = json.loads(hopattn("separation", file("head.npz", q=q[0], k=k[0], v=v[0]), "--json")[1])["heads"][0]
    scores = np.sort(q[0] @ k[0].T, axis=1)
    assert one["lead"] == pytest.approx(np.median(scores[:, -1] - scores[:, -2]))
    assert one["own_beta"] == pytest.approx(8**-0.5)


@pytest.mark.parametrize(
    ("names", "shape", "left_out"),
    [
        (["patterns"], (100, 30), "the 40 least separated of 100 patterns; --long shows all"),
        (["q", "k", "v"], (41, 2, 3), "41 heads in all; --long shows them"),
    ],
)
def test_a_table_of_more_than_40_rows_is_cut_unless_all_is_asked_for(hopattn, file, names, shape, left_out):
    """Patterns, numbered from 1, are then the ones of the least Δ; heads, numbered from 1, the first ones."""
    most = shape[0]
    for count, options, rows in ((most, [], 40), (most, ["--long"], most), (40, [], 40), (3, [], 3)):
        keys = RNG.normal(size=(count, *shape[1:]))
        _, out, _ = hopattn("separation", file("many.npz", **dict.fromkeys(names, keys)), *options)
        lines = out.splitlines()
        if len(names) == 1:
            order = np.argsort(ha.theory.margins(keys).delta) if rows < count else range(count)
            expected = [str(i + 1) for i in order[:rows]]
        else:
            expected = [f"head {i}" for i in range(1, rows + 1)]
        assert [" ".join(line.split()[: len(names) // 2 + 1]) for line in lines[1 : rows + 1]] == expected
        assert lines[rows + 1][:1] in {"", "…", "Δ"} and (left_out in out) == (rows < count) == ("--long" in out)


@pytest.mark.parametrize("name", ["two.npz", "two.safetensors", "heads.npz"])
def test_one_array_of_several_is_chosen_by_its_name(hopattn, file, name):
    q, k, v = RNG.normal(size=(3, 4, 8))
    arrays = {"q": q, "k": k, "v": v} if name == "heads.npz" else {"v": v, "other": APART}
    _, out, _ = hopattn("separation", file(name, **arrays), "--array", "v", "--json")
    np.testing.assert_allclose(json.loads(out)["heads"][0]["delta"], ha.theory.margins(v).delta, rtol=1e-6)
    compared = ("compare", file(name, **arrays), "--array", "v", "--trials", "1", "--models", "modern", "--json")
    assert json.loads(hopattn(*compared)[1])["about"].startswith("4 patterns of dim 8,")


def test_the_size_of_what_was_read_is_said_with_the_memory_to_take(hopattn, file):
    _, out, _ = hopattn("separation", file("cube.npy", patterns=RNG.normal(size=(2, 3, 4))))
    assert "2 patterns of 12 numbers, numbered from 1." in out
    assert "ha.memories.sparse(" in out and "Or, for softmax attention, ha.memories.modern(" in out
    _, out, _ = hopattn("separation", file("one.npy", patterns=APART[:1]))
    assert out.splitlines()[1].split()[:3] == ["1", "∞", "–"]


def test_margins_that_take_long_are_told_and_those_that_take_too_long_are_refused(hopattn, tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "many.npz", np.zeros((2**22, 2), np.int8))  # packed into kilobytes
    heads = {name: np.zeros((40, 10_000, 1), np.int8) for name in "qkv"}  # each of them would do
    np.savez_compressed(tmp_path / "heads.npz", **heads)
    for name in ("many.npz", "heads.npz"):
        code, _, err = hopattn("separation", str(tmp_path / name))
        assert code == 2 and err.startswith(f"'{name}': the margins of") and "minutes" in err, err
    monkeypatch.setattr("hopattn.experiments.separation.REPORTED_SECONDS", 0)
    np.save(tmp_path / "few.npy", APART)
    code, out, err = hopattn("separation", str(tmp_path / "few.npy"), "--json")
    assert code == 0 and json.loads(out) and err == "'few.npy': the margins of 6 patterns take about 0 seconds\n"
