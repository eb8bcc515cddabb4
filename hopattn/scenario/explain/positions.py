"""The arithmetic of positions: how they join the words, how they turn queries and keys, what a bias adds."""

from collections.abc import Iterator, Mapping

import numpy as np

from hopattn.foundation.writing import number
from hopattn.positions.planes import frequencies
from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.arithmetic import equals, factor, rotated, rotation_rows, vector, written
from hopattn.scenario.language.occurrence import occurrences
from hopattn.scenario.parts.heads import HeadTable, rotary
from hopattn.scenario.words.positions import POSITION, Positions
from hopattn.scenario.words.vocabulary import WORD, Encoding

SHOWN = 4
"""The number of frequencies that are written out."""


def position_lines(words: Labelled, coding: Encoding) -> Iterator[str]:
    """How the positions become vectors, and how they join the words; nothing for a text without positions."""
    if coding.positions is None:
        return
    how = coding.positions.how
    joined = {"add": "is added to the word", "multiply": "multiplies the word", "concatenate": "has a part of its own"}
    yield f"the vector of position p {joined[how]}: {_formula(coding.positions, coding.position_dim)}"
    if how == "concatenate":
        return
    places = coding.positions.vectors(len(words.values), coding.position_dim)
    tokens = occurrences(words.labels[0], coding.words)
    for i, (label, token, state) in enumerate(zip(words.labels[0], tokens, words.values, strict=True)):
        if token.word in coding.words:
            word, whole = coding.words[token.word], state[coding.parts[WORD]]
            place = np.tile(places[i], len(word) // len(places[i]))
            sign = "+" if how == "add" else "×"
            yield f"  {label}: {vector(word)} {sign} {vector(place)} {equals(whole)} {vector(whole)}"


def _formula(positions: Positions, dim: int) -> str:
    """The vector of position p, in a formula."""
    first = f"; the first word has p = {positions.start}" if positions.start else ""
    if positions.turn is not None:
        angle = f"p·{factor(positions.turn)}°"
        return f"(cos {angle}, sin {angle}){first}"
    if positions.table is not None:
        return f"row p of the table, counted from 0{first}"
    terms = [f"sin {_times(step)}, cos {_times(step)}" for step in frequencies(dim, positions.base)[:SHOWN]]
    return f"({', '.join(terms)}{', …' if dim > 2 * SHOWN else ''}) in radians{first}"


def _times(step: float) -> str:
    return "p" if step == 1 else f"{number(step)}p"


def moved_lines(steps: float, role: str, coding: Encoding, words: Labelled) -> Iterator[str]:
    """The positions of queries or keys, moved by a number of steps. words: from which they are made."""
    matrix = coding.offset(steps)
    turn = None if coding.positions is None else coding.positions.turn
    if turn is not None:
        rows = rotation_rows(steps * turn, matrix)
    else:
        rows = f"the rows of the matrix are {', '.join(vector(row) for row in matrix)}"
    yield f"  the {role} is the position moved by {number(steps)}: {rows}"
    for label, word in zip(words.labels[0], words.values, strict=True):
        yield f"    {label}: {rotated(matrix, word[coding.parts[POSITION]])}"


def rope_lines(
    head: HeadTable, coding: Encoding, own: Mapping[str, Labelled], queried: Labelled, read: Labelled
) -> Iterator[str]:
    """The turn of queries and keys; own: the arrays of the head. queried, read: the words that these are made of."""
    position = rotary(head.rope)
    if position is None:
        return
    dim = own["queries"].values.shape[1]
    steps = frequencies(dim, position.base)
    half = position.layout == "half"
    planes = [(i + 1, i + 1 + dim // 2) if half else (2 * i + 1, 2 * i + 2) for i in range(dim // 2)]
    angles = [f"numbers {a} and {b} by {_times(step)}" for (a, b), step in zip(planes, steps, strict=True)][:SHOWN]
    more = ", …" if len(planes) > SHOWN else ""
    yield f"  queries and keys are turned by their position p = 0, 1, …: {', '.join(angles)}{more} radians"
    yield "  a pair (a, b) turned by an angle x is (a cos x − b sin x, a sin x + b cos x)"
    for role, name, words in (("query", "queries", queried), ("key", "keys", read)):
        plain = words.values @ head.projection(role).array(coding).T
        yield f"  the {role} of each word, turned:"
        for p, (label, before) in enumerate(zip(words.labels[0], plain, strict=True)):
            yield f"    {label}, p = {p}: {vector(before)} becomes {vector(own[name].values[p])}"


def with_bias(score: float, bias: float, beta: float, *, times_beta: bool = True) -> str:
    """The sum of a score and a bias, to be written behind the score: β s + bias.

    times_beta: whether the sum is β s + bias, the exponent of e; else s + bias / β, which β or a base takes in.

    >>> with_bias(0.8, -0.5, 1.0), with_bias(0.8, -0.5, 2.0)
    ('; with the bias .8 + (−.5) = .3', '; β s + bias = 2×.8 + (−.5) = 1.1')
    >>> with_bias(0.8, -0.5, 2.0, times_beta=False)
    '; with the bias .8 + (−.5) / 2 = .55'
    """
    if times_beta and beta != 1:
        by_hand = written(beta) * written(score) + written(bias)
        sign = equals(beta * score + bias, np.round(by_hand, 12))
        return f"; β s + bias = {number(beta)}×{factor(score)} + {factor(bias)} {sign} {number(beta * score + bias)}"
    total = score + bias / beta
    divided = "" if beta == 1 else f" / {number(beta)}"
    sign = equals(total, written(score) + written(bias) / beta)
    return f"; with the bias {number(score)} + {factor(bias)}{divided} {sign} {number(total)}"
