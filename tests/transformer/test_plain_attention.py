"""The independent attention: compared with PyTorch and with plain sums, and really independent of hopattn."""

import ast
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from hopattn.transformer import plain_attention as plain
from tests.draws import betas, stores


def test_it_imports_nothing_of_hopattn():
    tree = ast.parse(Path(plain.__file__).read_text(encoding="utf-8"))
    names = [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
    names += [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    assert not [name for name in names if name.startswith("hopattn")]


@given(store=stores(), beta=betas)
def test_it_agrees_with_sums_written_out(store, beta):
    keys, cues, mask = store
    result = plain.plain_attention(cues, keys, keys, beta, mask)
    for i, cue in enumerate(cues):
        allowed = [j for j in range(len(keys)) if mask[i, j]]
        scores = {j: beta * math.fsum(a * b for a, b in zip(keys[j], cue, strict=True)) for j in allowed}
        powers = {j: math.exp(s - max(scores.values())) for j, s in scores.items()}
        for d in range(keys.shape[1]):
            expected = math.fsum(powers[j] * keys[j, d] for j in allowed) / (math.fsum(powers.values()) or 1.0)
            assert result[i, d] == pytest.approx(expected, abs=1e-11)


@given(store=stores(), beta=betas)
def test_pytorch_agrees_within_the_rounding_bound(torch, store, beta):
    keys, cues, mask = store
    for each in (None, mask):
        names, outputs = zip(*plain.referees(cues, keys, keys, beta, each), strict=True)
        assert names == ("NumPy", "PyTorch")
        assert np.abs(outputs[0] - outputs[1]).max() <= plain.rounding_bound(cues, keys, keys, beta)


def test_without_pytorch_numpy_is_the_only_referee(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    eye = np.eye(2)
    assert [referee.name for referee in plain.referees(eye, eye, eye, 1.0)] == ["NumPy"]


def test_a_row_with_nothing_to_attend_to_gives_zero():
    eye, mask = np.eye(2), np.array([[False, False], [True, False]])
    for referee in plain.referees(eye, eye, eye, 3.0, mask):
        assert referee.output.tolist() == [[0.0, 0.0], [1.0, 0.0]]
