"""Options of pairs whose = is missing or separated by spaces: one line says how to write the pair."""

import pytest

from tests.each import each


@each(
    ("arguments", "line"),
    [
        ("run bank --set mask causal", "--set takes KEY=VALUE: write --set mask=causal"),
        ("run bank --set mask = causal", "--set takes KEY=VALUE: write --set mask=causal"),
        ("run bank --set mask= causal --json", "--set takes KEY=VALUE: write --set mask=causal"),
        ("run bank --json --set mask =causal", "--set takes KEY=VALUE: write --set mask=causal"),
        ("run --set mask causal bank", "--set takes KEY=VALUE: write --set mask=causal"),
        ("run bank --set beta=2 --set mask causal", "--set takes KEY=VALUE: write --set mask=causal"),
        ("sweep phases --over load 0.1,0.2", "--over takes KEY=GRID: write --over load=0.1,0.2"),
        ("sweep phases --set seed 3", "--set takes KEY=VALUE: write --set seed=3"),
        ("compare bank --over beta 0.1:32:log5", "--over takes AXIS=NUMBERS: write --over beta=0.1:32:log5"),
        ("run bank --set mask", "--set 'mask': expected KEY=VALUE, as in mask=causal"),
        ("run --set mask causal", "--set 'mask': expected KEY=VALUE, as in mask=causal"),
    ],
)
def test_a_pair_in_two_words_is_given_as_one(hopattn, arguments, line):
    assert hopattn(*arguments.split()) == (2, "", f"{line}\n")


def test_a_value_with_a_space_is_given_in_quotes(hopattn):
    assert hopattn("run", "bank", "--set", "title", "a b")[2] == "--set takes KEY=VALUE: write --set 'title=a b'\n"


@pytest.mark.parametrize("arguments", ["run bank more", "run bank more --set mask=causal", "run bank --set a=b more"])
def test_another_argument_too_many_keeps_its_message(hopattn, arguments):
    code, _, err = hopattn(*arguments.split())
    assert code == 2 and "unexpected extra argument (more)" in err
