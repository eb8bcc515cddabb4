"""A first table [practice]: it is added at the end of a file, passes the check, and loses nothing."""

import re
import tomllib
from pathlib import Path

import pytest

import hopattn as ha
from hopattn.practice import marked, sheet
from hopattn.practice.beginning import first_table
from hopattn.practice.drawing import Exercise
from hopattn.practice.wording import texts
from hopattn.scenario.files import GROUPS, shipped
from hopattn.scenario.kinds import kinds
from hopattn.scenario.loading import parse
from hopattn.scenario.practice_table import pools
from tests.practice import by_hand
from tests.refusal import refused

KINDS = ("attention", "cue", "memory", "messages")


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_that_new_writes_has_a_first_table(hopattn, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(text := kinds[kind].template(), newline="\n")
    code, out, err = hopattn("new", "practice", "mine.toml")
    after = (tmp_path / "mine.toml").read_text()
    assert (code, err) == (
        0,
        "mine.toml: the lines above stand at its end; `hopattn practice mine.toml` draws problems\n",
    )
    assert after == f"{text}\n{out}" and hopattn("check", "mine.toml")[0] == 0
    refusal = hopattn("new", "practice", "mine.toml")
    assert refusal[0] == 2 and "mine.toml: has a table [practice] already" in refusal[2]
    assert (tmp_path / "mine.toml").read_text() == after


@pytest.mark.parametrize("begin", [b"\xef\xbb\xbf", b""])
@pytest.mark.parametrize("end", [b"", b"\r\n", b"\r\n# the end\r\n"])
def test_every_byte_of_the_file_stays(hopattn, begin, end, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = begin + kinds["cue"].template().rstrip("\n").replace("\n", "\r\n").encode() + end
    (tmp_path / "mine.toml").write_bytes(before)
    assert hopattn("new", "practice", "mine.toml")[0] == 0
    after = (tmp_path / "mine.toml").read_bytes()
    assert after.startswith(before) and after.count(b"\n") == after.count(b"\r\n")
    assert tomllib.loads(after.decode("utf-8-sig"))["practice"] and hopattn("check", "mine.toml")[0] == 0


@pytest.mark.parametrize("name", ["one-head", "dot-product", "six-neurons", "causal-mask"])
def test_a_scenario_whose_table_is_taken_away_gets_one(name):
    file = shipped()[name]
    text = re.sub(r"(?m)^asked = true\n", "", file.read_text().partition("[practice]")[0])
    added = first_table(parse(text, str(file), name))
    table = tomllib.loads(added)
    assert set(table) == {"expect", "practice"} and len(table["expect"]) == 1
    assert 3 <= len(table["practice"]["errors"]) <= 5
    assert ha.run(parse(text + added, str(file), name)).ok


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bank", ["has a table [practice] already"]),
        ("capacity", ["kind 'ensemble' has no practice problems"]),
        ("modern", ["no practice problem was found", "base = 2"]),
        ("layer-norm", ["no practice problem was found", "no sentence of a sheet tells layer.1.norm"]),
    ],
)
def test_a_scenario_without_a_friendly_problem_is_refused_with_the_reason(name, words):
    refused(lambda: first_table(ha.load(name)), ha.load(name).where, *words)


PAGE = (Path(__file__).parents[2] / "docs/howto/exercise-sheet.md").read_text("utf-8")
FORMS = re.findall(r"## Form \d.*?```toml\n(schema.*?)```", PAGE, re.DOTALL)
"""The first file of each of the six forms of exercise."""
OF_KINDS = {
    "hopfield": "practice-turns",
    "softmax": "three-keys",
    "words": "bank-mask",
    "narrow": "practice-narrow",
    "printed": "two-heads-by-hand",
    "edges": "message-chain",
    "feed-forward": "feed-forward-by-hand",
    "cue": "practice-7-1",
}
"""A scenario of each sort."""


def without_table(name):
    text = re.sub(r"(?m)^asked = true\n", "", shipped()[name].read_text("utf-8"))
    return text.partition("[practice]")[0]


@pytest.mark.parametrize("text", [*FORMS, *map(without_table, OF_KINDS.values())], ids=[*"123456", *OF_KINDS])
def test_five_different_problems_come_of_a_first_table_and_are_marked(hopattn, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8", newline="\n")
    assert hopattn("new", "practice", "mine.toml")[0] == 0
    exercise = Exercise(ha.load("mine.toml"))
    monkeypatch.setattr("hopattn.practice.marking.Exercise", lambda _: exercise)  # which is dear to draw from
    problems = [exercise.problem(exercise.draw(0, i), i, texts("en")) for i in range(1, 6)]
    assert len({(problem.given, problem.question) for problem in problems}) == len(problems) == 5
    solved = by_hand.hidden if "feed_forward" in text else by_hand.FORMS[FORMS.index(text)] if text in FORMS else None
    if solved is not None:
        assert [solved(problem) for problem in problems] == [problem.answer.numbers for problem in problems]
    answers = ['scenario = "mine.toml"\ncount = 5\nseed = 0\n[answers]']
    for problem in problems:
        chosen = problem.choices[problem.right - (problem.number % 2)]  # a wrong one in problems 1, 3 and 5
        rows = [[float(cell) for cell in row] for row in chosen.numbers]
        form = rows if len(rows) > 1 or (problem.rows and problem.columns) else rows[0]
        answers.append(f"{problem.number} = {form if problem.columns else rows[0][0]}")
    (tmp_path / "answers.toml").write_text("\n".join(answers), encoding="utf-8")
    marks = marked("answers.toml")
    assert [mark.verdict for mark in marks] == ["wrong", "right", "wrong", "right", "wrong"], marks
    assert all(mark.reason for mark in marks if mark.verdict == "wrong")


def test_new_practice_needs_the_file_of_a_scenario(hopattn):
    code, _, err = hopattn("new", "practice")
    assert code == 2 and "needs the file of your scenario" in err
    code, _, err = hopattn("new", "practice", "none.toml")
    assert code == 2 and "none.toml: there is no such file" in err
    code, _, err = hopattn("new", "practice", "six-neurons")
    assert code == 2 and "`hopattn new six-neurons mine.toml`" in err


def test_an_expectation_that_is_missed_is_not_asked_for_as_it_stands():
    text = kinds["cue"].template().replace("is = [1] ", "is = [2] ").replace("is = [-1]", "is = [1]")
    (asked,) = tomllib.loads(first_table(parse(text, "mine.toml", "mine")))["expect"]
    assert asked == {"at": "same", "is": [1.0], "asked": True}


@pytest.mark.parametrize(
    ("pool", "holding", "others"),
    [
        ("spins", [1, -1, 1], [[1, 0, -1], [1], ["a", "b"]]),
        ("bits", [1, 0, 1], [[1, 1], [0, 0], [1, 0, -1], "ab"]),
        ("signs", [[0, -0.2], [-0.2, 0]], [[[0, 1], [0, 0]], [0, 0]]),
        ("unit-tenths", [0.1, 0.7, 0, 0.7, 0.1], [[0.6, 0.8], [1, 0, 0], [0.5, 0.5, 0.5, 0.4]]),
        ("whole", [[2, 0], [0, 3]], [[1, 0, 0], [0.5, 2], [0, 0]]),
        ("tenths", [0.5, 2], [[0.5, 0]]),
        ("shares", [[0.5, 0.5], [1, 0]], [[0.5, 0.6], [[0.5, 0.5], [-1, 2]]]),
        ("rotations", [[0, 1], [-1, 0]], [[[1, 0], [0, 2]], [[1, 0, 0], [0, 1, 0]], [[1, 0], [0, -1]]]),
    ],
)
def test_a_pool_knows_what_it_may_have_drawn(pool, holding, others):
    one = pools.make(pool)
    assert one.holds(holding) and not any(map(one.holds, others))


def test_the_list_names_every_scenario_with_problems_and_what_they_ask(hopattn):
    code, out, err = hopattn("practice", "--list")
    names = [name for name, file in shipped().items() if "\n[practice]\n" in file.read_text()]
    assert (code, err) == (0, "") and {*names} <= {line.split()[0] for line in out.splitlines() if line}
    assert sheet("bank", 1).problems[0].question in out and GROUPS["ling3804"] in out
    assert "Was ist die Ausgabe" in hopattn("practice", "--list", "--lang", "de", "--json")[1]
    code, _, err = hopattn("practice", "bank", "--list")
    assert code == 2 and err.startswith("--list: ")
