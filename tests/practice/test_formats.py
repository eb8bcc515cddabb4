"""The formats of practice sheets: each is read by a reader of its own, whatever the words are."""

import json
import os
import re
import shutil
import subprocess
import sys
from io import BytesIO
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from hopattn.practice import Sheet, sheet
from hopattn.practice.formats import formats
from hopattn.practice.problem import Choice, Grid, Problem
from hopattn.views.visible import visible
from tests.html_page import Page
from tests.refusal import refused

ODD = r"""<b>&amp; 50%_$x$ #1 \(y\) {1:NM:=3} {{z}} "'`*|~^ä€"""
RIGHT = {1: [["-1/3"]], 2: [[".64", "-.37"]], 3: [[".51", ".49"], ["0", "1"]]}
"""The right answers of the sheet, as Python writes them."""


def problem(number, told, question, rows, columns, answers, right):
    """A problem of which one answer is right; the others have the errors e0, e1 …"""
    choices = [
        Choice(tuple(map(tuple, cells)), *(() if i == right else (f"e{i}", f"the reason {i} {ODD}")))
        for i, cells in enumerate(answers)
    ]
    working = ("layer 1:", f"  {ODD}:", "    .8×.8 = .64", "    2/3 − 1 = −1/3", "2. the end")
    return Problem(number, told, question, rows, columns, tuple(choices), working)


def sheet_of(language="en", title=f"The end --> {ODD}", question=ODD):
    table = Grid(("in", ODD, "[their]"), ("river", ODD), (("0", "1"), (".8", "−.6"), ("1/3", ".123")))
    vectors = [[["2", "3"]], [["5", "0"]], [[".64", "−.37"]]]
    matrices = [[[".51", ".49"], ["0", "1"]], [[".49", ".51"], ["1", "0"]], [["1", "0"], ["0", "1"]]]
    problems = (
        problem(1, ("1. A text\nin two lines", "- not a list"), "Which?", (), (), [[[".5"]], [["−1/3"]], [["7/9"]]], 1),
        problem(2, ("[x] The words:", table), question, (), ("river", ODD), vectors, 2),
        problem(3, (table,), "The matrix?", ("[their]", "dog"), ("river", ODD), matrices, 0),
    )
    command = "hopattn practice bank --count 3 --seed 7 --sheet 'a-->.md'"
    return Sheet("bank", title, f"Ours, {ODD}", 7, command, language, TEXTS[language], problems)


TEXTS = {language: sheet("bank", 1, language=language).texts for language in ("en", "de")}
SHEET = sheet_of()
OTHER_FORM = "The answer has another form. The answer is "
IN_ORDER = f"a list of numbers, in this order: river, {ODD}."
PAPER = ["html", "md", "tex"]
"""The formats that people read, with lettered choices."""


def data(name, sheet=SHEET):
    """The bytes of a sheet."""
    written = formats[name].sheet(sheet)
    return written.encode() if isinstance(written, str) else written


def whole(name, sheet=SHEET):
    """The text of a sheet, of an archive that of all files."""
    if name == "zip":
        with ZipFile(BytesIO(data(name, sheet))) as archive:
            return "".join(archive.read(one).decode() for one in archive.namelist())
    return data(name, sheet).decode()


@pytest.mark.parametrize("name", formats)
def test_a_sheet_is_the_same_bytes_for_the_same_words_in_its_language_and_says_how_it_is_drawn_again(name):
    if name == "zip":
        pytest.importorskip("text2qti", reason="text2qti is not installed (the extra 'qti')")
    german = sheet_of("de")
    assert data(name) == data(name, sheet_of()) != data(name, sheet_of(title="Another title"))
    assert formats[name].key(SHEET) == formats[name].key(sheet_of())
    assert whole(name) != whole(name, german) or name == "json"
    assert german.texts["format"]["working"] in formats[name].key(german)
    if name == "zip":
        with ZipFile(BytesIO(data(name))) as archive:
            assert archive.comment.decode() == SHEET.command
    else:
        assert "hopattn practice bank --count 3 --seed 7" in whole(name)


@pytest.mark.parametrize("name", PAPER)
def test_a_sheet_does_not_tell_which_answer_is_right(name):
    """Another answer is right in the second sheet, which is the same otherwise."""
    problems = []
    for one in SHEET.problems:
        choices = tuple(Choice(choice.cells, "" if i == 1 else "e") for i, choice in enumerate(one.choices))
        problems.append(Problem(**{**vars(one), "choices": choices, "working": ()}))
    assert data(name) == data(name, Sheet(**{**vars(SHEET), "problems": tuple(problems)}))


@pytest.mark.parametrize("name", PAPER)
def test_a_key_names_the_letter_of_every_right_answer_and_the_error_of_every_other(name):
    key = formats[name].key(SHEET)
    assert "1 B, 2 C, 3 A" in key
    wrong = ["ABC"[i] for one in SHEET.problems for i, choice in enumerate(one.choices) if choice.error]
    assert re.findall(r"(?:- |>|\{)([A-H])(?:, [^\n]*?)?: the reason", key) == wrong


def page(text):
    """The body of a page."""
    return Page(text.partition("</style>")[2].removesuffix("</html>\n"))


def inline(text):
    """The texts of Markdown's blocks, which must hold nothing but text, strong words and breaks."""
    for token in MarkdownIt().enable("table").parse(text):
        if token.type == "inline":
            assert {part.type for part in token.children} <= {"text", "text_special", "strong_open", "strong_close"}
            yield "".join(part.content for part in token.children)


@given(st.one_of(st.text(), st.text("-+=.:0123456789 ()[]{}<>&;#%\\\\`*_~|!$\"'ab\t\n")))
def test_any_text_is_shown_as_it_is(text):
    plain = visible(" ".join(text.replace("^", "").split())) or "?"
    one = sheet_of(question=plain)
    asked = ElementTree.fromstring(whole("xml", one))[2].findtext("questiontext/text")
    assert plain in inline(whole("md", one)) and plain in page(whole("html", one)).words and plain in Page(asked).words
    prose = re.sub(r"<[^>]*>", "", re.sub("<span>(.*?)</span>", "", asked.partition("<table")[0]))
    assert not set("{}$\\`'\"") & set(prose)


def test_markdown_shows_every_word_as_it_is():
    blocks = list(inline(whole("md")))
    assert f"Practice: {SHEET.title}" in blocks and SHEET.problems[1].question in blocks
    assert "1. A text in two lines - not a list" in blocks
    for grid in [SHEET.problems[1].given[1], *map(SHEET.problems[2].as_grid, SHEET.problems[2].choices)]:
        cells = [cell for name, row in zip(grid.rows, grid.cells, strict=True) for cell in (name, *row)]
        assert "\x00".join(["", *grid.columns, *cells]) in "\x00".join(blocks)
    types = [token.type for token in MarkdownIt().enable("table").parse(whole("md"))]
    assert (types.count("table_open"), types.count("list_item_open"), types.count("fence")) == (3 + 3, 3 + 3, 6)
    key = list(inline(formats["md"].key(SHEET)))
    for one in SHEET.problems:
        assert "\x00".join(line.strip() for line in one.working) in "\x00".join(key)


def test_a_page_shows_every_word_as_it_is_and_is_ascii():
    text = whole("html")
    assert text.isascii() and text.startswith("<!doctype html>\n<!-- hopattn") and '<html lang="en">' in text
    shown, key = page(text), page(formats["html"].key(SHEET))
    assert shown.tags <= {"h1", "p", "strong", "section", "h2", "table", "tr", "th", "td", "ol", "li"}
    assert all(words in shown.words for words in (SHEET.title, SHEET.source, SHEET.problems[1].question))
    assert shown.tables[1] == [["", "river", ODD], ["A", "2", "3"], ["B", "5", "0"], ["C", ".64", "−.37"]]
    assert len(shown.tables) == 2 + 4 and shown.words.count("Problem") == 3
    assert "<" not in re.search("<title>(.*?)</title>", text)[1]
    assert all(line.strip() in key.words for one in SHEET.problems for line in one.working)


@pytest.mark.parametrize("write", ["sheet", "key"])
def test_latex_is_balanced_and_compiles_where_it_is_installed(write, tmp_path):
    text = getattr(formats["tex"], write)(SHEET)
    command, _, document = text.partition("\n")
    assert command.startswith("% hopattn practice")
    body = re.sub(r"\\[{}$&#%_\\]", "", document.partition(r"\begin{document}")[2])
    assert body.count("{") == body.count("}") and body.count("$") % 2 == 0 and not set("#%~^") & set(body)
    assert "&" not in re.sub(r"(?s)\\begin{tabular}.*?\\end{tabular}", "", body)
    open_ones = ["document"]
    for begins, name in re.findall(r"\\(begin|end){(\w+)}", body):
        assert begins == "begin" or open_ones.pop() == name
        open_ones += [name] * (begins == "begin")
    assert open_ones == []
    assert body.count(r"\question{}") == 3 and body.count(r"\choice{}") == (6 if write == "sheet" else 0)
    assert body.count(r"\begin{solution}") == (0 if write == "sheet" else 3)
    if engine := next(filter(shutil.which, ["lualatex", "xelatex", "tectonic"]), None):
        (tmp_path / "sheet.tex").write_text(text, encoding="utf-8")
        options = [] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
        ran = subprocess.run([engine, *options, "sheet.tex"], cwd=tmp_path, capture_output=True)
        assert ran.returncode == 0 or b"exam.cls' not found" in ran.stdout, ran.stdout.decode()[-2000:]


def test_the_data_hold_everything_and_their_numbers_are_those_of_the_texts():
    data = json.loads(whole("json"))
    assert [one["right"] for one in data["problems"]] == ["B", "C", "A"]
    assert data["problems"][0]["choices"][1]["numbers"] == [[-1 / 3]]
    assert data["problems"][1]["given"][1]["cells"][2] == ["1/3", ".123"]
    assert data["problems"][2]["choices"][1]["reason"] == SHEET.problems[2].choices[1].reason
    assert data["command"] == SHEET.command and data["problems"][0]["working"] == [*SHEET.problems[0].working]


# Moodle's documentation of embedded answers: {weight:NUMERICAL:=number:tolerance}
BLANK = re.compile(r"\{(\d+):(?:NUMERICAL|NM):=(-?\d*\.?\d+):(\d*\.?\d+)\}")


def test_moodle_reads_numbers_with_their_likely_errors_and_tables_with_blanks():
    text = whole("xml")
    category, number, vector, matrix = ElementTree.fromstring(text)
    assert text.isascii() and category.findtext("category/text") == "$course$/top/hopattn/bank"
    kinds = [one.get("type") for one in (category, number, vector, matrix)]
    assert kinds == ["category", "numerical", "cloze", "cloze"]
    answers = [(one.get("fraction"), float(one.findtext("text"))) for one in number.iter("answer")]
    assert answers == [("100", pytest.approx(-1 / 3, abs=1e-6)), ("0", 0.5), ("0", pytest.approx(7 / 9, abs=1e-6))]
    assert {float(one.findtext("tolerance")) for one in number.iter("answer")} == {0.0005}
    remarks = [Page(one.findtext("feedback/text") or "").words.strip() for one in number.iter("answer")]
    assert remarks == ["", f"the reason 0 {ODD}", f"the reason 2 {ODD}"]
    for question, right in ((vector, [[0.64, -0.37]]), (matrix, [[0.51, 0.49], [0, 1]])):
        asked = question.findtext("questiontext/text")
        blanks = BLANK.findall(asked)
        assert [float(one) for _, one, _ in blanks] == [cell for row in right for cell in row]
        assert {(weight, tolerance) for weight, _, tolerance in blanks} == {("1", "0.0005")}
        rows = Page(asked).tables[-1][1:]
        assert [sum(map(bool, map(BLANK.search, row))) for row in rows] == [len(row) for row in right]
        assert len(re.findall("[{}]", asked)) == 2 * len(blanks)  # a brace of a word opens no blank
    for question, one in zip((number, vector, matrix), SHEET.problems, strict=True):
        read = Page(question.findtext("generalfeedback/text"))
        assert all(line.strip() in read.words for line in one.working)
        assert SHEET.problems[one.number - 1].question in Page(question.findtext("questiontext/text")).words


def test_qti_marks_one_choice_of_each_question_and_holds_no_time():
    pytest.importorskip("text2qti", reason="text2qti is not installed (the extra 'qti')")
    with ZipFile(BytesIO(data("zip"))) as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        files = {name: archive.read(name) for name in archive.namelist()}
    assert b"<imsmd:dateTime>1980-01-01<" in files["imsmanifest.xml"]
    manifest = ElementTree.fromstring(files["imsmanifest.xml"])
    (named,) = [one for one in manifest.iter() if one.get("type") == "imsqti_xmlv1p2"]
    root = ElementTree.fromstring(files[named[0].get("href")])
    space = {"q": "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"}
    items = root.findall(".//q:item", space)
    for item, one in zip(items, SHEET.problems, strict=True):
        labels = item.findall(".//q:response_label", space)
        (right,) = [
            condition.findtext(".//q:varequal", namespaces=space)
            for condition in item.findall(".//q:respcondition", space)
            if condition.find("q:setvar", space) is not None
        ]
        assert [label.get("ident") for label in labels].index(right) == one.right
        assert one.question in Page(item.findtext("q:presentation/q:material/q:mattext", namespaces=space)).words
        shown = [Page(label.findtext(".//q:mattext", namespaces=space)) for label in labels]
        cells = [list(choice.cells[0]) for choice in one.choices]
        assert cells == [[page.words.strip()] if one.is_number else page.tables[0][1][-2:] for page in shown]
        remarks = [Page(text.text).words for text in item.findall(".//q:itemfeedback//q:mattext", space)]
        assert all(any(choice.reason == remark for remark in remarks) for choice in one.choices if choice.error)
        assert not item.findall(".//q:mattext[@texttype='text/plain']", space)


def test_qti_without_its_package_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "text2qti", None)
    refused(lambda: formats["zip"].sheet(SHEET), "", "text2qti is not installed: pip install text2qti")


def sources(notebook, kind):
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def test_a_notebook_holds_no_answer_in_its_code():
    notebook = json.loads(whole("ipynb"))
    checks = sources(notebook, "code")[1:]
    assert not any(re.search(r"\d\.\d|[^\w]\.\d|1/3", re.sub(r"the reason.*", "", code)) for code in checks)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"]) == 2 + 3 * 3
    texts = list(inline("\n\n".join(sources(notebook, "markdown"))))
    assert {SHEET.problems[1].question, f"The answer is {IN_ORDER}"} <= {*texts}


@pytest.fixture(scope="module")
def judge():
    """The verdict of the notebook on an answer to a problem: its message, or 'Right.'."""
    start, *cells = sources(json.loads(whole("ipynb")), "code")
    names = {}
    exec(start, names)

    def verdict(number, answer):
        names["answer"] = answer
        printed = []
        try:
            exec(cells[2 * number - 1], names | {"print": printed.append})
        except AssertionError as error:
            return str(error)
        return printed[0]

    return verdict


@pytest.mark.parametrize(
    ("number", "answer", "message"),
    [
        *((1, answer, "Right.") for answer in (-1 / 3, -0.333, -0.3333, "-0.33334", [-1 / 3])),
        *((2, answer, "Right.") for answer in ([0.64, -0.37], (0.6404, -0.3704), np.array([[0.64, -0.37]]))),
        (3, [[0.51, 0.49], [0, 1.0]], "Right."),
        (1, 0.5, f"Not right. A likely error: the reason 0 {ODD}."),
        (2, [5, 0], f"Not right. A likely error: the reason 1 {ODD}."),
        (3, [[1, 0], [0, 1]], f"Not right. A likely error: the reason 2 {ODD}."),
        (1, -0.33, "Not right."),
        (2, [-0.37, 0.64], "Not right."),
        *((1, answer, f"{OTHER_FORM}a number.") for answer in (..., float("nan"), [], [0.1, 0.2])),
        (2, 0.64, f"{OTHER_FORM}{IN_ORDER}"),
    ],
)
def test_a_notebook_takes_a_right_answer_in_any_form_and_names_the_likely_error_of_a_wrong_one(
    judge, number, answer, message
):
    assert judge(number, answer) == message


@pytest.mark.slow
def test_a_kernel_runs_the_notebook(tmp_path):
    nbclient, _, nbformat = map(pytest.importorskip, ("nbclient", "ipykernel", "nbformat"))
    notebook = nbformat.reads(whole("ipynb"), as_version=4)
    nbformat.validate(notebook)
    for number, answer in enumerate(["-1 / 3", "[5, 0]", "[[.51, .49], [0, 1.1]]"], start=1):
        notebook.cells[3 * number].source = f"answer = {answer}"
    client = nbclient.NotebookClient(notebook, allow_errors=True, resources={"metadata": {"path": tmp_path}})
    client.execute(env=os.environ | {"IPYTHONDIR": str(tmp_path / "ipython")})
    right, likely, other = (notebook.cells[3 * number + 1].outputs[0] for number in (1, 2, 3))
    assert (right.text, likely.ename, other.evalue) == ("Right.\n", "AssertionError", "Not right.")
