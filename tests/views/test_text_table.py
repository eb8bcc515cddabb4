"""Tables of text: no word and no number is broken, whatever the width of the line."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hopattn.views.text_table import TextTable

WORDS = st.text("abc語0123456789.e+-", min_size=1, max_size=12)
CELLS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


@st.composite
def tables(draw):
    n_texts, n_numbers = draw(st.integers(1, 3)), draw(st.integers(0, 8))
    columns = [CELLS] * n_texts + [WORDS] * n_numbers
    rows = draw(st.lists(st.tuples(*columns), min_size=1, max_size=4))
    headings = draw(st.tuples(*columns))
    return TextTable(headings, rows, frozenset(range(n_texts, len(columns))), labels=draw(st.integers(0, n_texts)))


@given(tables(), st.integers(1, 120))
def test_every_word_and_number_stays_whole(table, width):
    lines = [line.plain for line in table.lines(width)]
    blocks = "\n".join(lines).split("\n\n")
    found = [word for line in lines for word in line.split()]
    given_words = [word for row in (table.headings, *table.rows) for text in row for word in text.split()]
    labels = [word for row in (table.headings, *table.rows) for text in row[: table.labels] for word in text.split()]
    assert sorted(found) == sorted([*given_words, *labels * (len(blocks) - 1)])


@given(tables(), st.integers(60, 120))
def test_no_line_is_longer_than_the_line(table, width):
    longest = max(cell_len(word) for row in (table.headings, *table.rows) for text in row for word in text.split())
    most = max(width, sum(max(20, longest) + 2 for _ in range(table.labels + 1)))
    assert all(cell_len(line.plain) <= most for line in table.lines(width))


def test_a_wide_table_is_written_in_blocks_with_the_labels_of_the_rows():
    table = TextTable(
        ("", "a", "b", "c"), [("x", "0.9397", "1", "2"), ("y", "3", "-4.05e+04", "5")], frozenset({1, 2, 3})
    )
    assert [line.plain for line in table.lines(20)] == [
        "        a          b",
        "x  0.9397          1",
        "y       3  -4.05e+04",
        "",
        "   c",
        "x  2",
        "y  5",
    ]
    assert [line.plain for line in table.lines(table.width)][1] == "x  0.9397          1  2"
    assert len(list(table.lines(table.width))) == 3


def test_the_heading_of_a_group_is_above_its_first_column_and_headings_wrap_before_a_table_is_divided():
    groups = ("", "previous", "word", "word")
    table = TextTable(("", "a", "the dog", "cat"), [("x", ".5", "1", "2")], frozenset({1, 2, 3}), groups=groups)
    assert [line.plain for line in table.lines(30)] == [
        "   previous  word",
        "          a  the dog  cat",
        "x        .5        1    2",
    ]
    assert [line.plain for line in table.lines(22)] == [
        "   previous  word",
        "              the",
        "          a   dog  cat",
        "x        .5     1    2",
    ]
    assert [line.plain for line in TextTable(("", ""), [("x", "1")], frozenset({1})).lines(30)] == ["x  1"]


TERMINAL = {"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm"}


@pytest.fixture
def printed_by(hopattn, monkeypatch):
    """The output of a command, with variables in the environment instead of those of this process."""

    def run(*arguments, **variables):
        with monkeypatch.context() as patch:
            for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
                patch.delenv(name, raising=False)
            for name, value in variables.items():
                patch.setenv(name, value)
            code, printed, _ = hopattn(*arguments)
        assert code == 0
        return re.sub(r"\x1b\[\d*m", "", printed)

    return run


@pytest.mark.parametrize(
    ("variables", "width"),
    [
        ({**TERMINAL, "COLUMNS": "40"}, 40),
        ({"COLUMNS": "40"}, 40),
        ({}, 160),
        ({"COLUMNS": "0"}, 160),
        ({"COLUMNS": "-40"}, 160),
        ({"COLUMNS": "wide"}, 160),
    ],
)
def test_the_numbers_of_a_result_are_whole_on_a_terminal_and_in_a_pipe(printed_by, variables, width):
    printed = printed_by("run", "induction", "--digits", "4", **variables).partition("as written")[2]
    tables = printed.partition("     expectation")[0]
    assert "−.7071" in tables.split()
    longest = max(map(len, tables.splitlines()))
    assert longest <= width and (width == 40) == (longest <= 40)


def test_a_terminal_that_says_a_width_of_0_has_a_width_all_the_same(printed_by):
    assert "−.7071" in printed_by("run", "induction", "--digits", "4", **TERMINAL, COLUMNS="0").split()


@pytest.mark.parametrize("width", ["160", "50"])
@pytest.mark.parametrize("command", ["run letters", "compare bank --models modern,hopfield", "list --memories"])
def test_no_line_ends_with_a_space(printed_by, command, width):
    lines = printed_by(*command.split(), COLUMNS=width).splitlines()
    assert lines and [line for line in lines if line != line.rstrip()] == []
