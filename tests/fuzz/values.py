"""Hostile values: numbers at the ends of what a number can be, texts that control what shows them, odd lists."""

import copy

from hypothesis import strategies as st

NUMBERS = (
    *(0, 1, -1, 2, 3, 7, 64, 1000, 10**6, 2**31, 2**63, 10**30, -(10**30)),
    *(0.5, -0.5, 1.5, 1e-9, 1e-300, 5e-324, 1e16, 1e300, 1e308, -1e308),
    *(-0.0, float("nan"), float("inf"), float("-inf"), True, False),
)
TEXTS = (
    *("", " ", "x", "bank", "0", "nan", "1e999", "None", "a,b", "a=b", "a:b", "[0]", "*", "-", "--", "-1", "%s", "{0}"),
    *("../up", "/dev/null", "/dev/full", ".", "..", "~", "$HOME", "$x$", "\\alpha", "a\\", "'", '"', "&<b>", "=1+1"),
    *("\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b31m", "a\tb", "a\nb", "a\r\nb", "\0", "\x7f", "\x08\x08"),
    *("\u202eright to left", "\u2066a\u2069", "\u200f", "\u2028", "\ufeff", "\ufffd", "e\u0301", "ﬁ", "ß", "İ"),
    *(
        "٣",
        "１",
        "Ⅷ",
        "语",
        "👩‍👩‍👧",
        "नमस्ते",
        "\U0001d465",
        "\U0010ffff",
        "a" * 300,
        "語" * 5000,
        "x" * 100_000,
        "$" * 9,
    ),
)
LISTS = (
    *([], [[]], [[], []], {}, [{}], [None], [1], [1, 2, 3], [1.0, "a"], ["a"], ["a", "a"], [[1, 0], [0, 1]]),
    *([[1, 0], [1]], [0.0, 0.0], [float("nan")] * 2, [1e308] * 4, [5e-324] * 4, [[1e308, -1e308]] * 2, ["a"] * 3000),
    *([True, False], [1] * 5000, {"a": 1}, {"": 1}, {"name": "x"}, {"random": 8}, {"random": 10**9}, [[[[[1]]]]]),
)


def words(text):
    """The words of a text, as a long table is written."""
    return text.split()


def nested(depth):
    """A list in a list in a list."""
    value = []
    for _ in range(depth):
        value = [value]
    return value


def numbers():
    """Hostile and usual numbers."""
    return st.one_of(st.sampled_from(NUMBERS), st.integers(-3, 70), st.floats(-4, 4))


def texts():
    """Hostile texts, pieces of any alphabet, and two of them joined."""
    plain = st.sampled_from(TEXTS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    return plain | st.tuples(plain, plain).map("".join)


def values():
    """Any hostile value that TOML can hold; each list is a new one, since a later change may alter it."""
    kept = st.sampled_from([one for one in LISTS if one != [None]]).map(copy.deepcopy)
    lists = kept | st.sampled_from([10, 60]).map(nested)
    return st.one_of(numbers(), texts(), lists, st.lists(numbers(), max_size=5), st.lists(texts(), max_size=3))
