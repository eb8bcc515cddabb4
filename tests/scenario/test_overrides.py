"""`--set` and variants: single values change, and all other values stay."""

import re

import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.language.overrides import changed, parse_assignment
from hopattn.scenario.language.paths import parse_path
from hopattn.scenario.language.sweep_table import path_of
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import assert_refused
from tests.texts import GOOD

DOCUMENT = {"a": 1, "layer": [{"head": [{"mask": "x"}, {"mask": "y"}]}, {"head": [{"mask": "z"}]}]}


def masks(document):
    return [[head["mask"] for head in layer["head"]] for layer in document["layer"]]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("layer.head.mask", [["n", "n"], ["n"]]),
        ("layer.1.head.mask", [["n", "n"], ["z"]]),
        ("layer.1.head.2.mask", [["x", "n"], ["z"]]),
        ("layer.2.head.1.mask", [["x", "y"], ["n"]]),
    ],
)
def test_a_number_selects_one_entry_and_no_number_all(path, expected):
    result, origins = changed(DOCUMENT, {path: "n"})
    assert masks(result) == expected
    assert len(origins) == sum(row.count("n") for row in expected)
    assert masks(DOCUMENT) == [["x", "y"], ["z"]]


WRITTEN = {**DOCUMENT, "cue": {"half of R": {"flip": 0.1, "of": "R"}}, "memory": {"beta": None, "of": "a"}, "b": None}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("mask", [["n", "n"], ["n"]]),
        ("head.mask", [["n", "n"], ["n"]]),
        ("head.2.mask", None),
        ("head.1.mask", [["n", "y"], ["n"]]),
        ("layer.2.head.mask", [["x", "y"], ["n"]]),
    ],
)
def test_the_end_of_a_path_is_enough_where_it_is_the_only_one(path, expected):
    if expected is None:
        with pytest.raises(InvalidInput, match="there is no number 2"):
            changed(DOCUMENT, {path: "n"}, WRITTEN)
    else:
        result, origins = changed(DOCUMENT, {path: "n"}, WRITTEN)
        assert masks(result) == expected
        assert set(origins.values()) == {path}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("maks", "maks: 'maks' is unknown; did you mean 'mask'?"),
        ("of", 'of: occurs several times; write cue."half of R".of or memory.of'),
        ('"half of"', """'"half of"' is unknown; did you mean '"half of R"'?"""),
        ('cue."half of r".flip', """'"half of r"' is unknown; did you mean '"half of R"'?"""),
        (
            "cue.half of R.flip",
            'is not a path; a name with a space or a special letter needs quotes: cue."half of R".flip',
        ),
    ],
)
def test_a_short_path_that_fits_nothing_or_several_is_refused(path, message):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        changed(WRITTEN, {path: 0}, WRITTEN)


def suggested(refused):
    """The guess and the choices of a message."""
    guess, choices = re.search(r"(?:did you mean '(.*)'\? )?\(choices: (.*)\)", str(refused.value)).groups()
    return guess, choices.split(", ")


WORDS = {"banks", "financial", "markets", "muddy", "rivers"}
CUES = {'"half of R"', '"torn X"', '"white on black"'}


@pytest.mark.parametrize(
    ("name", "key", "guess", "user_key"),
    [
        ("bank", "maks", "mask", WORDS),
        ("bank", "separatoin", "separation", WORDS),
        ("bank", "bank", "banks", WORDS),
        ("bank", "zzz", None, WORDS),
        ("letters", "flpi", "flip", CUES),
        ("letters", '"half of"', '"half of R"', CUES),
    ],
)
def test_a_name_that_the_file_invents_is_suggested_only_where_it_is_near_and_no_key_is(name, key, guess, user_key):
    with pytest.raises(InvalidInput) as refused:
        parse(ha.load(name).text, "file.toml", "file", {key: 0})
    found, choices = suggested(refused)
    assert found == guess and {*choices} & user_key == {guess} & user_key


@pytest.mark.parametrize(("key", "guess", "words"), [("bta", "beta", set()), ("bank", "banks", {"banks"})])
def test_the_axes_of_a_sweep_are_suggested_by_the_same_rule(key, guess, words):
    spec = ha.load("bank").spec
    with pytest.raises(InvalidInput) as refused:
        path_of(key, spec.written_out, spec.is_user_key)
    found, choices = suggested(refused)
    assert found == guess and {*choices} & WORDS == words


def test_a_word_that_is_also_a_near_key_does_not_hide_the_key():
    text = GOOD.replace("b = [0.6, 0.8]", "b = [0.6, 0.8]\nmaske = [1, 0]")
    with pytest.raises(InvalidInput, match="'maskee' is unknown; did you mean 'mask'"):
        parse(text, "file.toml", "file", {"maskee": 0})


def test_every_way_to_change_a_value_reads_a_short_path_by_the_same_rule():
    text = GOOD + '[[variant]]\nname = "v"\nset = { mask = "none" }\n'
    scenario = parse(text, "file.toml", "file")
    assert scenario.runs["v"].layer[0].head[0].mask == "none"
    changed_mask = parse(text, "file.toml", "file", {"mask": "strict"})
    assert changed_mask.spec.layer[0].head[0].mask == "strict"
    assert parse(GOOD, "file.toml", "file", {"beta": 2}).spec.layer[0].head[0].beta == 2
    assert path_of("beta", scenario.spec.written_out) == "layer.head.beta"
    refused = text.replace("{ mask", "{ msk")
    assert_refused(refused, "21: variant.1.set: msk: 'msk' is unknown; did you mean 'mask'?")


def test_a_short_path_serves_to_mend_a_value_that_is_refused():
    bad = GOOD.replace('"causal"', '"casual"')
    assert parse(bad, "file.toml", "file", {"mask": "none"}).spec.layer[0].head[0].mask == "none"


def test_a_whole_entry_or_a_new_key_may_be_set():
    assert changed(DOCUMENT, {"layer.2": {"head": []}})[0]["layer"][1] == {"head": []}
    assert changed(DOCUMENT, {"b": [1]})[0]["b"] == [1]


@each(
    ("path", "message"),
    [
        ("layer.3.head.mask", "no number 3; the entries are numbered from 1 to 2"),
        ("layer.0.head.mask", "no number 0"),
        ("layr.head", "'layr' is unknown; did you mean 'layer'"),
        ("a.b", "'a' holds 1, which has no 'b'"),
        ("", "is not a path"),
        ("a b", "is not a path"),
        ("a = 1\nb", "is more than one path"),
    ],
)
def test_a_wrong_path_is_refused_with_a_message(path, message):
    with pytest.raises(InvalidInput, match=message):
        changed(DOCUMENT, {path: 0})


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
    ("text", "message"),
    [
        ("a", "--set 'a': expected KEY=VALUE, as in mask=causal"),
        ("a=two words", "is not a TOML value; .* --set \"a='two words'\"; for a list of words write two,words"),
        ("a.file=b.csv", """needs quotes: --set "a.file='b.csv'\"$"""),
        ("a=in,", "is not a TOML value"),
        ("a=in,0,8", "is not a TOML value"),
        ("a=1\nb=2", "more than one"),
    ],
)
def test_wrong_assignments_are_refused(text, message):
    with pytest.raises(InvalidInput, match=message):
        parse_assignment(text)


def test_quoted_keys_keep_their_dots():
    assert parse_path('words."a.b".c') == ("words", "a.b", "c")
