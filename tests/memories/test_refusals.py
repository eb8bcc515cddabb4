"""Arguments that the named memories refuse, each with a clear message."""

import re

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from tests.each import each


@each(
    ("make", "message"),
    [
        (lambda: ha.memories.hopfield([[1, 1], [1, 0.5]]), "patterns: row 1 holds 0.5; the neurons are spins, −1 or 1"),
        (lambda: ha.memories.hopfield([[1, 1]], rule="heb"), "rule: 'heb' is unknown; did you mean 'hebb'"),
        (lambda: ha.memories.hopfield([[1, 1]], "storkey", True), "self_coupling: the rule 'storkey' has none"),
        (lambda: ha.memories.hopfield([[1, 1, 1], [-1, -1, -1]], "pseudo_inverse"), "row 1 depends on those before it"),
        (lambda: ha.memories.hopfield([]), "patterns: got shape"),
        (
            lambda: ha.memories.hopfield(np.ones((1, 10**6))),
            "couplings of 1,000,000 neurons would take 7,450.6 GiB; this",
        ),
        (lambda: ha.memories.dense([[1, 0]]), "patterns: row 0 holds 0; the neurons are spins"),
        (lambda: ha.memories.dense([[1, 1]], n=1), "n: expected a whole number from 2"),
        (lambda: ha.memories.modern([[1.0, 0.0], [0.0, 0.0]]), "patterns: row 1 is zero; nothing recalls it"),
        (lambda: ha.memories.modern([[1.0, np.nan]]), "patterns: row 0 holds a NaN"),
        (lambda: ha.memories.modern([["a"]]), "patterns: expected real numbers"),
        (lambda: ha.memories.modern([[1.0]], beta=0), "beta: expected a positive"),
        (
            lambda: ha.memories.modern([[1.0]], bta=2),
            "modern: option 'bta' is unknown; did you mean 'beta'? (choices: beta, ",
        ),
        (lambda: ha.memories.sdm([[1, 1]], [[1]], raduis=1), "sdm: option 'raduis' is unknown; did you mean 'radius'?"),
        (lambda: ha.memories.sparse([[1.0]], alpha=0.5), "alpha: expected a finite number of at least 1"),
        (lambda: ha.memories.linear([[1.0]], normalise=True), "normalise: identity features may be negative"),
        (lambda: ha.memories.linear([[1.0]], feature_map="rlu"), "did you mean 'relu'"),
        (lambda: ha.memories.delta([[1.0]], [[1.0], [2.0]]), "1 on one side, 2 on the other"),
        (lambda: ha.memories.delta([[1.0]], [[1.0]], rate=2), "rate: expected a number below 2"),
        (lambda: ha.learning.delta([[0.0]], [[1.0]]), "keys: row 0 is zero"),
        (lambda: ha.memories.k_subsets([[1.0], [2.0]], k=3), "k: expected a whole number from 1 to 2, not 3"),
        (lambda: ha.memories.delta([[1.0]], [[1.0]], sweeps=10**9), "sweeps: expected a whole number from 1 to 100000"),
        (lambda: ha.memories.delta([[1.0]], [[1.0]]).recall(np.zeros((0, 1))), "cues: expected"),
        (lambda: ha.memories.sdm([[1, 1]], [[1]], radius=3), "radius: got 3; expected a number from 0 to 2"),
        (lambda: ha.memories.sdm([[1, 1]], [[1], [1]], radius=1), "values: 2 rows do not fit 1 addresses"),
        (lambda: ha.memories.sdm([[1, 1, 1]], [[1]], 0, [[-1, -1, -1]]), "no location lies within 0 of address 0"),
        (
            lambda: ha.memories.sdm([[1, 1, 1]], [[1]], 0, [[-1, -1]]),
            "locations: dim 2 does not fit addresses of dim 3",
        ),
        (lambda: ha.memories.bam([[1, 1]], [[1, 0]]), "right: row 0 holds 0"),
        (lambda: ha.memories.bam([[1, 1]], [[1, 1], [1, 1]]), "1 on one side, 2 on the other"),
        (lambda: ha.memories.sequence([[1, 2]]), "patterns: row 0 holds 2"),
        (lambda: ha.memories.spherical([[1.0]], separation="sofmax"), "did you mean 'softmax'"),
        (
            lambda: ha.memories.spherical([[1.0]], ha.separations.softmax(beta=1.0), beta=99),
            "carries its own beta; give it in",
        ),
        (lambda: ha.memories.modern([[1.0, 1.0]]).recall(np.zeros((1, 3))), "cues: dim 3 does not fit"),
        (lambda: ha.memories.bam([[1, 1]], [[1, 1]]).step([1, 1], mask=[True]), "no patterns to mask"),
        (lambda: ha.memories.bam([[1, 1]], [[1, 1]]).recall([1, 1], update="async"), "turns a whole side at once"),
    ],
)
def test_impossible_arguments_are_refused(make, message):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        make()


SPIN, ZERO, TINY, HUGE = [1.0, -1.0], [0.0, 0.0], [5e-324, 5e-324], [1e308, 1e308]


@each("similarity", ["dot", "cosine", "euclidean"])
@each("separation", ["softmax", "identity", "exponential", "sparsemax"])
def test_a_pattern_too_large_to_be_multiplied_is_named(similarity, separation):
    """Warnings are errors: NumPy must not warn before the message."""
    reported = " holds a number of size 1e+308; expected at most 9.48e+153, so that products can be summed"
    for given, what in (
        (([SPIN, HUGE],), "keys: row 1"),
        (([SPIN, SPIN], [HUGE, SPIN]), "values: row 0"),
    ):
        with pytest.raises(InvalidInput, match=re.escape(what + reported)):
            ha.Memory(*given, similarity=similarity, separation=separation)
    with pytest.raises(InvalidInput, match=re.escape("cues: row 1" + reported)):
        ha.Memory([SPIN], similarity=similarity, separation=separation).recall([SPIN, HUGE])


def test_the_largest_pattern_that_may_be_stored_has_a_finite_score():
    for dtype in (np.float64, np.float32):
        most = float((np.finfo(dtype).max / 3) ** 0.5)
        keys = np.full((2, 3), 0.999 * most, dtype)
        assert np.isfinite(ha.Memory(keys).scores(keys)).all()
        with pytest.raises(InvalidInput, match="keys: row 0 holds a number of size"):
            ha.Memory(1.001 * keys / dtype(0.999))


@each("pattern", [ZERO, TINY])
@each("separation", ["softmax", "identity", "exponential", "sparsemax", "argmax"])
@each("similarity", ["dot", "cosine", "euclidean"])
def test_a_pattern_of_zeros_or_of_the_smallest_number_is_recalled_without_a_warning(pattern, separation, similarity):
    memory = ha.Memory([SPIN, pattern], similarity=similarity, separation=separation)
    assert np.isfinite(memory.recall([SPIN, pattern]).state).all()


def test_a_key_that_is_longer_than_the_largest_number_teaches_nothing():
    with pytest.raises(InvalidInput, match="keys: row 1 is longer than the largest number"):
        ha.learning.delta([SPIN, [1.7e308, 1.7e308]], [[1.0], [1.0]])
    with pytest.raises(InvalidInput, match="keys: row 1 holds a number of size 1e\\+308"):
        ha.memories.delta([SPIN, HUGE], [[1.0], [1.0]])


def test_scores_that_exceed_the_memory_are_refused_with_their_size():
    keys = np.broadcast_to(np.float64(1), (10**7, 1000))
    retrieval = ha.memories.nearest(np.ones((2, 3))).retrieval
    with pytest.raises(InvalidInput, match=r"scores of 10,000,000,000 pairs would take 74,505\.8 GiB"):
        retrieval.scores(np.broadcast_to(np.float64(1), (1000, 1000)), keys)


def test_mixed_dtypes_give_the_wider_one():
    narrow, wide = np.eye(2, dtype=np.float32), np.eye(2)
    assert ha.memories.modern(narrow).step(narrow).dtype == np.float32
    assert ha.memories.modern(narrow).step(wide).dtype == np.float64
    assert ha.memories.modern(narrow).recall([1, 0]).state.dtype == np.float64


OTHERS = {
    "Hopfield": lambda: ha.memories.hopfield([[1, -1], [1, 1]]),
    "Bidirectional": lambda: ha.memories.bam([[1, -1]], [[1, 1]]),
    "LogSumRelu": lambda: ha.memories.log_sum_relu([[1.0, -1.0], [1.0, 1.0]]),
    "SuperposedMemory": lambda: ha.memories.random_features([[1.0, -1.0]], n=8),
}


@each("kind", OTHERS)
def test_what_needs_keys_and_values_is_refused_by_other_memories_with_the_reason(kind):
    memory = OTHERS[kind]()
    with pytest.raises(InvalidInput, match=f"without: got {kind}; a `Memory` of keys and values leaves a pattern"):
        memory.without(0)
    with pytest.raises(InvalidInput, match=f"free_energy: got {kind}; expected a memory of keys and values"):
        memory.free_energy([1.0, 1.0])
