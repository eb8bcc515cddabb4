"""The tables [practice] of the scenarios that come with the project: every problem of every seed keeps the rules."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import chisquare

import hopattn as ha
from hopattn.practice.drawing import Exercise
from hopattn.practice.friendly import numbers_in
from hopattn.practice.wording import moves, texts
from hopattn.scenario.files import shipped
from tests.counts import count, spread
from tests.each import each
from tests.practice.exact import answer

TABLES = [name for name, file in shipped().items() if "\n[practice]\n" in file.read_text("utf-8")]


@cache
def exercise(name):
    return Exercise(ha.load(name))


def drawn(name, seeds):
    """The first problem of each seed, and the second where the table asks two questions."""
    own = exercise(name)
    for seed in range(seeds):
        for place in range(1, 1 + len(own.asked)):
            draw = own.draw(seed, place)
            yield seed, draw, own.problem(draw, place, texts("en"))


def test_there_are_tables_of_every_lecture():
    groups = [shipped()[name].parent.name for name in TABLES]
    assert len(TABLES) >= 15 and all(len(exercise(name).table.errors) >= 4 for name in TABLES)
    assert {*groups} >= {"ling3804", "kim", "at6", "cs371n", "note", "memories", "positions"}


@pytest.mark.parametrize("name", TABLES)
def test_every_problem_keeps_the_rules_and_has_the_answer_of_exact_fractions(name):
    """To draw a problem is the dear part: each is drawn once for all that holds of it, one table on each core."""
    for seed, draw, problem in drawn(name, count(1000, 3)):
        require_rules(name, seed, draw, problem)
        steps = [(step.at, step.nearest) for step in moves(draw.asked, exercise(name).lesson)]
        exact = answer(draw.spec.written_out, draw.asked, steps)
        own = draw.answers[""].values
        assert np.shape(exact) == own.shape, (name, seed)
        np.testing.assert_allclose(own, np.array(exact, dtype=float), rtol=0, atol=1e-12, err_msg=f"{name}, {seed}")


def require_rules(name, seed, draw, problem):
    where = f"{name}, seed {seed}"
    assert len({choice.cells for choice in problem.choices}) == 4, where
    assert not any("≈" in line for line in problem.working) and problem.working, where
    assert "≈" not in " ".join(cell for row in problem.answer.cells for cell in row), where
    if len(problem.answer.cells) == len(problem.answer.cells[0]) == 1:
        assert problem.answer.cells[0][0] not in numbers_in(problem.given), where
    sentences = [problem.question, *(part for part in problem.given if isinstance(part, str))]
    assert all(sentence.strip() and "{" not in sentence for sentence in sentences), where
    runs = exercise(name)._runs(draw.document, {"", *(n for one in exercise(name).lesson for n in one.variants)})
    for one in exercise(name).lesson:
        for variant in one.variants:
            verdict = one.judge(*runs[variant][:2])
            assert verdict.met and verdict.margin >= 0.05, where


@each("name", TABLES)
def test_two_seeds_in_a_row_differ_and_a_seed_repeats(name):
    before = None
    for seed, draw, _ in drawn(name, count(200, 3)):
        if draw.asked is not exercise(name).asked[0]:
            continue
        if before is not None:
            differing = sum(a != b for a, b in zip(before, draw.drawn, strict=False))
            assert len(before) != len(draw.drawn) or differing >= 2, (name, seed)
        before = draw.drawn
    again = Exercise(ha.load(name))
    assert again.problem(again.draw(seed, 1), 1, texts("en")) == exercise(name).problem(
        exercise(name).draw(seed, 1), 1, texts("en")
    )


@each("name", spread(TABLES, 4))
def test_a_sheet_of_twenty_can_be_drawn(name):
    for seed in range(count(20, 1)):
        draws = [exercise(name).draw(seed, place).drawn for place in range(1, 21)]
        assert len({*map(str, draws)}) == 20, (name, seed)


def test_the_right_answer_stands_at_every_place_alike():
    places = np.zeros(4)
    for name in TABLES:
        for _, _, problem in drawn(name, count(50, 3)):
            places[problem.right] += 1
    assert chisquare(places).pvalue > 1e-3
