"""Arguments that memories refuse, each with a message that names it and says what would do."""

import array_api_strict
import numpy as np
import pytest

import hopattn as ha
from tests.refusal import refused

of = ha.memories
NAN, EYE, FIVE, BAM = np.nan, ha.Memory(np.eye(3)), ha.Memory(np.eye(5)), of.bam([[1, 1]], [[1, 1]])
SOFT, ONE, FIVES = ha.separations["softmax"](beta=8), [[1.0]], "whole numbers from 0 to 4, or from −5 to −1"
LINES = np.broadcast_to(np.float64(1), (10**7, 3))


ROWS = [
    (lambda: ha.Memory([]), "keys: got shape"),
    (lambda: ha.Memory([1, 2]), "keys: got shape", "(n_patterns, dim)"),
    (lambda: ha.Memory(np.zeros((0, 3))), "keys: ", "no axis of length 0"),
    (lambda: ha.Memory([[1, NAN]]), "keys: row 0", "NaN"),
    (lambda: ha.Memory([[1, 2], [3]]), "keys: ", "unequal length"),
    (lambda: ha.Memory([["a"]]), "keys: ", "real numbers"),
    (lambda: ha.Memory(np.array([["1", "2"]])), "keys: ", "real numbers"),
    (lambda: ha.Memory(np.array([["2020-01-01"]], dtype="datetime64[D]")), "keys: ", "real numbers"),
    (lambda: ha.Memory([[1, 2]], [[1], [2]]), "values: ", "got shape (2, 1)", "n_patterns = 1 of keys"),
    (lambda: ha.Memory([[1, 2]], patterns=[[1, 2, 3]]), "patterns: ", "got shape (1, 3)", "dim_out = 2 of values"),
    (lambda: ha.Memory([[1, 2]], beta=-1), "beta: ", "positive", "-1"),
    (lambda: ha.Memory([[1, 2]], separation="softmx"), "separation: ", "'softmx'", "did you mean 'softmax'"),
    (lambda: ha.Memory([[1, 2]], similarity="dott"), "similarity: ", "'dott'"),
    (lambda: ha.Memory([[1, 2]], activation=3), "activation: ", "Activation", "int"),
    (lambda: ha.Memory(np.eye(2), separation=SOFT, beta=2), "", "carries its own beta"),
    (lambda: ha.Memory(np.eye(2), separation="identity", sink=0.0), "sink: "),
    (lambda: EYE.step([1.0, 2.0]), "cues: ", "dim = 3 of keys"),
    (lambda: EYE.step(1.0), "cues: ", "got shape ()", "dim = 3 of keys"),
    (lambda: EYE.step(np.eye(3), np.ones((2, 2), bool)), "mask: shape"),
    (lambda: EYE.rest(np.eye(3)), "", "sink"),
    (lambda: ha.Memory(np.eye(2), ONE * 2).energy([1, 0]), "energy: ", "values differ from keys"),
    (lambda: ha.Memory(np.eye(2), similarity="cosine").energy([1, 0]), "energy: ", "'cosine' is not the dot product"),
    (lambda: of.sparse(np.eye(3)).jacobian(np.ones(3)), "memory: ", "Jacobian"),
    (lambda: of.hopfield([[1, 1], [1, 0.5]]), "patterns: row 1 holds 0.5", "−1 or 1"),
    (lambda: of.hopfield(np.eye(3)), "patterns: ", "2*x − 1", 'activation="step"'),
    (lambda: of.hopfield([[1, 1]], bias=1, threshold=1), "threshold: ", "is the bias with the other sign"),
    (lambda: of.hopfield([[1, 1]], threshold=[1, 2, 3]), "threshold: got 3 numbers", "each of the 2 neurons"),
    (lambda: of.hopfield([[1, 1]], bias="1"), "bias: "),
    (lambda: of.hopfield([[1, 1]], rule="heb"), "rule: ", "'heb'", "did you mean 'hebb'"),
    (lambda: of.hopfield([[1, 1]], rule="storkey", self_coupling=True), "self_coupling: ", "'storkey'"),
    (
        lambda: of.hopfield([[1, 1, 1], [-1, -1, -1]], rule="pseudo_inverse"),
        "patterns: row 1 depends on those before it",
    ),
    (lambda: of.hopfield([]), "patterns: got shape"),
    (lambda: of.hopfield(np.ones((1, 10**6))), "couplings of 1,000,000 neurons", "7,450.6 GiB"),
    (lambda: of.dense([[1, 0]]), "patterns: row 0 holds 0", "spins"),
    (lambda: of.dense([[1, 1]], n=1), "n: ", "from 2", "not 1"),
    (lambda: of.dense([[1, 1]], n=1001), "n: ", "1000", "not 1001"),
    (lambda: of.modern([[1.0, 0.0], [0.0, 0.0]]), "patterns: row 1 is zero"),
    (lambda: of.modern([[1.0, NAN]]), "patterns: row 0", "NaN"),
    (lambda: of.modern([["a"]]), "patterns: ", "real numbers"),
    (lambda: of.modern(ONE, beta=0), "beta: ", "positive", "not 0"),
    (lambda: of.modern(ONE, bta=2), "modern: option 'bta'", "did you mean 'beta'? (choices: beta, "),
    (lambda: of.modern([[1.0, 1.0]]).recall(np.zeros((1, 3))), "cues: ", "got shape (1, 3)", "dim = 2 of patterns"),
    (lambda: of.sdm([[1, 1]], [[1]], raduis=1), "sdm: option 'raduis'", "did you mean 'radius'?"),
    (lambda: of.sparse(ONE, alpha=0.5), "alpha: ", "at least 1", "0.5"),
    (lambda: of.linear(ONE, normalise=True), "normalise: ", "identity"),
    (lambda: of.linear(ONE, feature_map="rlu"), "phi: ", "did you mean 'relu'"),
    (lambda: of.delta(ONE, [[1.0], [2.0]]), "", "1 on one side, 2 on the other"),
    (lambda: of.delta(ONE, ONE, rate=2), "rate: ", "below 2", "2"),
    (lambda: of.delta(ONE, ONE, sweeps=10**9), "sweeps: ", "from 1 to 100000"),
    (lambda: of.delta(ONE, ONE).recall(np.zeros((0, 1))), "cues: "),
    (lambda: of.delta([[1.0, -1], [1e308, 1e308]], ONE * 2), "keys: row 1", "1e+308"),
    (lambda: of.k_subsets([[1.0], [2.0]], k=3), "k: ", "from 1 to 2", "not 3"),
    (lambda: of.sdm([[1, 1]], [[1]], radius=3), "radius: ", "from 0 to 2", "not 3"),
    (lambda: of.sdm([[1, 1]], [[1], [1]], radius=1), "values: 2 rows", "1 addresses"),
    (
        lambda: of.sdm([[1, 1, 1]], [[1]], radius=0, locations=[[-1, -1, -1]]),
        "",
        "no location lies within 0 of address 0",
    ),
    (lambda: of.sdm([[1, 1, 1]], [[1]], radius=0, locations=[[-1, -1]]), "locations: ", "dim = 3 of addresses"),
    (lambda: of.bam([[1, 1]], [[1, 0]]), "right: row 0 holds 0"),
    (lambda: of.bam([[1, 1]], [[1, 1], [1, 1]]), "", "1 on one side, 2 on the other"),
    (lambda: BAM.step([1, 1], mask=[True]), "mask: ", "no patterns"),
    (lambda: BAM.recall([1, 1], update="async"), "update: ", "a whole side at once"),
    (lambda: of.sequence([[1, 2]]), "patterns: row 0 holds 2"),
    (lambda: of.spherical(ONE, separation="sofmax"), "separation: ", "did you mean 'softmax'"),
    (lambda: of.spherical(ONE, separation=SOFT, beta=99), "", "carries its own beta"),
    (lambda: of.log_sum_relu(np.eye(2), beta=0), "beta: ", "positive", "not 0"),
    (lambda: of.log_sum_relu(np.eye(2), epsilon=0), "epsilon: ", "positive", "not 0"),
    (lambda: of.log_sum_relu(np.eye(2)).step([1.0]), "cues: ", "dim = 2 of patterns"),
    (lambda: of.log_sum_relu(np.eye(2)).recall([1, 0], update="async"), "update: ", "depend on all its neurons"),
    (lambda: of.random_features(np.eye(2), n=0), "n: ", "at least 1", "not 0"),
    (lambda: of.random_features(np.eye(2), beta=-1), "beta: ", "positive", "not -1"),
    (lambda: of.random_features(1e150 * np.eye(2), beta=1e10), "beta: ", "at most 1e+300"),
    (lambda: of.random_features(np.eye(2), n=9).recall([1, 0], mask=[True, True]), "mask: ", "added up"),
    (lambda: ha.retrieval.RandomFeatures(damping=-0.1), "damping: ", "at least 0", "-0.1"),
    (lambda: of.threshold_layer(np.eye(2), activation="tanh"), "activation: ", "'tanh'"),
    (lambda: of.stable_hidden_states(of.modern(np.eye(2))), "memory: ", "expected a threshold"),
    (lambda: of.stable_hidden_states(3), "memory: ", "ha.memories.threshold_layer"),
    (lambda: of.stable_hidden_states(of.threshold_layer(np.eye(21))), "memory: ", "21 hidden neurons", "at most 20"),
    (lambda: of.input_driven(np.ones((1, 8)), np.ones(3)), "input: got shape (3,)", "(8,)"),
    (lambda: of.input_driven(np.ones((1, 8)), [NAN] * 8), "input: ", "NaN"),
    (lambda: ha.Memory(np.eye(1)).without(0), "pattern: got the only one of the memory"),
    (lambda: of.worth(of.hopfield([[1, 1], [1, -1]]), [1, 1], 0), "memory: expected a Memory"),
    (lambda: ha.memories.nearest(LINES).scores(LINES), "scores of 100,000,000,000,000 pairs", "GiB"),
]
PATTERNS = [
    (5, "got 5", FIVES),
    (-6, "got -6", FIVES),
    ("dog", "'dog'", "a number"),
    (1.5, "got 1.5"),
    ([True, False], "booleans of shape (2,)", "(5,)"),
    (range(5), "got all 5 of the memory", "at least one"),
    (None, "numbers such as"),
]
OTHERS = {
    "Hopfield": of.hopfield([[1, -1], [1, 1]]),
    "Bidirectional": of.bam([[1, -1]], [[1, 1]]),
    "LogSumRelu": of.log_sum_relu([[1.0, -1.0], [1.0, 1.0]]),
    "SuperposedMemory": of.random_features([[1.0, -1.0]], n=8),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_wrong_argument_is_refused_by_its_name(row):
    refused(*row)


@pytest.mark.parametrize(("pattern", "words"), [(row[0], row[1:]) for row in PATTERNS])
def test_a_pattern_that_cannot_be_left_out_is_refused(pattern, words):
    refused(lambda: FIVE.without(pattern), "pattern: ", *words)
    refused(lambda: of.worth(FIVE, np.eye(5), pattern), "pattern: ", *words)


@pytest.mark.parametrize("kind", OTHERS)
def test_what_needs_keys_and_values_is_refused_by_other_memories_with_the_reason(kind):
    refused(lambda: OTHERS[kind].without(0), f"without: got {kind}", "`Memory` of keys and values")
    refused(lambda: OTHERS[kind].free_energy([1.0, 1.0]), f"free_energy: got {kind}", "memory of keys and values")


LAYERS = ha.networks.Layer("a", 2, "sign"), ha.networks.Layer("b", 1, "sign")
EVERY = OTHERS | {
    "Memory": FIVE,
    "Associator": ha.Associator([[1.0, 1.0], [1.0, -1.0]]),
    "Network": ha.networks.Network(LAYERS, [ha.networks.Dense([[1.0, -1.0]]).on("b", "a")]),
}


@pytest.mark.parametrize("kind", EVERY)
def test_a_memory_says_by_name_what_it_lacks_and_refuses_it_with_that_reason_in_every_call(kind):
    memory, calls = EVERY[kind], ("step", "field", "energy", "gradient", "recall")
    cue = np.ones(memory._reference.shape[1])
    refused(lambda: memory.why_not("enrgy"), "capability: ", "'enrgy'", "did you mean 'energy'")
    refused(lambda: memory.why_not(cue), "capability: ", "energy")
    if reason := memory.why_not("energy"):
        refused(lambda: memory.energy(cue), f"energy: {reason}")
        refused(lambda: memory.gradient(cue), f"energy: {reason}")
        calls = "step", "field", "recall"
    if reason := memory.why_not("mask"):
        for call in calls:
            refused(
                lambda call=call: getattr(memory, call)(cue, mask=np.ones(memory.n_patterns, bool)), f"mask: {reason}"
            )
    assert bool(memory.why_not("mask")) == (kind not in ("Memory", "LogSumRelu"))


SPIN, ZERO, TINY, HUGE = [1.0, -1.0], [0.0, 0.0], [5e-324, 5e-324], [1e308, 1e308]


@pytest.mark.parametrize("similarity", ["dot", "cosine", "euclidean"])
@pytest.mark.parametrize("separation", ["softmax", "identity", "exponential", "sparsemax", "argmax"])
def test_numbers_of_any_size_are_recalled_without_a_warning_or_refused_by_their_row(similarity, separation):
    """Warnings are errors: NumPy must not warn before the message."""
    parts = {"similarity": similarity, "separation": separation}
    refused(lambda: ha.Memory([SPIN, HUGE], **parts), "keys: row 1", "1e+308", "at most 9.48e+153")
    refused(lambda: ha.Memory([SPIN, SPIN], [HUGE, SPIN], **parts), "values: row 0", "1e+308", "at most 9.48e+153")
    refused(lambda: ha.Memory([SPIN], **parts).recall([SPIN, HUGE]), "cues: row 1", "1e+308", "at most 9.48e+153")
    for small in (ZERO, TINY):
        assert np.isfinite(ha.Memory([SPIN, small], **parts).recall([SPIN, small]).state).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_largest_pattern_that_may_be_stored_has_a_finite_score(dtype):
    most = float((np.finfo(dtype).max / 3) ** 0.5)
    keys = np.full((2, 3), 0.999 * most, dtype)
    assert np.isfinite(ha.Memory(keys).scores(keys)).all()
    refused(lambda: ha.Memory(1.001 * keys / dtype(0.999)), "keys: row 0")


def test_a_nan_in_a_cue_does_not_vanish_in_its_answer():
    for separation in ha.separations:
        with np.errstate(invalid="ignore"):
            answer = ha.Memory(np.eye(2), separation=separation).step([NAN, 1.0])
        assert np.all(np.isnan(answer)), separation


def test_arrays_of_two_libraries_are_refused(torch):
    both = array_api_strict.asarray([1.0, 0.0])
    refused(lambda: ha.Memory(torch.eye(2)).step(both), "cues and keys: ", "not of array_api_strict and torch")
    refused(lambda: ha.Memory(torch.eye(2).double()).step(torch.eye(2)), "cues: torch.float32", "keys of torch.float64")
