"""Induction heads that arise in training: the texts, the training, its file, and what the heads do in the end."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.circuits.emergence import record
from hopattn.circuits.emergence.record import Recipe, Training
from hopattn.foundation.errors import CannotDo, InvalidInput
from tests.each import each

SMALL = {"dim": 8, "heads": 2, "words": 10, "length": 12, "shortest": 3, "longest": 5, "batch": 4, "every": 2}


def train(*args, **options):
    pytest.importorskip("torch", reason="PyTorch is not installed (the extra `torch`)")
    from hopattn.circuits.emergence.training import train

    return train(*args, **options)


@given(seed=st.integers(0, 2**32 - 1))
def test_a_text_repeats_distinct_words_with_a_period_of_its_own(seed):
    recipe = Recipe(seed=seed)
    texts = recipe.batch_of(0)
    for tokens, period, repeated, new in zip(texts.tokens, texts.periods, texts.repeated, texts.new, strict=True):
        assert recipe.shortest <= period <= recipe.longest
        assert len(set(tokens[:period])) == period
        assert np.array_equal(tokens[period:], tokens[:-period])
        for i, (known, fresh) in enumerate(zip(repeated, new, strict=True)):
            seen = list(tokens[:i])
            assert known == (tokens[i] in seen)
            assert not known or tokens[i + 1] == tokens[seen.index(tokens[i]) + 1]
            assert fresh == (tokens[i + 1] not in tokens[: i + 1])


def test_periods_vary_and_held_out_texts_are_those_of_no_step():
    recipe = Recipe(steps=5)
    assert len(set(recipe.batch_of(0).periods)) > 5
    drawn = [recipe.batch_of(step).tokens for step in range(5)]
    assert len({tokens.tobytes() for tokens in drawn} | {recipe.held_out(recipe.batch).tokens.tobytes()}) == 6
    assert np.array_equal(recipe.batch_of(3).tokens, drawn[3])


@each(
    ("numbers", "message"),
    [
        ({"dim": 10}, "heads: 4 heads do not divide the dim 10"),
        ({"shortest": 30}, r"shortest: 30; expected at least 2 and at most longest \(24\)"),
        ({"longest": 50}, "longest: 50 distinct words do not exist among 48"),
        ({"length": 20}, "length: 20 words leave no repeated pair after a period of 24"),
        ({"rate": -1.0}, "rate: .*-1"),
        ({"steps": 2.5}, "steps: .*2.5"),
    ],
)
def test_a_recipe_refuses_numbers_that_do_not_fit(numbers, message):
    with pytest.raises(InvalidInput, match=message):
        Recipe(**numbers)


def test_the_losses_are_those_of_scipy():
    special = pytest.importorskip("scipy.special")
    rng = np.random.default_rng(0)
    logits, tokens = rng.normal(size=(2, 4, 5)), rng.integers(5, size=(2, 4))
    log_p = special.log_softmax(logits, axis=-1)
    expected = [[-log_p[b, i, tokens[b, i + 1]] for i in range(3)] for b in range(2)]
    np.testing.assert_allclose(record.cross_entropy(logits, tokens), expected, rtol=1e-12)


def test_the_model_gives_the_logits_that_pytorch_trained():
    torch = pytest.importorskip("torch")
    from hopattn.circuits.emergence.training import _logits

    training = train(Recipe(**SMALL, steps=4))
    tokens = training.recipe.held_out(3).tokens
    tensors = {name: torch.tensor(array) for name, array in training.state.weights.items()}
    expected = _logits(tensors, torch.tensor(tokens), training.recipe).numpy()
    np.testing.assert_allclose(training.model().logits(tokens), expected, atol=1e-5)


def test_a_resumed_training_gives_the_numbers_of_one_that_was_never_interrupted(tmp_path, monkeypatch):
    recipe, file = Recipe(**SMALL, steps=7), tmp_path / "run.npz"
    whole = train(recipe, file=tmp_path / "whole.npz")
    from hopattn.circuits.emergence import training as module

    monkeypatch.setattr(module, "CHECKPOINT", 3)

    def interrupt(done, total):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(recipe, file=file, report=interrupt)
    assert Training.load(file).state.step == 3
    resumed = train(recipe, file=file)
    for name, array in whole.state.weights.items():
        assert np.array_equal(resumed.state.weights[name], array)
    assert np.array_equal(resumed.steps, whole.steps)
    assert file.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert train(recipe, file=file).state.step == 7  # a finished file is read, and nothing is trained


def test_a_file_is_refused_with_what_is_wrong(tmp_path):
    recipe, file = Recipe(**SMALL, steps=3), tmp_path / "run.npz"
    begun = Training.begun(recipe)
    begun.save(file)
    with pytest.raises(InvalidInput, match="holds another training: steps is 3 there and 4 here"):
        Training.resumed(Recipe(**SMALL, steps=4), file)
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(InvalidInput, match=r"'run.npz' is not a .npz archive, or is truncated"):
        Training.load(file)
    np.savez(file, recipe=json.dumps({"layers": 1}), step=0, steps=[])
    with pytest.raises(InvalidInput, match=r"missing: embed.weight, .*layers.0.out_proj.weight"):
        Training.load(file)
    np.savez(file, recipe="{" * 100_000, step=0, steps=[])
    with pytest.raises(InvalidInput, match=r"'run.npz' is not a file of a training, or a truncated one"):
        Training.load(file)
    with pytest.raises(InvalidInput, match=r"there is no file 'runs\.npz'"):
        Training.load(tmp_path / "runs.npz")


def test_a_training_that_diverges_says_so():
    with pytest.raises(CannotDo, match=r"the training diverged: after \d+ steps the loss is (nan|inf); its rate"):
        train(Recipe(**SMALL, steps=200, rate=1e18))


def test_without_pytorch_the_training_says_what_is_missing(monkeypatch):
    from hopattn.circuits.emergence import training

    monkeypatch.setattr(training, "find_spec", lambda name: None)
    with pytest.raises(CannotDo, match="training needs PyTorch: pip install"):
        training.train(Recipe(**SMALL, steps=1))


def test_the_step_of_a_heads_own_memory_never_raises_the_energy():
    """E falls under q ← Kᵀ p; `energy_falls` counts what the layer does in its place."""
    model = Training.begun(Recipe(**SMALL)).model()
    texts = Recipe(**SMALL).held_out(4)
    trace = model.trace(texts.tokens)[-1]
    for head, own in zip(model.layers[-1].attention.heads, trace.heads, strict=True):
        before = record._energy(head, own.queries, own)
        queries = head.retrieval(own.queries, own.keys, own.keys, own.mask).state
        assert np.all(record._energy(head, queries, own) <= before + 1e-5)


@pytest.mark.full  # a training takes a minute
@each(("layers", "dim"), [(2, 64), (1, 88)])
def test_two_layers_learn_to_repeat_and_one_does_not(layers, dim):
    """The one-layer model has more numbers (45,056 of 43,008); one seed of 32 held-out texts each."""
    found = train(Recipe(layers=layers, dim=dim)).measures
    assert (found["loss of repeated words"][-1] < 0.1) == (layers == 2)
    assert (found["prefix matching"][-1].max() > 0.9) == (layers == 2)
    if layers == 1:
        assert found["loss of repeated words"][-1] > 2.0


def test_a_model_refuses_what_are_not_words():
    model = Training.begun(Recipe(**SMALL)).model()
    for tokens, message in (
        ([1, -1], "words: got -1; expected numbers from 0 to 9"),
        ([10], "words: got 10; expected numbers"),
        ([*range(10), 0, 1, 2], "words: got 13 words; expected at most 12"),
        ([], "words: expected texts of whole numbers"),
        (["a"], "words: expected texts of whole numbers"),
    ):
        with pytest.raises(InvalidInput, match=message):
            model(tokens)
    assert model([1, 2]).shape == (2, 10)
    assert repr(model) == "AttentionOnly(2 layers of 2 heads, dim 8, 10 words, texts of up to 12 words)"
    assert len(repr(Training.begun(Recipe(**SMALL)))) < 300


def test_without_positions_a_model_is_blind_to_order_but_for_the_mask():
    recipe = Recipe(**SMALL, positions=False)
    training = Training.begun(recipe)
    assert "position.weight" not in training.state.weights
    unmasked = training.model("none")
    words = np.array([3, 1, 4, 2])
    np.testing.assert_allclose(unmasked(words[[2, 0, 3, 1]]), unmasked(words)[[2, 0, 3, 1]], atol=1e-5)
    assert not np.allclose(training.model()(words)[-1], training.model()(words[[2, 0, 1, 3]])[2])


def test_what_cannot_be_trained_is_refused(tmp_path):
    from hopattn.circuits.emergence import training

    with pytest.raises(InvalidInput, match="file: expected the path of a file, not 3"):
        training.train(file=3)
    with pytest.raises(InvalidInput, match="report: expected a function, not 3"):
        training.train(report=3)
    with pytest.raises(InvalidInput, match="recipe: expected a Recipe, not 3"):
        Training.begun(3)
    with pytest.raises(InvalidInput, match="recipe: expected a Recipe, not 3"):
        training.train(3)
    with pytest.raises(InvalidInput, match="file: there is no folder"):
        training.train(Recipe(**SMALL), file=tmp_path / "none" / "run.npz")
    assert not (tmp_path / "none").exists()
