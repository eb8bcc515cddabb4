"""`--set`, overrides and variants: single values change, and all other values stay."""

import re

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.language.paths import parse_assignment
from tests.refusal import assert_refused, refused
from tests.texts import GOOD, parsed

TEXT = GOOD.replace("[[expect]]", "[[layer.head]]\n[[layer]]\n[[layer.head]]\n[[expect]]")


def causal(run):
    """For each head of each layer, whether no word sees a later one."""
    heads = {name: array.values for name, array in run.arrays.items() if name.endswith("weights")}
    seen = {name: not np.triu(values, 1).any() for name, values in heads.items()}
    return [[seen[f"layer {layer} head {head} weights"] for head in range(1, n + 1)] for layer, n in ((1, 2), (2, 1))]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("layer.head.mask", [[False, False], [False]]),
        ("layer.1.head.mask", [[False, False], [True]]),
        ("layer.1.head.2.mask", [[True, False], [True]]),
        ("layer.2.head.1.mask", [[True, True], [False]]),
        ("mask", [[False, False], [False]]),
        ("head.mask", [[False, False], [False]]),
        ("head.1.mask", [[False, True], [False]]),
    ],
)
def test_a_number_selects_one_entry_no_number_all_and_the_end_of_a_path_is_enough(path, expected):
    scenario = parsed(f'{TEXT}[[variant]]\nname = "v"\nset = {{ "{path}" = "none" }}\n')
    unchanged, variant = ha.run(scenario).runs
    assert causal(unchanged) == [[True, True], [True]] and causal(variant) == expected
    assert causal(ha.run(scenario, overrides={path: "none"}).runs[0]) == expected
    assert causal(ha.run(scenario).runs[0]) == [[True, True], [True]]


def test_a_whole_entry_or_a_new_key_may_be_set():
    alone = ha.run(parsed(TEXT), overrides={"layer.2": {"head": [{"mask": "none"}]}}).runs[0]
    assert causal(alone) == [[True, True], [False]]
    both = ha.run(parsed(TEXT), overrides={"seed": 5, "layer.2.head.1": {"beta": 3, "mask": "none"}})
    assert both.seed == 5 and causal(both.runs[0]) == causal(alone)


@pytest.mark.parametrize(
    ("name", "path", "words"),
    [
        ("bank", "maks", ["'maks'", "'mask'"]),
        ("bank", "layr.head", ["'layr'", "'layer'"]),
        ("bank", "head.2.mask", ["2", "1 to 1"]),
        ("bank", "layer.3.head.mask", ["3", "1 to 1"]),
        ("bank", "layer.0.head.mask", ["0", "1 to 1"]),
        ("bank", "title.b", ["title", "'b'"]),
        ("bank", "", ["is not a path"]),
        ("bank", "a b", ["'a b'", '"a b"']),
        ("bank", "a = 1\nb", ["more than one path"]),
        ("bank", "layer.1.head.rope.base", ["no layer.head.rope", "write layer.head.base"]),
        ("letters", "memory.model.beta", ["no memory.model", "write memory.beta"]),
        ("letters", "memory.model.n", ["no memory.model", "set memory.model to a table with 'n'"]),
        ("letters", "of", ["several times", 'cue."half of R".of', 'cue."torn X".of']),
        ("letters", 'cue."half of r".flip', ["""'"half of r"'""", """'"half of R"'"""]),
        ("letters", "cue.half of R.flip", ["is not a path", 'cue."half of R".flip']),
    ],
)
def test_a_path_that_fits_nothing_or_several_is_refused(name, path, words):
    refused(lambda: ha.run(name, overrides={path: 0}), "", *words)


WORDS = {"banks", "financial", "markets", "muddy", "rivers"}
NO_NUMBERS = {"mask", "separation", '"half of R"'}
CUES = {'"half of R"', '"torn X"', '"white S"'}


@pytest.mark.parametrize(
    ("name", "key", "guess", "names"),
    [
        ("bank", "maks", "mask", WORDS),
        ("bank", "separatoin", "separation", WORDS),
        ("bank", "bank", "banks", WORDS),
        ("bank", "zzz", None, WORDS),
        ("bank", "bta", "beta", WORDS),
        ("letters", "flpi", "flip", CUES),
        ("letters", '"half of"', '"half of R"', CUES),
    ],
)
def test_a_name_that_the_file_invents_is_suggested_only_where_it_is_near_and_no_key_is(name, key, guess, names):
    swept = f"{ha.load(name).text}\n[sweep]\nover = {{ {key} = [1, 2] }}\n"
    for door in [
        lambda: ha.run(name, overrides={key: 0}),
        *([lambda: parsed(swept)] if guess not in NO_NUMBERS else []),
    ]:
        with pytest.raises(ha.InvalidInput) as caught:
            door()
        nearest, choices = re.search(r"(?:did you mean '(.*)'\? )?\(choices: (.*)\)", str(caught.value)).groups()
        assert nearest == guess and {*choices.split(", ")} & names == {guess} & names


def test_a_word_that_is_also_a_near_key_does_not_hide_the_key():
    text = GOOD.replace("b = [0.6, 0.8]", "b = [0.6, 0.8]\nmaske = [1, 0]")
    refused(lambda: ha.run(parsed(text), overrides={"maskee": 0}), "--set maskee", "'maskee'", "'mask'")
    assert_refused(GOOD + '[[variant]]\nname = "v"\nset = { msk = 1 }\n', "21: variant.1.set", "'msk'", "'mask'")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1", ("a", 1)),
        ("a = 1.5", ("a", 1.5)),
        ("a=strict", ("a", "strict")),
        ("a=true", ("a", True)),
        ("a=ψυχή", ("a", "ψυχή")),
        ("a=in,muddy,the-dog", ("a", ["in", "muddy", "the-dog"])),
        ('a.b="two words"', ("a.b", "two words")),
        ("a={ b = 1 }", ("a", {"b": 1})),
    ],
)
def test_assignments(text, expected):
    assert parse_assignment(text) == expected


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a", "--set 'a'", ["mask=causal"]),
        ("a=two words", "a", ["--set \"a='two words'\"", "two,words"]),
        ("a.file=b.csv", "a.file", ["--set \"a.file='b.csv'\""]),
        ("a=in,", "a", ["'in,'", "TOML"]),
        ("a=in,0,8", "a", ["'in,0,8'", "TOML"]),
        ("a=1\nb=2", "a", ["more than one"]),
        ("beta=0,5", "beta", ["write 0.5"]),
        ("beta=[1 2]", "beta", ["comma"]),
        ("beta=“a”", "beta", ["curly"]),
        ("a=two $words", "a", ['write "two $words"']),
    ],
)
def test_wrong_assignments_are_refused(text, place, words):
    refused(lambda: parse_assignment(text), place, *words)


def test_quoted_keys_keep_their_dots():
    text = GOOD.replace(
        "[[expect]]", '[[variant]]\nname = "v"\nset = { \'words."a.b"\' = [0, 1] }\n[[expect]]'
    ).replace("b = [0.6", '"a.b" = [0.6')
    text = text.replace('["a", "b", "a"]', '["a", "a.b"]').replace('"b"\nnearest = "b"', '"a.b"\nnearest = "a.b"')
    assert ha.run(parsed(text)).runs[1].arrays["input"].values[1].tolist() == [0, 1]


def test_an_array_of_numpy_is_a_list():
    scenario, tokens = parsed(GOOD), ["b", "a"]
    by_list, by_array = (ha.run(scenario, overrides={"input.tokens": one}) for one in (tokens, np.array(tokens)))
    assert by_list.to_json() == by_array.to_json() and by_list.figure == by_array.figure
    patterns = np.array([[1, -1, 1, -1], [1, 1, -1, -1]])
    of_numbers = parsed(
        'schema = 1\ntitle = "numbers"\nkind = "memory"\n'
        '[memory]\nmodel = "hopfield"\npatterns = [[1, 1, 1, 1]]\n[input]\ntokens = ["1"]\n'
    )
    recalled = ha.run(of_numbers, overrides={"memory.patterns": patterns, "memory.model.bias": np.float64(0.5)})
    assert recalled.arrays["state"].values.tolist() == [[1, -1, 1, -1]]
