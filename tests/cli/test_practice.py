"""Practice problems, published numbers and the site's code pages, by their commands."""

import json

import pytest

from hopattn.papers import records
from hopattn.views.papers_text import KNOWN


def test_the_sheet_is_printed_without_the_marks_of_exercises(hopattn):
    code, out, err = hopattn("practice", "bank", "--count", "2", "--seed", "7")
    assert (code, err) == (0, "") and out.count("## Problem") == 2 and "{exercise" not in out
    assert hopattn("practice", "bank", "--count", "2", "--seed", "7")[1] == out
    assert "## Aufgabe 1" in hopattn("practice", "bank", "--count", "1", "--lang", "de")[1]


def test_the_ending_of_a_file_chooses_the_format_and_the_key_has_the_answers(hopattn, tmp_path):
    for ending in (".md", ".tex", ".html"):
        sheet, key = tmp_path / f"sheet{ending}", tmp_path / f"key{ending}"
        code, out, err = hopattn("practice", "bank", "--count", "1", "--out", str(sheet), "--key", str(key))
        assert (code, out) == (0, "") and err.split() == [str(key), str(sheet)]
        assert "similarity to financial" in key.read_text() and "similarity to" not in sheet.read_text()
    upload = tmp_path / "upload.xml"
    assert hopattn("practice", "bank", "--count", "1", "--out", str(upload))[0] == 0
    assert upload.read_text().startswith("<?xml")


def test_marks_are_printed_and_a_wrong_answer_is_1(hopattn, tmp_path):
    problems = json.loads(hopattn("practice", "bank", "--count", "2", "--seed", "7", "--out", "-.json")[1])["problems"]
    right = [problem["right"] for problem in problems]
    wrong = next(letter for letter in "ABCD" if letter != right[1])
    file = tmp_path / "answers.toml"
    file.write_text(f'scenario = "bank"\ncount = 2\nseed = 7\n[answers]\n1 = "{right[0]}"\n2 = "{right[1]}"\n')
    assert hopattn("practice", "--mark", str(file))[:2] == (0, "1: right\n2: right\n2 of 2 right\n")
    file.write_text(f'scenario = "bank"\ncount = 2\nseed = 7\n[answers]\n1 = "?"\n2 = "{wrong}"\n')
    code, out, _ = hopattn("practice", "--mark", str(file))
    reason = problems[1]["choices"]["ABCD".index(wrong)]["reason"]
    assert code == 1 and f"2: wrong: likely error: {reason}\n0 of 2 right" in out
    assert f"1: unreadable: got '?'; expected a list of 4 numbers, or a letter from A to D ({file}:5)" in out
    marks = json.loads(hopattn("practice", "--mark", str(file), "--json")[1])
    assert [mark["verdict"] for mark in marks] == ["unreadable", "wrong"]


@pytest.mark.parametrize("width", [50, 80, 120])
def test_the_table_fits_the_terminal_and_has_every_name(hopattn, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, err = hopattn("papers", "--long")
    lines = out.splitlines()
    assert (code, err) == (0, "") and max(map(len, lines)) <= width
    assert {*records()} <= {line.split()[0] for line in lines if line}
    assert f"{len(records())} numbers of" in out


def test_the_papers_begin_with_their_count_and_ten_that_lecturers_know(hopattn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = hopattn("papers")[1].splitlines()
    assert lines[0].startswith(f"{len(records())} numbers of") and len(lines) < 24 and max(map(len, lines)) <= 80
    counts = {words[0]: int(words[1]) for line in lines if (words := line.split()) and words[0] in KNOWN}
    assert counts == {group: sum(one.group == group for one in records().values()) for group in KNOWN}
    assert len(KNOWN) == 10 and "hopattn papers --long" in "\n".join(lines)


def test_one_number_is_shown_whole_and_computed(hopattn):
    code, out, _ = hopattn("papers", "critical-load")
    assert code == 0
    for text in (
        "Amit, Gutfreund & Sompolinsky 1987",
        "0.1379056",
        "check       the verdict holds",
        "a pattern stays (α_c, T_M)",
        "python -c 'import",
    ):
        assert text in out
    assert "N = 100, n" not in hopattn("papers", "hopfield-radius")[1]


def test_a_number_of_trials_has_its_standard_error_and_the_command_of_one(hopattn):
    out = hopattn("papers", "score-variance")[1]
    assert " ± " in out and "of 10 seeds" in out and "score_variance(np.random.default_rng(0), dim=64" in out


def test_words_choose_numbers(hopattn):
    out = hopattn("papers", "hopfield", "1982")[1]
    assert "hopfield-capacity" in out and "newman-bound" not in out
    grouped = json.loads(hopattn("papers", "hopfield-1982", "--json")[1])
    assert {row["name"] for row in grouped} == {name for name, one in records().items() if one.source.year == 1982}
    shown = {row["name"] for row in json.loads(hopattn("papers", "landscapes", "--json")[1])}
    assert {"hopfield-radius", "hopfield-far"} <= shown  # the scenario thirty-neurons shows them
    rows = json.loads(hopattn("papers", "kinetic", "--json")[1])
    assert rows and {row["verdict"] for row in rows} == {"kinetic"} and "ours" not in rows[0]


def test_the_check_shows_what_fails_with_exit_code_1(hopattn, monkeypatch):
    names = ("critical-load", "newman-bound", "hopfield-radius")
    code, out, _ = hopattn("papers", *names, "--check", "--workers", "1")
    assert code == 0 and out == "3 numbers: 2 hold, 0 fail, 1 not checked; --long shows each\n"
    assert "0.1379056" in hopattn("papers", *names, "--check", "--workers", "1", "--long")[1]
    wrong = {**records(), "critical-load": records()["critical-load"].model_copy(update={"published": 0.15})}
    monkeypatch.setattr("hopattn.papers.checking.records", lambda: wrong)
    code, out, _ = hopattn("papers", *names, "--check", "--workers", "1")
    assert code == 1 and "critical-load: ours − the published number = −0.0121; tolerance 0.0005" in out
    assert "newman-bound" not in out and "1 hold, 1 fail, 1 not checked" in out
    code, out, _ = hopattn("papers", "critical-load", "--json")
    assert code == 1 and json.loads(out)[0]["holds"] is False


def test_the_figure_of_the_scenario_is_drawn(hopattn, tmp_path):
    code, _, err = hopattn("papers", "longest-cycle", "--out", "cycle.svg")
    assert code == 0 and err.startswith("cycle.svg\n")
    assert b"<svg" in (tmp_path / "cycle.svg").read_bytes()[:600]


def test_an_upload_that_is_no_text_is_not_printed(hopattn):
    pytest.importorskip("text2qti")
    code, _, message = hopattn("practice", "bank", "--out", "-.zip")
    assert code == 2 and "zip is not a text and cannot be printed" in message
