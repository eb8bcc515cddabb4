"""Arguments that the named memories refuse, each with a clear message."""

import re

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ha.hopfield([[1, 1], [1, 0.5]]), "patterns: row 1 holds 0.5; the neurons are spins, −1 or 1"),
        (lambda: ha.hopfield([[1, 1]], rule="heb"), "rule: 'heb' is unknown; did you mean 'hebb'"),
        (lambda: ha.hopfield([[1, 1]], "storkey", True), "self_coupling: the rule 'storkey' has none"),
        (lambda: ha.hopfield([[1, 1, 1], [-1, -1, -1]], "pseudo_inverse"), "row 1 depends on those before it"),
        (lambda: ha.hopfield([]), "patterns: expected"),
        (lambda: ha.hopfield(np.ones((1, 10**6))), "couplings of 1,000,000 neurons would take 7,450.6 GiB; this"),
        (lambda: ha.dense([[1, 0]]), "patterns: row 0 holds 0; the neurons are spins"),
        (lambda: ha.dense([[1, 1]], n=1), "n: expected a whole number from 2"),
        (lambda: ha.modern([[1.0, 0.0], [0.0, 0.0]]), "patterns: row 1 is zero; nothing recalls it"),
        (lambda: ha.modern([[1.0, np.nan]]), "patterns: row 0 holds a NaN"),
        (lambda: ha.modern([["a"]]), "patterns: expected real numbers"),
        (lambda: ha.modern([[1.0]], beta=0), "beta: expected a positive"),
        (lambda: ha.sparse([[1.0]], alpha=0.5), "alpha: expected a number of at least 1"),
        (lambda: ha.linear([[1.0]], normalise=True), "normalise: identity features may be negative"),
        (lambda: ha.linear([[1.0]], feature_map="rlu"), "did you mean 'relu'"),
        (lambda: ha.delta([[1.0]], [[1.0], [2.0]]), "1 on one side, 2 on the other"),
        (lambda: ha.delta([[1.0]], [[1.0]], rate=2), "rate: expected a number below 2"),
        (lambda: ha.learning.delta([[0.0]], [[1.0]]), "keys: row 0 is zero"),
        (lambda: ha.k_subsets([[1.0], [2.0]], k=3), "k: expected a whole number from 1 to 2, not 3"),
        (lambda: ha.delta([[1.0]], [[1.0]], sweeps=10**9), "sweeps: expected a whole number from 1 to 100000"),
        (lambda: ha.delta([[1.0]], [[1.0]]).recall(np.zeros((0, 1))), "cues: expected"),
        (lambda: ha.sdm([[1, 1]], [[1]], radius=3), "radius: expected a number from 0 to 2, not 3"),
        (lambda: ha.sdm([[1, 1]], [[1], [1]], radius=1), "values: 2 rows do not fit 1 addresses"),
        (lambda: ha.sdm([[1, 1, 1]], [[1]], 0, [[-1, -1, -1]]), "no location lies within 0 of address 0"),
        (lambda: ha.sdm([[1, 1, 1]], [[1]], 0, [[-1, -1]]), "locations: dim 2 does not fit addresses of dim 3"),
        (lambda: ha.bam([[1, 1]], [[1, 0]]), "right: row 0 holds 0"),
        (lambda: ha.bam([[1, 1]], [[1, 1], [1, 1]]), "1 on one side, 2 on the other"),
        (lambda: ha.sequence([[1, 2]]), "patterns: row 0 holds 2"),
        (lambda: ha.spherical([[1.0]], separation="sofmax"), "did you mean 'softmax'"),
        (lambda: ha.modern([[1.0, 1.0]]).recall(np.zeros((1, 3))), "cues: dim 3 does not fit"),
        (lambda: ha.bam([[1, 1]], [[1, 1]]).step([1, 1], mask=[True]), "no patterns to mask"),
        (lambda: ha.bam([[1, 1]], [[1, 1]]).recall([1, 1], update="async"), "turns a whole side at once"),
    ],
)
def test_impossible_arguments_are_refused(make, message):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        make()


def test_scores_that_exceed_the_memory_are_refused_with_their_size():
    keys = np.broadcast_to(np.float64(1), (10**7, 1000))
    retrieval = ha.nearest(np.ones((2, 3))).retrieval
    with pytest.raises(InvalidInput, match=r"scores of 10,000,000,000 pairs would take 74,505\.8 GiB"):
        retrieval.scores(np.broadcast_to(np.float64(1), (1000, 1000)), keys)


def test_mixed_dtypes_give_the_wider_one():
    narrow, wide = np.eye(2, dtype=np.float32), np.eye(2)
    assert ha.modern(narrow).step(narrow).dtype == np.float32
    assert ha.modern(narrow).step(wide).dtype == np.float64
    assert ha.modern(narrow).recall([1, 0]).state.dtype == np.float64
