"""Induction heads that arise in training: the texts, the training, its file, and what the heads do in the end."""

import json
import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax, logsumexp

from hopattn.circuits import Recipe, Training, prefix_matching, previous_token, train
from hopattn.circuits.attention_only import AttentionOnly
from hopattn.circuits.emergence.training import logits_of
from hopattn.foundation.errors import CannotDo
from tests.circuits.models import SMALL, small
from tests.refusal import refused


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
    recipe = Recipe(steps=5, seed=0)
    assert len(set(recipe.batch_of(0).periods)) > 5
    drawn = [recipe.batch_of(step).tokens for step in range(5)]
    assert len({tokens.tobytes() for tokens in drawn} | {recipe.held_out(recipe.batch).tokens.tobytes()}) == 6
    assert np.array_equal(recipe.batch_of(3).tokens, drawn[3])


@pytest.mark.parametrize("positions", [True, False])
def test_a_training_computes_the_logits_of_its_model(torch, positions):
    recipe = small(positions=positions)
    training, tokens = Training.begun(recipe), recipe.held_out(3).tokens
    weights = {name: torch.tensor(array.astype(float)) for name, array in training.state.weights.items()}
    found, expected = logits_of(weights, torch.tensor(tokens), recipe), training.model()(tokens)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.slow
def test_a_training_is_that_of_pytorchs_modules(torch):
    """Adam with its first rates of decay at .9 and .98, whose rate rises over 50 steps, on the texts of each step."""
    recipe = small(steps=20, rate=0.05)
    begun, trained = Training.begun(recipe).state.weights, train(recipe)
    embed, position, unembed = (torch.nn.Parameter(torch.tensor(begun[f"{name}.weight"])) for name in
                                ("embed", "position", "unembed"))  # fmt: skip
    layers = [torch.nn.MultiheadAttention(8, 2, bias=False, batch_first=True) for _ in range(2)]
    for i, layer in enumerate(layers):
        layer.load_state_dict({name: torch.tensor(begun[f"layers.{i}.{name}"]) for name in layer.state_dict()})
    parameters = [embed, position, unembed, *(one for layer in layers for one in layer.parameters())]
    adam = torch.optim.Adam(parameters, betas=(0.9, 0.98))
    ahead = torch.triu(torch.ones(12, 12, dtype=torch.bool), 1)
    for step in range(recipe.steps):
        tokens = torch.tensor(recipe.batch_of(step).tokens)
        state = embed[tokens] + position
        for layer in layers:
            state = state + layer(state, state, state, attn_mask=ahead, need_weights=False)[0]
        loss = torch.nn.functional.cross_entropy((state @ unembed.T)[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
        adam.param_groups[0]["lr"] = recipe.rate * (step + 1) / 50
        adam.zero_grad()
        loss.backward()
        adam.step()
    arrays = {"embed.weight": embed, "position.weight": position, "unembed.weight": unembed}
    arrays |= {f"layers.{i}.{name}": one for i, layer in enumerate(layers) for name, one in layer.named_parameters()}
    assert trained.state.weights.keys() == arrays.keys() and trained.finished
    for name, array in arrays.items():
        assert np.abs(trained.state.weights[name] - begun[name]).max() > 1e-4
        np.testing.assert_allclose(trained.state.weights[name], array.detach(), atol=1e-4, err_msg=name)


def test_every_measure_is_its_definition_on_the_held_out_texts(torch):
    """Losses by SciPy, scores of the traced weights, and E(q) = ½|q|² − β⁻¹ log Σ exp(β K q) of the last layer."""
    reported = []
    training = train(small(steps=3), report=lambda *steps: reported.append(steps))
    assert training.steps.tolist() == [0, 2, 3] and reported == [(2, 3), (3, 3)]
    model, texts = training.model(), training.recipe.held_out()
    found = {name: values[-1] for name, values in training.measures.items()}
    chances = log_softmax(model(texts.tokens)[:, :-1].astype(float), axis=-1)
    losses = -np.take_along_axis(chances, texts.tokens[:, 1:, None], axis=-1)[..., 0]
    repeated, new = losses[texts.repeated].mean(), losses[texts.new].mean()
    expected = {"loss of repeated words": repeated, "loss of new words": new, "in-context score": repeated - new}
    traces = model.trace(texts.tokens)
    weights = np.array([[head.weights for head in trace.heads] for trace in traces])
    expected["previous token"] = previous_token(weights).mean(axis=-1)
    expected["prefix matching"] = prefix_matching(weights, texts.tokens).mean(axis=-1)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-4, atol=1e-5, err_msg=name)
    last, seen = traces[-1], np.tril(np.ones((12, 12), bool))
    places = np.pad(texts.repeated, ((0, 0), (0, 1)))
    assert found["energy falls"].shape == (2, 5) and found.keys() == {*expected, "energy falls"}
    for i, head in enumerate(model.layers[-1].attention.heads):
        energies = []
        for queries in (last.heads[i].queries, last.state @ head.w_query.T):
            scores = np.where(seen, queries @ last.heads[i].keys.mT / 2, -np.inf)  # β is 1/√4
            energies.append((queries**2).sum(axis=-1) / 2 - 2 * logsumexp(scores, axis=-1))
        share = np.mean((energies[1] < energies[0])[places])
        assert found["energy falls"][i, 0] == pytest.approx(share, abs=0.02)  # some differ by rounding alone


def test_a_resumed_training_gives_the_numbers_of_one_that_was_never_interrupted(tmp_path, torch):
    recipe, file = small(steps=106), tmp_path / "run.npz"
    whole = train(recipe, file=tmp_path / "whole.npz")

    def interrupt(done, total):
        if done == 104:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(recipe, file=file, report=interrupt)
    assert 0 < Training.load(file).state.step < 104 and not Training.load(file).finished
    resumed = train(recipe, file=file)
    for name, array in whole.state.weights.items():
        assert np.array_equal(resumed.state.weights[name], array)
    assert np.array_equal(resumed.steps, whole.steps)
    assert file.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert train(recipe, file=file).state.step == 106  # a finished file is read, and nothing is trained


def test_a_file_is_refused_with_what_is_wrong(tmp_path, torch):
    file = tmp_path / "run.npz"
    Training.begun(small(steps=3)).save(file)
    refused(partial(train, small(steps=4), file=file), "", "run.npz", "steps is 3 there and 4 here")
    refused(partial(train, small(steps=3), file=file), "", "run.npz", "lacks the state of the optimiser")
    file.write_bytes(file.read_bytes()[:200])
    refused(partial(Training.load, file), "", "'run.npz'", "truncated")
    for recipe, words in ((json.dumps({"layers": 1}), ["missing: embed.weight,", "layers.0.out_proj.weight"]),
                          ("{" * 100_000, ["'run.npz' is not a file of a training"])):  # fmt: skip
        np.savez(file, recipe=recipe, step=0, steps=[])
        refused(partial(Training.load, file), "", *words)
    refused(partial(Training.load, tmp_path / "runs.npz"), "", "no file 'runs.npz'")


def test_a_training_that_diverges_says_so(torch):
    with pytest.raises(CannotDo, match=r"the training diverged: after \d+ steps the loss is (nan|inf); its rate"):
        train(small(steps=200, rate=1e18))


def test_without_pytorch_the_training_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    refused(partial(train, SMALL), "training needs PyTorch", "pip install torch")


def test_a_model_without_layers_reads_out_its_words():
    rng = np.random.default_rng(0)
    embed, positions, unembed = (rng.normal(size=(n, 4)) for n in (5, 3, 5))
    model = AttentionOnly(embed=embed, positions=positions, layers=(), unembed=unembed)
    assert np.array_equal(model([2, 0, 4]), (embed[[2, 0, 4]] + positions) @ unembed.T)


def test_models_and_trainings_are_shown_in_a_line():
    model = Training.begun(SMALL).model()
    assert repr(model) == "AttentionOnly(2 layers of 2 heads, dim 8, 10 words, texts of up to 12 words)"
    assert len(repr(Training.begun(SMALL))) < 300 and "after 0 of 1000 steps" in repr(Training.begun(SMALL))


@pytest.mark.slow
@pytest.mark.parametrize(("layers", "dim"), [(2, 64), (1, 88)])
def test_two_layers_learn_to_repeat_and_one_does_not(torch, layers, dim):
    """The one-layer model has more numbers (45,056 of 43,008); one seed of 32 held-out texts each."""
    found = train(Recipe(layers=layers, dim=dim, seed=0)).measures
    assert (found["loss of repeated words"][-1] < 0.1) == (layers == 2)
    assert (found["prefix matching"][-1].max() > 0.9) == (layers == 2)
    if layers == 1:
        assert found["loss of repeated words"][-1] > 2.0


def test_without_positions_a_model_is_blind_to_order_but_for_the_mask():
    recipe = small(positions=False)
    training = Training.begun(recipe)
    assert "position.weight" not in training.state.weights
    unmasked = training.model("none")
    words = np.array([3, 1, 4, 2])
    np.testing.assert_allclose(unmasked(words[[2, 0, 3, 1]]), unmasked(words)[[2, 0, 3, 1]], atol=1e-5)
    assert not np.allclose(training.model()(words)[-1], training.model()(words[[2, 0, 1, 3]])[2])


def test_what_cannot_be_trained_is_refused(tmp_path):
    for call, place, *words in (
        (partial(train, file=3), "file:", "path", "3"),
        (partial(train, report=3), "report:", "function", "3"),
        (partial(train, 3), "recipe:", "Recipe", "3"),
        (partial(train, SMALL, file=tmp_path / "none" / "run.npz"), "file:", "no folder"),
    ):
        refused(call, place, *words)
    assert not (tmp_path / "none").exists()
