"""The tables [practice] of the scenarios that come with the project: every problem of every seed keeps the rules."""

import re
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.stats import chisquare

import hopattn as ha
from hopattn.practice.drawing import Exercise
from hopattn.practice.problem import number_of
from hopattn.practice.wording import moves, texts
from hopattn.scenario.files import shipped
from tests.draws import count
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
    errors = set()
    for seed, draw, problem in drawn(name, count(1000, 3)):
        errors |= {error for error, _ in exercise(name).wrong_answers(draw)}
        require_rules(name, seed, draw, problem)
        steps = [(step.at, step.nearest) for step in moves(draw.asked, exercise(name).lesson)]
        exact = answer(draw.spec.written_out, draw.asked, steps)
        own = draw.answers[""].values
        assert np.shape(exact) == own.shape, (name, seed)
        np.testing.assert_allclose(own, np.array(exact, dtype=float), rtol=0, atol=1e-12, err_msg=f"{name}, {seed}")
    assert errors == {*exercise(name).table.errors}, "each error of a table changes an answer"


def require_rules(name, seed, draw, problem):
    where, cells = f"{name}, seed {seed}", [cell for row in problem.answer.cells for cell in row]
    assert len({choice.cells for choice in problem.choices}) == 4, where
    assert problem.working and not any(re.search(r"≈|\.\d{4}|e-\d", line) for line in problem.working), where
    assert all(number_of(cell).denominator <= 20 or re.fullmatch(r"−?\d*\.\d{1,3}", cell) for cell in cells), where
    if len(cells) == 1:
        told = [part if isinstance(part, str) else " ".join(sum(part.cells, ())) for part in problem.given]
        assert cells[0] not in re.findall(r"(?<![\w.])−?(?:\d+/\d+|\d*\.?\d+)", " ".join(told)), where
    sentences = [problem.question, *(part for part in problem.given if isinstance(part, str))]
    assert all(sentence.strip() and "{" not in sentence for sentence in sentences), where
    arrays = draw.spec.run(np.random.default_rng(draw.spec.seed))
    for one in exercise(name).lesson:
        if draw.asked.variants[0] in one.variants:
            verdict = one.judge(arrays)
            assert verdict.met and verdict.margin >= 0.05, where
    alike, before = ({*map(frozenset, alike_in(words))} for words in (arrays.words, exercise(name).words))
    assert alike <= before, where
    if {*np.unique(np.abs([*arrays.words.values()]))} == {1.0}:  # spins, whose fields decide
        assert all(array.values.all() for key, array in arrays.items() if key.endswith("field")), where


def alike_in(words):
    """The pairs of words that are the same vector."""
    pairs = combinations(words, 2)
    return [(a, b) for a, b in pairs if words[a].shape == words[b].shape and np.allclose(words[a], words[b])]


@pytest.mark.parametrize("name", TABLES)
def test_two_seeds_in_a_row_differ_and_a_seed_repeats(name):
    seeds = range(count(200, 3))
    for one, other in pairwise(exercise(name).draw(seed, 1).drawn for seed in seeds):
        assert len(one) != len(other) or sum(a != b for a, b in zip(one, other, strict=True)) >= 2, name
    again, once = (own.problem(own.draw(2, 1), 1, texts("en")) for own in (Exercise(ha.load(name)), exercise(name)))
    assert again == once


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) for name in TABLES[::4]])
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
