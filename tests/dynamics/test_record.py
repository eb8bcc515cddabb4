"""The record: the arrays that are kept of every step, its words, its text and its help."""

import dataclasses
import inspect
import re

import numpy as np
import pytest

import hopattn as ha

WIDE = ha.Memory(np.eye(2), [[1.0, 0, 0], [0, 0, 2]], beta=50)


def test_an_answer_of_another_dim_is_given_once_and_matched():
    found = WIDE.recall([[1.0, 0.0], [0.0, 1.0]])
    assert found.status.tolist() == ["answered", "answered"]
    assert (found.matched.tolist(), found.steps.tolist(), found.period.tolist()) == ([0, 1], [1, 1], [0, 0])
    assert found.energies is None and not found.converged.any() and np.all(found.residual == np.inf)
    np.testing.assert_allclose(found.state, WIDE.step([[1.0, 0.0], [0.0, 1.0]]))
    alone = WIDE.recall([1.0, 0.0], mask=[False, True])
    assert (alone.state.tolist(), alone.status, alone.steps, alone.matched) == ([0, 0, 2], "answered", 1, 1)


def test_every_status_and_every_kind_has_its_meaning_beside_it():
    found = ha.Memory([[2.0, 0.0]], separation="identity").recall([[1.0, 0.0], [0.0, 1.0]])
    assert found.meaning.tolist() == [ha.Status("diverged").meaning, ha.Status("converged").meaning]
    alone = ha.Memory(np.eye(2)).recall([1.0, 0.0])
    assert alone.meaning == ha.Status(alone.status).meaning == alone.status.meaning == ha.Status.CONVERGED.meaning
    assert all(status.meaning in repr(status) and status == status.value for status in ha.Status)
    assert len({status.meaning for status in ha.Status}) == len(ha.Status) == 6


def test_the_text_of_a_record_is_short_and_says_how_the_cues_ended():
    memory = ha.Memory([[2.0, 0.0]], separation="identity")
    text = repr(memory.recall([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]], keep=("trajectory",)))
    assert text.startswith("Recall(3 cues of dim 2, 2 to ")
    assert f"2 converged ({ha.Status.CONVERGED.meaning}), 1 diverged ({ha.Status.DIVERGED.meaning})" in text
    assert text.endswith("with trajectory)")
    one = repr(ha.Memory(np.eye(2)).recall([1.0, 0.0], max_steps=1))
    assert one == f"Recall(1 cue of dim 2, 1 step, limit ({ha.Status.LIMIT.meaning}))"
    assert "1 cue of dim 2, 2 steps, " in repr(ha.Memory(np.eye(2)).recall([1.0, 0.0], max_steps=2))
    alone = ha.Memory(np.eye(2)).recall([1.0, 0.0], keep="weights")
    assert (alone.weights.ndim, alone.trajectory, alone.overlaps) == (2, None, None)
    many = ha.memories.modern(np.eye(4)).recall(np.tile(np.eye(4), (200, 1)), keep=("trajectory", "weights"))
    assert len(repr(many)) < 200 and "with trajectory and weights" in repr(many)


@pytest.mark.parametrize("single", [False, True])
def test_a_record_becomes_tables_of_its_fields(single):
    pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("xarray", reason="xarray is not installed")
    cues = [[0.6, 0.4], [0.1, 0.2], [0.5, 0.5]]
    found = ha.memories.modern(np.eye(2)).recall(cues[0] if single else cues, keep=ha.Recall.BY_STEP)
    table, arrays = found.to_pandas(), found.to_xarray()
    for name in ("status", "steps", "converged", "residual", "period", "matched", "similarity", "spurious"):
        assert table[name].tolist() == np.atleast_1d(getattr(found, name)).tolist(), name
        assert arrays[name].values.tolist() == np.asarray(getattr(found, name)).tolist(), name
    energies = np.atleast_2d(found.energies)
    assert np.array_equal(table[["first energy", "last energy"]], energies[:, [0, -1]])
    axes = {"state": "n", "energies": "s", "trajectory": "sn", "overlaps": "sp", "weights": "sp"}
    names = {"n": "neuron", "s": "step", "p": "pattern"}
    for name, dims in axes.items():
        own = [names[axis] for axis in dims]
        own.insert(name in found.BY_STEP, "cue") if not single else None
        assert arrays[name].dims == tuple(own), name
        assert np.array_equal(arrays[name], getattr(found, name)), name


@pytest.mark.parametrize("kind", [ha.Memory, ha.Hopfield, ha.Associator, ha.cluster.Sharded])
def test_the_help_of_recall_describes_every_argument_and_the_whole_record(kind):
    message, signature = inspect.getdoc(kind.recall), inspect.signature(kind.recall)
    assert list(signature.parameters)[1:] == ["cues", "update", "max_steps", "tol", "rng", "mask", "keep"]
    assert all(re.search(rf"^{name}: ", message, re.MULTILINE) for name in list(signature.parameters)[1:])
    assert message.endswith(inspect.getdoc(ha.Recall))
    fields = {field.name for field in dataclasses.fields(ha.Recall)} - {"reference"}
    properties = {name for name, value in vars(ha.Recall).items() if isinstance(value, property)}
    assert [name for name in fields | properties if not re.search(rf"\b{name}:\s", message)] == []
