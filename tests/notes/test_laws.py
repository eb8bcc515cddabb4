"""Texts made of a run's own numbers have no finding; one altered number gives one, with its line and right value."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.notes.checking import check
from hopattn.notes.known import known
from hopattn.notes.numbers import Printed

NAMED = [
    "bank variant river",
    "softmax-table",
    "cross-attention",
    "apple variant an apple phone",
    "aaba variant the true e",
]
RUNS = {name: known(name) for name in NAMED}


def piped(rows):
    return ["|" + "|".join(row) + "|" for row in (rows[0], ["---"] * len(rows[0]), *rows[1:])]


def tex(rows):
    lines = [f"{' & '.join(row)} \\\\" for row in rows]
    return ["\\begin{tabular}{l" + "r" * len(rows[0]) + "}", *lines, "\\end{tabular}"]


def with_tabs(rows):
    return ["\t".join(row) for row in rows]


LAYOUTS = {"md": ("<!-- hopattn: {} -->", piped), "tex": ("% hopattn: {}", tex), "txt": ("# hopattn: {}", with_tabs)}


@st.composite
def numbers(draw, values):
    """Numbers as a text prints them, one of them altered by more than its rounding, and the place of that."""
    decimals = draw(st.sampled_from([2, 4]))  # 1,000 may be a thousand
    altered = draw(st.integers(0, len(values) - 1))
    off = draw(st.integers(2, 40)) * draw(st.sampled_from([-1, 1])) * 10.0**-decimals
    point = draw(st.sampled_from([".", ","]))
    minus = draw(st.sampled_from(["-", "−"]))
    written = [f"{value:.{decimals}f}" for value in values]
    wrong = [*written[:altered], f"{values[altered] + off:.{decimals}f}", *written[altered + 1 :]]
    as_printed = [[one.replace(".", point).replace("-", minus) for one in texts] for texts in (written, wrong)]
    return (*as_printed, altered, float(written[altered]))


def result_of(name):
    """The finished run, by another way than that of the code under test."""
    scenario, _, variant = name.partition(" variant ")
    return {run.name: run for run in ha.run(scenario).runs}[variant].arrays


ARRAYS = {name: result_of(name) for name in NAMED}


def as_number(text):
    return float(text.replace("−", "-").replace(",", "."))


def findings(folder, kind, lines):
    file = folder / f"notes.{kind}"
    file.write_text("\n".join(lines), encoding="utf-8")
    checked = check(file, (), RUNS.__getitem__)
    return checked, checked.findings


@given(st.data())
def test_a_table_of_an_array(tmp_path_factory, data):
    folder, name = tmp_path_factory.mktemp("table"), data.draw(st.sampled_from(NAMED))
    quantity = data.draw(st.sampled_from(["layer 1 head 1 weights", "layer 1 state", "layer 1 head 1 scores"]))
    array = ARRAYS[name][quantity]
    rows, columns = array.labels
    right, wrong, altered, value = data.draw(numbers(array.values.ravel().tolist()))
    kind = data.draw(st.sampled_from(list(LAYOUTS)))
    comment, layout = LAYOUTS[kind]
    for texts in (right, wrong):
        cells = [["", *columns], *([row, *texts[i * len(columns) :][: len(columns)]] for i, row in enumerate(rows))]
        lines = ["In 1982, see p. 14:", comment.format(name), "", f"The {quantity}:", "", *layout(cells)]
        checked, found = findings(folder, kind, lines)
        if texts is right:
            assert (len(checked.claims), found) == (len(texts), [])
    (one,) = found
    row, text = altered // len(columns), wrong[altered]
    assert (one.stands, as_number(one.right)) == (text, value)
    assert rows[row] in lines[one.line - 1] and text in lines[one.line - 1]
    assert one.about == f"{rows[row]}, {columns[altered % len(columns)]}"


FORMS = {
    "md": ["*{}* = ({})", "**{}**: [{}]", "The vector of *{}* is ({}).", "where *{}* = ({})"],
    "tex": ["$\\vec{{{}}} = [{}]$", "\\emph{{{}}}: $({})$", "\\[ \\mathbf{{{}}} = \\left({}\\right) \\]"],
    "txt": ["{} = ({})", "{}: [{}]"],
}


@given(st.data())
def test_vectors_beside_a_word(tmp_path_factory, data):
    folder, name = (
        tmp_path_factory.mktemp("vector"),
        data.draw(st.sampled_from([one for one in NAMED if one != "cross-attention"])),
    )
    words = ha.load(name.partition(" variant ")[0]).spec.vocabulary.vectors
    word = data.draw(st.sampled_from(sorted(words)))
    right, wrong, _, value = data.draw(numbers(words[word].tolist()))
    kind = data.draw(st.sampled_from(list(FORMS)))
    form = data.draw(st.sampled_from(FORMS[kind]))
    between = "; " if "," in right[0] else data.draw(st.sampled_from([", ", "; "]))  # 0,00, 1,00 may be four numbers
    comment = LAYOUTS[kind][0].format(name)
    before = ["", "Some words.", ""][: data.draw(st.integers(0, 3))]
    for texts in (right, wrong):
        checked, found = findings(folder, kind, [comment, *before, "", form.format(word, between.join(texts)), ""])
        if texts is right:
            assert (len(checked.claims), found) == (len(texts), [])
    if (
        2 * (len(texts) - 1) >= len(texts) or "=" in form
    ):  # a list of two numbers, one of them wrong, may be another list
        (one,) = found
        assert one.line == len(before) + 3
        assert math.isclose(as_number(one.right.split(" or ")[0]), value) or value in map(
            as_number, one.right.split(" or ")
        )


SENTENCES = ["The weight from {} to {} is {}.", "*{}* looks at *{}* with weight {}, and so on.", "weight {} → {}: {}"]


@given(st.data())
def test_sentences_about_two_words(tmp_path_factory, data):
    folder, name = tmp_path_factory.mktemp("sentence"), data.draw(st.sampled_from(NAMED[:3]))
    array = ARRAYS[name]["layer 1 head 1 weights"]
    i, j = (data.draw(st.integers(0, len(labels) - 1)) for labels in array.labels)
    right, wrong, _, value = data.draw(numbers([float(array.values[i, j])]))
    sentence = data.draw(st.sampled_from(SENTENCES))
    for texts in (right, wrong):
        text = sentence.format(array.labels[0][i], array.labels[1][j], *texts)
        checked, found = findings(folder, "md", [f"<!-- hopattn: {name} -->", "# 1.2 Words", "", text])
        if texts is right:
            assert (len(checked.claims), found) == (1, [])
    accepted = ARRAYS[name]["layer 1 head 1 weights"].values.T
    if not (accepted.shape == array.values.shape and abs(accepted[i, j] - as_number(wrong[0])) < 0.0051):
        (one,) = found
        assert (one.line, as_number(one.right)) == (4, value)


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        (".6", 0.6, 1),
        ("0.60", 0.6, 2),
        ("0,6", 0.6, 1),
        ("−.25", -0.25, 2),
        ("-0.5", -0.5, 1),
        ("12", 12, 0),
        ("2/3", 2 / 3, None),
        ("60 %", 0.6, 2),
        ("12.5\\%", 0.125, 3),
        ("1e-3", 0.001, 3),
    ],
)
def test_every_form_is_read(text, value, decimals):
    number = Printed.parse(text)
    assert number.value == pytest.approx(value, rel=1e-15)
    assert number.decimals == decimals


@pytest.mark.parametrize("text", ["", "1,000", "3.1.4", "p. 12", ".6 .8", "1/0", "½.", "−", "1e999", "9" * 50, "٣"])
def test_another_text_is_no_number(text):
    assert Printed.parse(text) is None


@given(st.decimals(-50, 50, places=6), st.integers(0, 4), st.sampled_from([".", ","]), st.booleans())
def test_a_number_agrees_with_its_rounding_and_not_with_the_next_one(value, decimals, point, with_zero):
    rounded = f"{value:.{decimals}f}"
    text = (rounded if with_zero else rounded.replace("0.", ".", 1) if abs(value) < 1 else rounded).replace(".", point)
    number = Printed.parse(text)
    if number is not None:  # ",5" is none
        assert number.agrees(float(value))
        assert not number.agrees(float(value) + 1.01 * 10.0**-decimals)
        places = decimals or (0 if value % 1 == 0 else 2)  # where a whole number stands, two decimals of another one
        written = float(number.written(float(value)).replace("−", "-").replace(",", "."))
        assert written == float(f"{float(value):.{places}f}")


def test_a_fraction_is_exact():
    assert Printed.parse("1/6").agrees(1 / 6)
    assert not Printed.parse("1/6").agrees(0.1667)
