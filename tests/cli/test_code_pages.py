"""Output in encodings that lack some characters: nothing is lost, and files stay readable."""

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.cli.code_pages import in_ascii
from hopattn.scenario.kinds import kinds


@pytest.mark.parametrize(
    "encoding, printed",
    [
        ("ascii", "opposite -> neuron: .8*(-.8) + .6*(-.6) = -.64 + (-.36) = -1"),
        ("cp437", "opposite -> neuron: .8*(-.8) + .6*(-.6) = -.64 + (-.36) = -1"),
        ("cp1252", "opposite -> neuron: .8×(-.8) + .6×(-.6) = -.64 + (-.36) = -1"),
        ("utf-8", "opposite → neuron: .8×(−.8) + .6×(−.6) = −.64 + (−.36) = −1"),
    ],
)
def test_the_arithmetic_keeps_its_signs(in_encoding, encoding, printed):
    assert printed in in_encoding(encoding, "run", "similarity", "--explain").splitlines()


@pytest.mark.parametrize("encoding, shades", [("ascii", ".-+%#"), ("cp1252", "·-+%#"), ("cp437", "·░▒▓█")])
def test_pictures_stay_aligned(in_encoding, encoding, shades):
    changed = str.maketrans("·░▒▓█→−", f"{shades}>-")
    in_full, here = (in_encoding(one, "run", "nearest").splitlines() for one in ("utf-8", encoding))
    assert [line.translate(changed) for line in in_full] == here


@pytest.mark.parametrize("command", ["compare --trials 2", "run induction", "list", "list memories", "compare bank"])
def test_lines_in_ascii_are_no_longer_than_the_line(in_encoding, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    lines = in_encoding("ascii", *command.split()).splitlines()
    assert lines and [line for line in lines if len(line) > 80] == []


def test_a_message_names_the_scenario_that_cannot_be_encoded(in_encoding):
    assert r"'\u8a9e'" in in_encoding("cp1252", "run", "語")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_json_keeps_every_letter(in_encoding, encoding):
    printed = in_encoding(encoding, "run", "bank", "--json", "--set", 'title="語é β−😀"')
    assert json.loads(printed)["title"] == "語é β−😀"
    assert encoding == "utf-8" or printed.isascii()


@pytest.mark.parametrize("kind", [*kinds][::3])
def test_a_scenario_that_is_printed_can_be_read_again(in_encoding, tmp_path, kind):
    file = tmp_path / "mine.toml"
    file.write_bytes(in_encoding("cp1252", "new", kind).encode("cp1252"))
    assert ha.load(file).spec.kind == kind


@given(st.text())
def test_any_text_becomes_ascii_and_ascii_stays(text):
    assert in_ascii(text).isascii()
    assert in_ascii(in_ascii(text)) == in_ascii(text)


@pytest.mark.parametrize(
    ("text", "form"),
    [("0.6² + ½", "0.6^2 + 1/2"), ("W⁻¹ xₜ₋₁", "W^-1 x_t-1"), ("éẋΣψ", "exSigmapsi"), (string.printable,) * 2],
)
def test_superscripts_fractions_accents_and_greek(text, form):
    assert in_ascii(text) == form
