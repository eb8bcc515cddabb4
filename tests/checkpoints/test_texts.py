"""A text as tokens: the ids and words are those of `tokenizers`, whatever the file says of padding and truncation."""

import json
from functools import partial
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.checkpoints.texts import OLDER, WRITES
from hopattn.figures.as_result import weights_as_result
from tests.checkpoints.written import GPT2, lasting_folder, state_of, write
from tests.refusal import refused

TEXT = "Mary saw John, and John saw Mary."
FEW = {**GPT2, "vocab_size": 300, "n_positions": 16}
BEGIN, UNKNOWN = "<s>", "<unk>"


@pytest.fixture(autouse=True)
def tokenizers():
    """Skip where the package is not installed."""
    if find_spec("tokenizers") is None:
        pytest.skip("tokenizers is not installed (the extra `models` brings it)")


def byte_level():
    """Bytes as GPT-2 writes them, some of them merged; no special token is added."""
    tk = import_module("tokenizers")
    letters = sorted(tk.pre_tokenizers.ByteLevel.alphabet())
    made, merges = list(letters), []
    for word in ("ĠMary", "ĠJohn", "Ġsaw"):
        for i in range(2, len(word) + 1):
            if word[:i] not in made:
                made.append(word[:i])
                merges.append((word[: i - 1], word[i - 1]))
    found = tk.Tokenizer(tk.models.BPE({word: i for i, word in enumerate(made)}, merges))
    found.pre_tokenizer, found.decoder = tk.pre_tokenizers.ByteLevel(add_prefix_space=False), tk.decoders.ByteLevel()
    return found


def pieces():
    """Parts of words as BERT writes them, without capitals, and a token for the beginning."""
    tk = import_module("tokenizers")
    words = [UNKNOWN, BEGIN, "mary", "john", "saw", "s", "##aw", "##n", "and", ",", "."]
    found = tk.Tokenizer(tk.models.WordPiece({word: i for i, word in enumerate(words)}, unk_token=UNKNOWN))
    found.normalizer, found.pre_tokenizer = tk.normalizers.Lowercase(), tk.pre_tokenizers.BertPreTokenizer()
    found.decoder = tk.decoders.WordPiece()
    found.post_processor = tk.processors.TemplateProcessing(f"{BEGIN} $A", special_tokens=[(BEGIN, 1)])
    return found


def sentence_pieces():
    """Words with a mark for the space before, as Llama writes them, chosen by their chance."""
    tk = import_module("tokenizers")
    words = [UNKNOWN, "▁", "▁Mary", "▁saw", "▁John", "▁and", ",", ".", "s", "a", "w"]
    found = tk.Tokenizer(tk.models.Unigram([(word, -1.0 - i) for i, word in enumerate(words)], unk_id=0))
    found.pre_tokenizer, found.decoder = tk.pre_tokenizers.Metaspace(), tk.decoders.Metaspace()
    return found


KINDS = {one.__name__: one for one in (byte_level, pieces, sentence_pieces)}


def model_with(tokenizer, folder, config=FEW):
    tokenizer.save(str(write(folder, config, state_of(config)) / "tokenizer.json"))
    return ha.Checkpoint(folder)


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture
def model(kind, tmp_path):
    return model_with(kind(), tmp_path)


def expected(tokenizer, text):
    """The ids, and of each what it decodes to alone, or its name where that is no text."""
    ids = tokenizer.encode(text).ids
    alone = [tokenizer.decode([one], skip_special_tokens=False) for one in ids]
    named = [not word or "\ufffd" in word for word in alone]
    return ids, tuple(tokenizer.id_to_token(i) if no else word for i, word, no in zip(ids, alone, named, strict=True))


def test_ids_and_words_are_those_of_the_tokenizer(kind, model):
    for text in (TEXT, TEXT * 40, "Mary"):
        found, (ids, words) = model.tokens(text), expected(kind(), text)
        assert (found.ids.tolist(), found.words, len(found)) == (ids, words, len(ids))
    if kind is pieces:
        assert found.words == (BEGIN, "mary")  # special tokens are added as the file says


@given(
    text=st.text("Mary saw John,é☃🙂", min_size=1),
    length=st.integers(1, 9),
    sides=st.tuples(*[st.sampled_from(["left", "right"])] * 2),
)
def test_padding_and_truncation_change_nothing(text, length, sides):
    batched, (ids, words) = byte_level(), expected(byte_level(), text)
    batched.enable_padding(length=length, direction=sides[0])
    batched.enable_truncation(length, direction=sides[1])
    found = model_with(batched, SHARED).tokens(text)
    assert (found.ids.tolist(), found.words) == (ids, words)


SHARED = lasting_folder()


def test_a_part_of_a_character_is_named_as_in_the_vocabulary(tmp_path):
    found = model_with(byte_level(), tmp_path).tokens("é Mary")
    assert found.words == ("Ã", "©", " Mary")
    assert found.labels == ("1 Ã", "2 ©", "3 Mary")


def test_a_text_its_tokens_and_their_ids_are_one(model):
    tokens = model.tokens(TEXT)[:7]
    runs = [model.run(one) for one in (tokens, tokens.ids, tokens.ids.tolist())]
    for run in runs:
        np.testing.assert_array_equal(run.states, runs[0].states)
    assert runs[0].words == tokens.words and runs[1].words == tuple(map(str, tokens.ids))
    short, ids = "Mary saw John", model.tokens("Mary saw John").ids

    def measure(run):
        return run.logits[-1, 3] + len(run.words)

    for call in (
        lambda text: model.run(text).logits,
        lambda text: [layer.states for layer in model.layers(text)],
        lambda text: model.census(text).matrix("free_energy"),
        lambda text: model.effects(text, measure).values,
        lambda text: model.attribution(text, 3).values,
    ):
        expected = call(ids)
        for text in (short, model.tokens(short)):
            np.testing.assert_array_equal(call(text), expected)


def test_words_stand_on_the_axes(model):
    tokens, text = model.tokens("Mary saw John"), "Mary saw John"
    layer = next(model.layers(text))
    assert layer.words == model.run(text).words == tokens.words
    assert weights_as_result(layer.heads.trace(layer.states), tokens=layer.words).runs
    assert model.layer(0, layer.residual).words is None
    census = model.census(text)
    assert census.words == tokens.words and json.loads(census.to_json())["words"] == list(tokens.words)
    assert model.census(tokens.ids).words == tuple(map(str, tokens.ids))
    by_position = model.effects(text, lambda run: run.logits[0, 0], "residual", at=[-1, 0]).labels[1]
    last = len(tokens) - 1
    assert by_position == (f"1 {tokens.words[0].strip()}", f"{last + 1} {tokens.words[-1].strip()}")
    assert model.effects(tokens.ids, lambda run: run.logits[0, 0], "residual", at=[-1]).labels[1] == (str(last + 1),)
    labels = model.tokens(TEXT * 3).labels
    assert len(set(labels)) == len(labels)


def test_each_word_that_is_shown_is_a_token_of_a_logit(model):
    for word in dict.fromkeys(model.tokens(TEXT).words):
        ids = [i for i, one in zip(*vars(model.tokens(TEXT)).values(), strict=True) if one == word]
        np.testing.assert_array_equal(model.attribution([1, 2], word), model.attribution([1, 2], ids[0]))


def test_two_words_give_the_difference_of_their_logits(tmp_path):
    model = model_with(byte_level(), tmp_path)
    ids = [int(model.tokens(word).ids[0]) for word in (" Mary", " John")]
    for pair in ([" Mary", " John"], (" Mary", ids[1]), [ids[0], " John"]):
        np.testing.assert_array_equal(model.attribution([1, 2], pair), model.attribution([1, 2], ids))


def test_a_word_that_is_not_one_token_is_refused(tmp_path):
    model = model_with(byte_level(), tmp_path)
    refused(partial(model.attribution, [1], " Mary saw"), "token:", "' Mary saw' is 2 tokens: ' Mary', ' saw'")
    refused(partial(model.attribution, [1], [1, ""]), "token:", "'' is 0 tokens")
    tk = import_module("tokenizers")
    for other in (pieces(), tk.Tokenizer(tk.models.Unigram([(UNKNOWN, -1.0), ("Mary", -2.0)], unk_id=0))):
        model = model_with(other, tmp_path)
        refused(partial(model.attribution, [1], "☃"), "token:", "'☃' is not in the vocabulary")
        np.testing.assert_array_equal(model.attribution([1], UNKNOWN), model.attribution([1], 0))


def test_a_text_that_cannot_be_read_is_refused(tmp_path):
    model = model_with(byte_level(), tmp_path)
    refused(partial(model.tokens, ""), "text:", "no tokens")
    refused(partial(model.tokens, "a\ud800"), "text: character 1", "\\ud800")
    refused(partial(model.tokens, [1, 2]), "text:", "[1, 2]", "a text")
    refused(partial(model.run, ["Mary", "John"]), "ids:", "['Mary', 'John']", "one text")
    refused(partial(model.run, "a" * 17), "ids:", "17 tokens", "16 positions", "[:16]")
    assert model.run(model.tokens("a" * 17)[:16]).words == ("a",) * 16
    refused(lambda: model.tokens("ab")[0], "tokens:", "slice")
    strict = import_module("tokenizers").Tokenizer(import_module("tokenizers").models.WordLevel({"a": 0}, "<none>"))
    refused(partial(model_with(strict, tmp_path).tokens, "b"), "text: 'tokenizer.json' cannot read it:")


def test_a_token_that_the_model_lacks_is_named(tmp_path):
    larger = byte_level()
    larger.add_tokens(["<extra>"])
    n = larger.get_vocab_size() - 1
    model = model_with(larger, tmp_path, {**FEW, "vocab_size": n})
    assert len(model.tokens("a Mary")) == 2
    refused(partial(model.tokens, "a<extra>"), "text: token 2, '<extra>',", str(n), f"0 to {n - 1}")
    refused(partial(model.attribution, [1], "<extra>"), "token:", "'<extra>'", f"0 to {n - 1}")
    refused(partial(model.run, ha.Checkpoint(tmp_path).tokens("a")[:0]), "ids:", "at least one")


def test_a_folder_without_a_tokenizer_says_what_it_has(tmp_path):
    model = ha.Checkpoint(write(tmp_path, FEW, state_of(FEW)))
    refused(partial(model.run, "a"), f"'{str(tmp_path)[:40]}", "has no tokenizer.json;", "give the ids")
    for i, name in enumerate(OLDER):
        (tmp_path / name).write_text("")
        there = f"no tokenizer.json, but {', '.join(OLDER[: i + 1])};"
        refused(partial(model.run, "a"), "", there, f"`{WRITES}`", "give the ids")
    for content in (b"", b"{}", b"[1]", b"\xff", json.dumps({"model": {"type": "none"}}).encode()):
        (tmp_path / "tokenizer.json").write_bytes(content)
        refused(partial(model.run, "a"), "'tokenizer.json': `tokenizers` cannot use it: ")
