"""Arrays that people have: matrices, frames, sparse arrays, pictures, empty batches, and signs of print."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import hopattn as ha
from tests.checkpoints.written import GPT2, state_of, write
from tests.refusal import refused

ROWS = np.array([[1.0, -1, 1, -1], [1, 1, -1, -1], [1, 1, 1, -1]])
PICTURES = ROWS.reshape(3, 2, 2)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("name", sorted(ha.separations))
def test_a_matrix_or_a_list_of_scores_has_the_weights_of_its_array(name):
    separation = ha.separations.make(name)
    wanted = separation.weights(ROWS)
    for scores in (np.matrix(ROWS), ROWS.tolist()):
        weights = separation.weights(scores)
        assert type(weights) is np.ndarray
        np.testing.assert_array_equal(weights, wanted)
        if not separation.why_no_potential:
            np.testing.assert_array_equal(separation.potential(scores), separation.potential(ROWS))


CALLS = {
    "keys": lambda x: ha.Memory(x),
    "patterns": lambda x: ha.memories.modern(x),
    "couplings": lambda x: ha.Hopfield(x),
    "q": lambda x: ha.attention(x, ROWS, ROWS),
    "cues": lambda x: ha.memories.modern(ROWS).recall(x),
}


@pytest.mark.parametrize("what", CALLS)
def test_a_sparse_array_and_a_frame_of_other_columns_are_named_with_the_cure(what):
    pandas = pytest.importorskip("pandas")
    whole = pandas.DataFrame(ROWS[:, :3].astype(int) if what == "couplings" else ROWS.astype(int)).astype("Int64")
    refused(lambda: CALLS[what](whole), f"{what}: ", "x.to_numpy(float)")
    refused(lambda: CALLS[what](whole.where(whole > 0)), f"{what}: ", "missing", "x.dropna().to_numpy(float)")
    for form in (scipy.sparse.csr_matrix, scipy.sparse.coo_array):
        refused(lambda form=form: CALLS[what](form(ROWS)), f"{what}: ", "x.toarray()")
    assert np.array_equal(whole.to_numpy(float), np.asarray(whole, float))


OTHERS = {
    "a generator": ((row for row in ROWS), "[0.5, -1]", "list(x)"),
    "None": (None, "[0.5, -1]", "None"),
    "a dict": ({"a": 1}, "[0.5, -1]", "a dict"),
    "texts of numbers": ([["1", "2"]], "'1'", "np.asarray(x, float)"),
    "fractions": ([[Fraction(1, 2)]], "Fraction(1, 2)", "np.asarray(x, float)"),
    "an empty cell": ([[1.0, None]], "not None"),
    "a word": ([[1.0, "a"]], "not 'a'"),
    "a number beyond float64": ([[10**400]], "1000"),
}


@pytest.mark.parametrize("what", CALLS)
@pytest.mark.parametrize("other", OTHERS)
def test_what_is_no_array_of_numbers_is_named_as_it_stands_with_the_cure(what, other):
    value, *words = OTHERS[other]
    refused(lambda: CALLS[what](value), f"{what}: expected ", *words)


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor:UserWarning")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
def test_tensors_that_are_no_plain_array_are_named_with_the_cure(torch):
    plain = torch.tensor(ROWS)
    sparse, packed = plain.to_sparse(), torch.quantize_per_tensor(plain.float(), 0.5, 0, torch.qint8)
    ragged = torch.nested.nested_tensor([plain[0], plain[1, :2]])
    cures = {"x.to_dense()": sparse, "x.dequantize()": packed, "x.to_padded_tensor(0.0)": ragged}
    for cure, tensor in cures.items():
        for what in CALLS:
            refused(lambda what=what, tensor=tensor: CALLS[what](tensor), f"{what}: ", cure)
        ha.Memory(eval(cure, {"x": tensor}))
    refused(lambda: ha.circuits.previous_token(torch.eye(3, device="meta")), "attention: ", "meta")


NETWORK = ha.networks.Network([ha.networks.Layer("a", 4, "tanh")], [ha.networks.Dense(np.eye(4)).on("a", "a")])
DECODER = ha.transformer.RecurrentDecoder(ha.transformer.Recurrent(np.ones((4, 8)), np.eye(4)))
STATES = ha.transformer.LinearState(), ha.transformer.DeltaState()
LINEAR, DELTA = (state.attended(ROWS, ROWS, ROWS)[1] for state in STATES)
OF_NUMPY = {
    "a normalisation": ha.transformer.LayerNorm(np.ones(4), np.ones(4)),
    "the gain beside it": lambda x: ha.transformer.RMSNorm(np.ones(4), x[0]),
    "Bilinear": lambda x: ha.retrieval.Bilinear(np.eye(4))(x, ROWS),
    "Additive": lambda x: ha.retrieval.Additive(np.eye(4), np.eye(4), np.ones(4))(ROWS, x),
    "Capped": lambda x: ha.retrieval.Capped(1.0)(x, ROWS),
    **{name: getattr(NETWORK, name) for name in ("energies", "energy", "field", "step", "split", "gradient")},
    "join": lambda x: NETWORK.join({"a": x}),
    "a recurrent network": ha.transformer.Recurrent(np.eye(4), np.eye(4)),
    "its step": lambda x: ha.transformer.Recurrent(np.eye(4), np.eye(4)).step(x, ROWS),
    "the text of a decoder": lambda x: DECODER(ROWS, x),
    "the words of a decoder": lambda x: DECODER(x, ROWS),
    "a state of a text": LINEAR.read,
    "a state of the delta rule": DELTA.read,
    "further words of a state": lambda x: DELTA.attended(x, x, x),
    "sdm": lambda x: ha.memories.sdm(ROWS, x, radius=1, locations=ROWS),
    "cosine": lambda x: ha.cosine(ROWS, x),
}


def test_what_a_model_computes_with_numpy_says_so_of_a_tensor_with_a_derivative(torch, tmp_path):
    model = ha.Checkpoint(write(tmp_path, GPT2, state_of(GPT2)))
    states = torch.ones(1, 8)
    for call in (lambda x: model.layer(0, x), model.logits):
        call(states)
        refused(lambda call=call: call(states.clone().requires_grad_()), "states: ", "x.detach()")
    refused(lambda: model.patch("residual", 0, value=states[0].clone().requires_grad_()), "value: ", "x.detach()")


@pytest.mark.parametrize("name", OF_NUMPY)
def test_an_object_of_numpy_refuses_a_tensor_and_takes_a_list(torch, name):
    call = OF_NUMPY[name]
    call(ROWS.tolist())
    refused(lambda: call(torch.tensor(ROWS)), "", "one library", "give torch.asarray(x) for an x of numpy")


@pytest.mark.parametrize("call", [
    ha.Memory, ha.memories.modern, ha.memories.hopfield, ha.theory.margins, ha.learning.hebb,
    ha.experiments.compare_patterns,
])  # fmt: skip
def test_pictures_are_refused_with_the_way_to_flatten_them(call):
    for pictures in (PICTURES, list(PICTURES)):
        refused(lambda pictures=pictures: call(pictures), "", "(3, 2, 2)", "x.reshape(len(x), -1)")
    call(PICTURES.reshape(3, -1))


def test_cues_of_another_shape_are_refused_with_the_way_to_flatten_them():
    memory = ha.memories.modern(ROWS)
    refused(lambda: memory.recall(PICTURES), "cues: ", "x.reshape(len(x), -1)")
    for one in (PICTURES[0], ROWS[:1].T):
        refused(lambda one=one: memory.recall(one), "cues: ", "x.reshape(-1)")
        assert memory.recall(one.reshape(-1)).state.shape == (4,)


def test_an_empty_batch_is_told_what_was_expected():
    refused(lambda: ha.memories.modern(ROWS).recall(np.zeros((0, 4))), "cues: got shape (0, 4)", "at least one cue")


@pytest.mark.parametrize(("word", "choice"), [("asynchronous", "async"), ("synchronous", "sync"), ("Async", "async")])
def test_a_word_that_a_choice_begins_leads_to_it(word, choice):
    refused(lambda: ha.memories.hopfield(ROWS).recall(ROWS, update=word), "update: ", f"did you mean '{choice}'?")


def test_a_minus_sign_of_print_is_read_on_the_command_line_and_named_in_a_scenario(hopattn, tmp_path):
    assert hopattn("compare", "--beta", "−1")[2] == hopattn("compare", "--beta", "-1")[2]
    assert hopattn("compare", "--over", "beta=−1:2:3")[2] == hopattn("compare", "--over", "beta=-1:2:3")[2]
    (tmp_path / "a.toml").write_text('schema = 1\ntitle = "t"\n[vocabulary]\na = [1, −0.5]\n', encoding="utf-8")
    code, _, err = hopattn("run", str(tmp_path / "a.toml"))
    assert code == 2 and "a.toml:4: " in err and "write -0.5" in err


def test_patterns_so_small_that_no_beta_tells_them_apart_are_told_the_cure(hopattn, tmp_path):
    np.savetxt(tmp_path / "a.csv", 1e-160 * ROWS, delimiter=",")
    code, out, _ = hopattn("separation", str(tmp_path / "a.csv"))
    assert code == 0 and "take patterns / abs(patterns).max()" in out
    ha.memories.sparse(1e-160 * ROWS / np.abs(1e-160 * ROWS).max(), beta=10.0)


def test_a_recall_that_rests_at_the_mean_of_two_patterns_matches_neither():
    recall = ha.memories.modern(ROWS[:2], beta=0.01).recall(ROWS[:2].mean(axis=0))
    assert recall.converged and np.allclose(recall.state, ROWS[:2].mean(axis=0), atol=1e-2)
    assert recall.matched == -1 and recall.spurious


@given(arrays(float, (4, 12), elements=st.sampled_from([-1.0, 1.0])), st.integers(0, 3), st.floats(0.01, 0.2))
def test_a_state_as_near_to_two_patterns_matches_neither_and_says_so(rows, i, size):
    apart = size * rows[i] * (np.eye(12)[0] - np.eye(12)[1])  # at a right angle to the state
    patterns = np.vstack([rows[i] + apart, rows[i] - apart, -5 * rows[i]])
    memory = ha.Memory(patterns, beta=1e6)
    likeness = memory._reference.likeness(rows[i][None])
    assert likeness.matched[0] == -1 and likeness.spurious[0] == "between"
    assert memory._reference.likeness(patterns[:2]).matched.tolist() == [0, 1]
    twice = ha.Memory(np.vstack([patterns, patterns]), beta=1e6)
    assert twice._reference.likeness(patterns[:2]).matched.tolist() == [0, 1]  # equal patterns are one
