"""One message for one cause: what only follows from a refused value is not reported; and messages in plain words."""

import pytest

from hopattn.scenario.kinds import kinds
from tests.each import each
from tests.refusal import assert_refused, problems
from tests.texts import GOOD, HUGE

POSITIONS = GOOD.replace(
    "[input]", '[spaces]\nword = "vocabulary"\nposition = ["cos", "sin"]\n[positions]\nturn = 90\n[input]'
)
GRADIENTS = kinds["gradients"].template()
FAST = kinds["fast_weights"].template()
MESSAGES = kinds["messages"].template()
RECURRENT = kinds["recurrent"].template()


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (POSITIONS, "turn = 90", 'turn = "90"', "got '90'; expected a number; write 90, without quotes"),
        (POSITIONS, "turn = 90", "tunr = 90", "'tunr' is unknown; did you mean 'turn'?"),
        (FAST, "[0, 0, 0, 0, 1],\n]", '[0, 0, 0, 0, "1"],\n]', "got '1'; expected a number; write 1, without"),
        (
            POSITIONS.replace('mask = "causal"', 'value = { from = "word", to = "position" }'),
            "from =",
            "form =",
            "'form' is unknown; did you mean 'from'?",
        ),
        (
            GOOD,
            'axes = ["x", "y"]',
            'axes = ["x", "y"]\nmagnitude = 5',
            "vocabulary.magnitude: '5' is unknown",
        ),
    ],
)
def test_a_refused_value_has_one_message(text, old, new, message):
    assert text.count(old) == 1
    (found,) = problems(text.replace(old, new))
    assert message in found


def test_a_key_that_needs_a_refused_one_is_not_blamed():
    text = 'schema = 1\ntitle = "t"\nsource = "ours"\nkind = "gradients"\n[gradients]\nscores = [1, 0]\n'
    (found,) = problems(text + 'magnitudes = "1,2,5"\nstack = {}\n')
    assert "7: gradients.magnitudes: got '1,2,5'; expected an array" in found


def test_what_another_table_gets_wrong_is_still_reported():
    text = GOOD.replace('mask = "causal"', "similarity = 5").replace('"a", "b", "a"', '"a", "b", "c"')
    places = [line.partition(": ")[0].partition(":")[2] for line in problems(text)]
    assert places == ["11", "15"]


@each(
    ("text", "old", "new", "message"),
    [
        (MESSAGES, '["bat", "cave#2"]', '["bat", "bat", "cave#2"]', "graph.edges.2: 3 words; expected two words, [who"),
        (MESSAGES, '["bat", "cave#2"]', '["bat"]', "graph.edges.2: 1 word; expected two words, [who attends, to whom]"),
        (GOOD, '["a", "b", "a"]', '"a b a"', 'got \'a b a\'; expected an array; write ["a", "b", "a"]'),
        (RECURRENT, "w_input = 0 ", 'w_input = "0" ', "expected a number or an array; write 0, without quotes"),
        (kinds["cache"].template(), "up_to = 64", "up_to = 2_000_000_000", "expected at most 1,073,741,824"),
        (GOOD, 'at = "b"\nnearest = "b"', 'measure = "edges"\nis = 3', "'edges' is unknown: this kind has no measures"),
        (
            GOOD,
            "[input]",
            "[cache]\nup_to = 4\n[input]",
            'cache: belongs to kind = "cache", and here kind = "attention"',
        ),
        (
            GOOD,
            "[input]",
            "[writing]\n[input]",
            'writing: belongs to kind = "translation", and here kind = "attention"',
        ),
        (
            GOOD,
            '["a", "b", "a"]',
            str(["a"] * 9000).replace("'", '"'),
            "a text of 9,000 words, each of 2 numbers, would",
        ),
        (HUGE, "count = 1", "count = 1000000000", "task: 1,000,000,000 sequences of up to 4 words, each of 8 numbers,"),
    ],
)
def test_a_message_is_in_plain_words(text, old, new, message):
    assert text.count(old) == 1
    found = problems(text.replace(old, new))
    assert any(message in line for line in found), found


@pytest.mark.parametrize("mask", ['"none"', "[[true]]"])
def test_the_mask_of_a_cache_is_refused_on_its_line(mask):
    text = kinds["cache"].template().replace("[[layer.head]]", f"[[layer.head]]\nmask = {mask}")
    line = text[: text.index("mask = ")].count("\n") + 1
    if mask == '"none"':
        assert_refused(text, f"{line}: layer.1.head.1.mask: 'none' does not fit a text that grows; a word may not see")
    else:
        assert_refused(text, f"{line}: layer.1.head.1.mask: does not fit 4 queries and 4 keys")
