"""`hopattn practice`: a sheet on the terminal or in a file, its key, and marks."""

import json


def test_the_sheet_is_printed_without_the_marks_of_exercises(hopattn):
    code, out, err = hopattn("practice", "bank", "--count", "2", "--seed", "7")
    assert (code, err) == (0, "") and out.count("## Problem") == 2 and "{exercise" not in out
    assert hopattn("practice", "bank", "--count", "2", "--seed", "7")[1] == out
    assert "## Aufgabe 1" in hopattn("practice", "bank", "--count", "1", "--language", "de")[1]


def test_the_ending_of_a_file_chooses_the_format_and_the_key_has_the_answers(hopattn, tmp_path):
    for ending in (".md", ".tex", ".html"):
        sheet, key = tmp_path / f"sheet{ending}", tmp_path / f"key{ending}"
        code, out, err = hopattn("practice", "bank", "--count", "1", "--sheet", str(sheet), "--key", str(key))
        assert (code, out) == (0, "") and err.split() == [str(key), str(sheet)]
        assert "similarity to financial" in key.read_text() and "similarity to" not in sheet.read_text()
    upload = tmp_path / "upload.xml"
    assert hopattn("practice", "bank", "--count", "1", "--sheet", str(upload))[0] == 0
    assert upload.read_text().startswith("<?xml")
    folder = tmp_path / "questions"
    assert hopattn("practice", "bank", "--count", "1", "--sheet", str(folder), "--format", "prairielearn")[0] == 0
    assert {file.name for file in folder.rglob("*") if file.is_file()} == {"info.json", "question.html", "server.py"}


def test_marks_are_printed_and_a_wrong_answer_is_1(hopattn, tmp_path):
    problems = json.loads(hopattn("practice", "bank", "--count", "2", "--seed", "7", "--format", "json")[1])["problems"]
    right = [problem["right"] for problem in problems]
    wrong = next(letter for letter in "ABCD" if letter != right[1])
    file = tmp_path / "answers.toml"
    file.write_text(f'scenario = "bank"\ncount = 2\nseed = 7\n[answers]\n1 = "{right[0]}"\n2 = "{right[1]}"\n')
    assert hopattn("practice", "--check", str(file))[:2] == (0, "1: right\n2: right\n2 of 2 right\n")
    file.write_text(f'scenario = "bank"\ncount = 2\nseed = 7\n[answers]\n1 = "?"\n2 = "{wrong}"\n')
    code, out, _ = hopattn("practice", "--check", str(file))
    reason = problems[1]["choices"]["ABCD".index(wrong)]["reason"]
    assert code == 1 and f"2: wrong: likely error: {reason}\n0 of 2 right" in out
    assert f"1: unreadable: got '?'; expected a list of 4 numbers, or a letter from A to D ({file}:5)" in out
    marks = json.loads(hopattn("practice", "--check", str(file), "--json")[1])
    assert [mark["verdict"] for mark in marks] == ["unreadable", "wrong"]
