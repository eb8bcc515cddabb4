"""Worksheets in the forms and conventions of courses: right ones have no finding, one altered number is the finding."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.notes.checking import check


def latex(rows):
    return r"\begin{pmatrix}" + r" \\ ".join(" & ".join(row) for row in rows) + r"\end{pmatrix}"


def lists(rows):
    return "[" + ",\n ".join("[" + ", ".join(row) + "]" for row in rows) + "]"


def printed_by_numpy(rows):
    return "[" + "\n ".join("[" + " ".join(row) + "]" for row in rows) + "]"


def with_comments(rows):
    return "[" + "\n ".join(f"[{', '.join(row)}],  # word {i}" for i, row in enumerate(rows)) + "\n]"


def semicolons(rows):
    return "[" + "; ".join(" ".join(row) for row in rows) + "]"


BODIES = {
    "LATEX": latex,
    "LISTS": lists,
    "NUMPY": printed_by_numpy,
    "COMMENTS": with_comments,
    "SEMICOLONS": semicolons,
}
FORMS = {
    "a.md": ["$$NAME = LATEX$$", "```python\nNAME = COMMENTS\n```", "`NAME = LISTS`"],
    "a.tex": ["\\[ NAME = LATEX \\]", "$NAME = LATEX$"],
    "a.txt": ["NAME = LISTS", "NAME = NUMPY", "NAME = SEMICOLONS"],
    "a.html": ["<p>\\(NAME = LATEX\\)</p>", "<pre>\nNAME = LISTS\n</pre>"],
}


def filled(form, title, rows):
    body = next(name for name in BODIES if name in form)
    return form.replace(body, BODIES[body](rows)).replace("NAME", title)


def written(values, decimals, minus="-"):
    rounded = np.round(values, decimals) + 0.0
    return [[f"{value:.{decimals}f}".replace("-", minus) for value in row] for row in np.atleast_2d(rounded)]


def softmax(scores):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@st.composite
def heads(draw):
    """Words, matrices and all that follows, each with its name and decimals; the first results of a list follow."""
    seed = draw(st.integers(0, 10**6))
    rng, n, d, width = (
        np.random.default_rng(seed),
        draw(st.integers(2, 4)),
        draw(st.integers(2, 3)),
        draw(st.integers(2, 3)),
    )
    words = rng.integers(1, 15, (n, d)) / 10 * rng.choice([-1, 1], (n, d))
    right, scaled, is_causal = (draw(st.booleans()) for _ in range(3))
    matrices = [rng.integers(1, 15, (d, width)) / 10 * rng.choice([-1, 1], (d, width)) for _ in range(3)]
    q, k, v = (words @ matrix for matrix in matrices)
    scores = q @ k.T
    own = scores / math.sqrt(width) if scaled else scores
    weights = softmax(np.where(np.tri(n), own, -np.inf) if is_causal else own)
    given_ = [("X", words, 1), *((f"W_{x}", m if right else m.T, 1) for x, m in zip("QKV", matrices, strict=True))]
    follow = [("Q", q, 2), ("K", k, 2), ("V", v, 2), ("Q K^T", scores, 4)]
    follow += [(r"Q K^T / \sqrt{d}" if scaled else "scores", own, 3), ("attention weights", weights, 3)]
    return given_, [*follow, ("output", weights @ v, 3)]


def hopfield_sheet(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    size, count = draw(st.integers(5, 7)), draw(st.integers(1, 3))
    patterns = rng.choice([-1, 1], (count, size))
    divisor = draw(st.sampled_from([1, size, count]))
    couplings = patterns.T @ patterns / divisor
    if draw(st.booleans()):
        np.fill_diagonal(couplings, 0)
    state = rng.choice([-1, 1], size)
    field = couplings @ state
    after = np.where(np.abs(field) < 1e-9, state, np.sign(field))
    return patterns, couplings, 0 if divisor == 1 else 4, state, field, after


def findings(folder, name, parts):
    file = folder / name
    file.write_text("\n\n".join(parts), encoding="utf-8")
    return check(file)


@given(heads(), st.data())
def test_a_worksheet_of_a_head(tmp_path_factory, sheet, data):
    start, follow = sheet
    name = data.draw(st.sampled_from(sorted(FORMS)))
    form = data.draw(st.sampled_from(FORMS[name]))
    minus = data.draw(st.sampled_from(["-", "−"])) if name != "a.tex" else "-"
    folder = tmp_path_factory.mktemp("head")
    parts = [filled(form, title, written(values, decimals, minus)) for title, values, decimals in start]
    texts = [written(values, decimals, minus) for _, values, decimals in follow]
    right = [filled(form, title, rows) for rows, (title, *_) in zip(texts, follow, strict=True)]
    checked = findings(folder, name, [*parts, *right])
    assert checked.findings == []
    assert len(checked.claims) == sum(values.size for _, values, _ in follow)
    at = data.draw(st.integers(0, len(follow) - 1))
    title, values, decimals = follow[at]
    i, j = (data.draw(st.integers(0, size - 1)) for size in values.shape)
    off = data.draw(st.integers(1, 5)) * data.draw(st.sampled_from([-1, 1])) / 4
    wrong = values.copy()
    wrong[i, j] += off
    rows = [row.copy() for row in texts[at]]
    rows[i][j] = written(wrong, decimals, minus)[i][j]
    altered = [*right[:at], filled(form, title, rows), *right[at + 1 :]]
    (one,) = findings(folder, name, [*parts, *altered]).findings
    assert one.stands == rows[i][j]
    assert abs(float(one.right.replace("−", "-")) - values[i, j]) <= 0.5001 * 10.0**-decimals


@given(st.data())
def test_a_worksheet_of_a_network(tmp_path_factory, data):
    patterns, couplings, decimals, state, field, after = hopfield_sheet(data.draw)
    folder = tmp_path_factory.mktemp("network")
    signs = data.draw(st.sampled_from([str, "{:+d}".format]))
    parts = [f"$\\xi^{i} = ({', '.join(map(signs, pattern.tolist()))})$" for i, pattern in enumerate(patterns, 1)]
    if data.draw(st.booleans()):
        parts = [f"pattern {i}: {' '.join(map(signs, pattern.tolist()))}" for i, pattern in enumerate(patterns, 1)]
    sides = {
        "W": written(couplings, decimals),
        "h = W s(0)": written(field, decimals),
        "s(1) = \\mathrm{sgn}(W s(0))": written(after, 0),
    }
    cue = f"$s(0) = ({', '.join(map(str, state.tolist()))})$"

    def page(tables):
        equations = [f"$${name} = {latex(rows)}$$" for name, rows in tables.items()]
        return findings(folder, "a.md", [*parts, equations[0], cue, *equations[1:]])

    checked = page(sides)
    assert checked.findings == []
    assert len(checked.claims) == sum(
        len(rows) * len(rows[0]) for name, rows in sides.items() if name != "W" or np.array(rows, float).any()
    )
    name = data.draw(st.sampled_from(sorted(sides)))
    rows = [row.copy() for row in sides[name]]
    is_clear = abs(field) > 1e-9 if name.startswith("s") else np.ones(len(rows[0]))  # a tie has many answers
    clear = np.flatnonzero(is_clear).tolist()
    i, j = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.sampled_from(clear or [0]))
    before = rows[i][j]
    value = -float(before) if name.startswith("s") else float(before) + data.draw(st.sampled_from([-1, 1, 2]))
    rows[i][j] = f"{value:.{decimals if not name.startswith('s') else 0}f}"
    telling = sum(bool(float(one)) for row in sides[name] for one in row)
    found = page(sides | {name: rows}).findings
    if not name.startswith("s") and telling > 4:
        assert len(found) == 1
    else:  # too few numbers to say which of them is wrong; and another update may end in the altered state
        assert len(found) <= 1
    for one in found:
        assert (one.stands, one.right.replace("−", "-")) == (rows[i][j], before)


def test_a_wrong_neuron_of_a_step_is_found(tmp_path):
    sheet = ["W = [0 1 -2 1; 1 0 1 3; -2 1 0 1; 1 3 1 0]", "s(0) = (1, 1, -1, -1)"]
    sheet += ["s(1) = sgn(W s(0)) = (1, -1, 1, 1)"]
    (one,) = findings(tmp_path, "a.txt", sheet).findings
    assert (one.about, one.stands, one.right) == ("s(1), row 1, column 3", "1", "−1")


WORKSHEET = """Weights of three words.

X = [1 0; 0 2; 1 1]

W_Q = [1 2; 0 1]

Q = [1 2; 0 2; 1 4]
"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["The words are\n", "$X = [1\\ 0; 0\\ 2; 1\\ 1]$."]},
        {
            "cell_type": "code",
            "source": "W_Q = np.array([[1, 2],\n  [0, 1]])",
            "outputs": [{"text": ["Q = [[1 2]\n", " [0 2]\n", " [1 4]]"]}],
        },
    ]
}
HTML = """<html><head><title>Q = [1 2; 3 4]</title></head><body>
<p>The words <i>X</i>:</p>
<table><tr><td>cat</td><td>1</td><td>0</td></tr>
<tr><td>dog</td><td>0</td><td>2</td></tr><tr><td>owl</td><td>1</td><td>1</td></tr></table>
<p>W<sub>Q</sub> = [1 2; 0 1]</p>
<h3>Queries</h3><table>
<tr><th>cat</th><td>1</td><td>2</td></tr>
<tr><th>dog</th><td>0</td><td>2</td></tr>
<tr><th>owl</th><td>1</td><td>4</td></tr>
</table></body></html>"""


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.txt", WORKSHEET, "7"),
        ("a.md", WORKSHEET, "7"),
        ("a.ipynb", json.dumps(NOTEBOOK), "cell 2, output line 3"),
        ("a.html", HTML, "9"),
    ],
)
def test_a_finding_has_its_place_and_the_form(hopattn, tmp_path, name, text, place):
    (tmp_path / name).write_text(text, encoding="utf-8")
    code, out, err = hopattn("lint", str(tmp_path / name))
    assert (code, err) == (1, "")
    first, form, total = out.splitlines()
    assert first.startswith(f"{tmp_path / name}:{place}: {'Queries' if name == 'a.html' else 'Q'}, row ")
    assert f"row {'owl' if name == 'a.html' else 3}, column 2: 4; 3 is right (X·W of " in first
    assert "cell 1, line 2) and W_Q (cell 2, line 1)" in first or name != "a.ipynb"
    assert (form, total) == (f"{tmp_path / name}: read as X·W", "6 numbers compared, 5 agree")


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("a.pdf", "`pdftotext -layout {0}.pdf {0}.txt`"),
        ("a.docx", "`pandoc {0}.docx -t markdown -o {0}.md`"),
        ("a.odt", "`pandoc {0}.odt -t markdown -o {0}.md`"),
        ("a.pptx", "`markitdown {0}.pptx -o {0}.md`"),
    ],
)
def test_a_document_is_refused_with_the_line_that_converts_it(hopattn, tmp_path, name, cure):
    (tmp_path / name).write_bytes(b"PK")
    code, out, err = hopattn("lint", str(tmp_path / name))
    assert (code, out) == (2, "") and cure.format(tmp_path / "a") in err


def test_a_notebook_that_is_none_is_refused(hopattn, tmp_path):
    (tmp_path / "a.ipynb").write_text("[]")
    code, _, err = hopattn("lint", str(tmp_path / "a.ipynb"))
    assert code == 2 and "is no notebook" in err


def test_nothing_to_compare_is_said_with_what_was_found_and_looked_for(hopattn, tmp_path):
    (tmp_path / "a.md").write_text("The words are X = [1 0; 0 1].")
    code, out, err = hopattn("lint", str(tmp_path / "a.md"))
    assert (code, out) == (2, "")
    assert "nothing could be compared. Found: the matrices X (line 1). Looked for: patterns and their W" in err


@pytest.mark.parametrize(
    "text",
    [
        "W = [0 5; 5 0]\n\nthe state s = (1, -1)\n\nand x = (3, 1)",
        "X = [1 2; 3 4]\n\nW_Q = [1 0; 0 1]\n\nQ = [7 1; 2 9]",
        "S = [2 0; 0 1]\n\nP = [1 0; 0 0]",
        "see (1, 2) and [3, 4], shape (2, 3), of 1982",
        "pattern 1: 1 -1 1 -1\n\nW = [0 5 4 3; 5 0 1 2; 4 1 0 7; 3 2 7 0]",
        "C1 * (3, 1) + C2 * (1, -1) = (1, 0), and assert [1, 2, 3, 4, 6] == [1, 2, 3, 4, 5]",
        "W = [0 1 -2 1; 1 0 1 3; -2 1 0 1; 1 3 1 0]\n\ns(0) = (1, 1, -1, -1)\n\ns(1) = (1, 1, -1, 1)",
        "W = [0 1 -2 1; 1 0 1 3; -2 1 0 1; 1 3 1 0]\n\ns(0) = (1, 1, -1, -1)\n\ns(1) = sgn(W s(0) - θ) = (1, -1, 1, 1)",
    ],
)
def test_matrices_that_do_not_follow_are_left_alone(tmp_path, text):
    assert findings(tmp_path, "a.txt", [text]).findings == []


def test_word_vectors_give_cosines_and_products(tmp_path):
    vectors = "The word vectors:\n\ncat = (3, 4)\ndog = (4, 3)\nowl = (1, 0)\n\n"
    right = "The cosine of cat and dog is .96. The dot product of cat and owl is 3."
    assert [one.stands for one in findings(tmp_path, "a.txt", [vectors + right]).claims] == [".96", "3"]
    (one,) = findings(tmp_path, "a.txt", [vectors + right.replace(".96", ".69")]).findings
    assert (one.line, one.right) == (7, ".96")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("A B = [1 2; 3 4] · [1 0; 0 2] = [1 4; 3 7]", "8"),
        ("$\\begin{pmatrix}1\\\\-1\\end{pmatrix}(1\\;\\;-1) = \\begin{pmatrix}1 & -1\\\\ -1 & 2\\end{pmatrix}$", "1"),
        ("q · k = [1, 2] · [3, 4] = 3 + 8 = 12", "11"),
        ("softmax([0, 0, 0]) = [.33, .33, .43]", ".33"),
        ("$z = 0.5 [2, 4] + 0.25 [4, 8] = [2, 5]$", "4"),
        ("$W = \\frac{1}{4} \\begin{bmatrix} 2 & 4 & 8 \\end{bmatrix} = [0.5, 1.0, 3.0]$", "2.0"),
    ],
)
def test_a_statement_of_printed_matrices_is_computed(tmp_path, text, right):
    (one,) = findings(tmp_path, "a.md", [text]).findings
    assert one.right == right


@pytest.mark.parametrize(
    "text",
    [
        r"Q K^T/√2 = \frac{1}{1.414} [1 0 1; 1 1 2; 2 1 3] ≈ [0.707 0 0.707; 0.707 0.707 1.414; 1.414 0.707 2.121]",
        "X = [1 0; 0 1]\n\nscores = [1 −∞; 0 1]\n\nattention weights = [1 0; 0.27 0.73]",
        r"softmax(\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix} \begin{bmatrix} 0 \\ 0 \end{bmatrix}) = [.5, .5]",
        "a = [2.028/5.056, 1.000/5.056, 2.028/5.056] ≈ [0.401, 0.198, 0.401]",
        "o = 0.33 [3, 0] + 0.67 [0, 3] = [1.00, 2.00]",
    ],
)
def test_what_is_rounded_masked_or_a_column_is_right(tmp_path, text):
    checked = findings(tmp_path, "a.md", [text])
    assert checked.claims and checked.findings == []


def test_a_causal_table_with_empty_cells(tmp_path):
    text = """Scores, with a causal mask:

| | in | financial | banks |
|---|---|---|---|
| in | 1 | · | · |
| financial | 0 | 1 | · |
| banks | 0 | .6 | 1 |

Attention weights (softmax):

| | in | financial | banks |
|---|---|---|---|
| in | 1 | | |
| financial | .27 | .73 | |
| banks | .18 | .33 | .59 |
"""
    checked = findings(tmp_path, "a.md", [text])
    (one,) = checked.findings
    assert (one.line, one.stands, one.right, len(checked.claims)) == (15, ".59", ".49", 6)


def test_matrices_side_by_side(tmp_path):
    text = """Q = [[1, 2],   K = [[0, 1],
     [3, 1]]        [1, 1]]

Q K^T = [[2, 3], [1, 5]]"""
    (one,) = findings(tmp_path, "a.txt", [text]).findings
    assert (one.line, one.stands, one.right) == (4, "5", "4")


def test_a_wrong_number_between_is_one_finding_alone(tmp_path):
    """What follows from the right number behind it is right."""
    sheet = ["Q = [1 2; 3 4; 2 1]", "K = [1 1; 2 0; 0 3]", "Q K^T = [3 2 6; 7 6 13; 3 4 3]"]
    weights = written(softmax(np.array([[3, 2, 6], [7, 6, 12], [3, 4, 3]]) / math.sqrt(2)), 3)
    (one,) = findings(tmp_path, "a.txt", [*sheet, f"attention weights = {semicolons(weights)}"]).findings
    assert (one.stands, one.right) == ("13", "12")


def test_rounding_of_what_is_between_is_allowed(tmp_path):
    """Weights from scores without rounding, where the text prints one decimal."""
    scores = np.array([[1.26, 2.34], [0.44, 3.16]])
    sheet = [f"Q = {semicolons(written(scores, 2))}", "K = [1 0; 0 1]", f"scores = {semicolons(written(scores, 1))}"]
    text = [*sheet, f"attention weights = {semicolons(written(softmax(scores), 3))}"]
    checked = findings(tmp_path, "a.txt", text)
    assert (checked.findings, len(checked.claims)) == ([], 8)


def test_a_wrong_neuron_of_a_stated_step_is_found_where_one_neuron_alone_would_give_the_state(tmp_path):
    """sgn(W (1, 1, 1, 1)) has fields 1, 1, 1, −3 by hand; the neurons 1 to 3 alone would leave the state as it is."""
    sheet = ["W = [0 1 1 -1; 1 0 1 -1; 1 1 0 -1; -1 -1 -1 0]", "s(0) = (1, 1, 1, 1)"]
    (one,) = findings(tmp_path, "a.txt", [*sheet, "s(1) = sgn(W s(0)) = (1, 1, 1, 1)"]).findings
    assert (one.about, one.stands, one.right) == ("s(1), row 1, column 4", "1", "−1")


def test_rows_of_two_numbers_without_spaces_are_no_decimal_commas(tmp_path):
    (one,) = findings(tmp_path, "a.md", ["Q = [[1,2],[0,1]]", "K = [[1,1],[3,1]]", "QK^T = [[3,5],[1,2]]"]).findings
    assert (one.about, one.stands, one.right) == ("QKᵀ, row 2, column 2", "2", "1")


def test_a_table_without_a_head_is_the_matrix_itself(tmp_path):
    rows = ["|   |   |   |   |", "|---|---|---|---|", "| 0 | 0 | 0 | −2 |", "| 0 | 0 | −2 | 0 |"]
    rows += ["| 0 | 2 | 0 | 0 |", "| −2 | 0 | 0 | 0 |"]
    sheet = ["x^1 = (1, −1, 1, −1) and x^2 = (1, 1, −1, −1)", "The weights are", "\n".join(rows)]
    (one,) = findings(tmp_path, "a.md", sheet).findings
    assert (one.stands, one.right) == ("2", "−2")
