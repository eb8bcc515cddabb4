"""`--set` and variants: single values change, and all other values stay."""

import pytest

from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.language.overrides import changed, parse_assignment, parse_path

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


def test_a_whole_entry_or_a_new_key_may_be_set():
    assert changed(DOCUMENT, {"layer.2": {"head": []}})[0]["layer"][1] == {"head": []}
    assert changed(DOCUMENT, {"b": [1]})[0]["b"] == [1]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("layer.3.head.mask", "no number 3; the entries are numbered from 1 to 2"),
        ("layer.0.head.mask", "no number 0"),
        ("layr.head", "'layr' is unknown; did you mean 'layer'"),
        ("a.b", "'a' holds 1, which has no 'b'"),
        ("", "is no path"),
        ("a b", "is no path"),
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
        ('a.b="two words"', ("a.b", "two words")),
        ("a={ b = 1 }", ("a", {"b": 1})),
    ],
)
def test_assignments(text, expected):
    assert parse_assignment(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [("a", "expected key=value"), ("a=two words", "is no TOML value"), ("a=1\nb=2", "more than one")],
)
def test_wrong_assignments_are_refused(text, message):
    with pytest.raises(InvalidInput, match=message):
        parse_assignment(text)


def test_quoted_keys_keep_their_dots():
    assert parse_path('words."a.b".c') == ("words", "a.b", "c")
