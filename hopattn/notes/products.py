"""Products and sums of matrices that a text states by their names: `A·B`, `Q Kᵀ/√d`, `1/2 (A + B)`."""

import re
from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import numpy as np

_NUMBER = r"(?:\d+/[1-9]\d*|\d*\.?\d+)"
_WORD = re.compile(r"[^\W\d_ᵀ]*[a-zäöüß]{2}[^\W\d_ᵀ]*[:,]?")

MARKS = "[′⁎\u0300-\u036f]"
"""A prime or an accent that makes another name of a letter: W′, W^*, W̃."""
_OTHER = re.compile(
    r"invers|transpos|eigen|singul|root|squar|norm|determ|diag|trace|rank|mean|row|col|entr|relu|tanh|sigm|\b(?:exp|log)\b",
    re.I,
)
"""Words of something else than the product that stands behind them."""


class Term(NamedTuple):
    """A product of a sum. factors: each a name, and whether it is transposed. root: what it is divided by, √d or √2."""

    scale: float
    factors: tuple[tuple[str, bool], ...]
    root: str = ""


def sum_of(terms: Sequence[Term], are_columns: bool, *values: np.ndarray) -> np.ndarray:
    """A sum of products of matrices; raises ValueError where their shapes do not fit.

    are_columns: whether vectors are columns; otherwise they are rows, but a vector behind a matrix is a column.
    """
    rest, products = list(values), list[np.ndarray]()
    for term in terms:
        matrices = [rest.pop(0) for _ in term.factors]
        width = matrices[-1].shape[-1] if term.root.startswith("d") else float(term.root or 1)
        columns = [one.T if are_columns and len(one) == 1 else one for one in matrices]
        parts = [one.T if turned else one for one, (_, turned) in zip(columns, term.factors, strict=True)]
        products.append(reduce(_times, parts) * term.scale / width**0.5)
    total = np.asarray(sum(products[1:], products[0]))
    return total.T if total.shape[-1] == 1 else total


def _times(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    is_column = len(right) == 1 and left.shape[-1] == right.shape[-1] > 1
    return np.asarray(left * right if left.size == 1 else left @ (right.T if is_column else right))


def short(name: str) -> str:
    """A name or an expression without spaces and the signs of an index."""
    return re.sub(r"[\s_^()]", "", name)


def symbol(name: str) -> str:
    """A name in short; empty for a word and for an expression.

    >>> symbol("W_Q"), symbol("ξ^(1)"), symbol("s(0)"), symbol("king"), symbol("QKᵀ")
    ('WQ', 'ξ1', 's0', '', '')
    """
    is_one = re.fullmatch(rf"[^\W\d_ᵀ][a-z]?\d*{MARKS}*|[^\W\d_ᵀ]{MARKS}*\s*[_^(]\s*[(_]?\w+\)?{MARKS}*", name.strip())
    return short(name) if is_one and "ᵀ" not in name else ""


def bare(expression: str, names: Collection[str] = ()) -> str:
    """An expression without the words around it that are no names.

    >>> bare("wrong that A  B")
    'A B'
    """
    words = expression.strip(" :").split()
    for place in (0, -1):
        while words and _WORD.fullmatch(words[place]) and symbol(words[place]) not in names:
            words.pop(place)
    return " ".join(words)


def parse(expression: str, names: Collection[str]) -> tuple[str, str, list[Term]] | None:
    """A sum of products of names without the words around it, the function of it, and its terms; None for another text.

    >>> parse("The scores Q Kᵀ/√d_k are", ["Q", "K"])
    ('Q Kᵀ/√d_k', '', [Term(scale=1.0, factors=(('Q', False), ('K', True)), root='dk')])
    >>> parse("softmax(S)", "S")[1:], parse("1/2 (A − B)", "AB")[2][1].scale, parse("A ∘ B", "AB"), parse("A", "A")
    (('softmax', [Term(scale=1.0, factors=(('S', False),), root='')]), -0.5, None, None)
    """
    form = bare(expression, names)
    around = re.fullmatch(rf"(softmax|{_NUMBER})?\s*·?\s*\((.*)\)", form)
    before, text = ((around[1] or "").strip(), around[2]) if around else ("", form)
    function, outer = (before, "") if before == "softmax" else ("", before)
    text = re.sub(r"[\s_^]", "", text)
    for _ in range(2):
        text = re.sub(r"\(([^()+\-−·/√]*)\)", r"\1", text)
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"
    term = rf"([+\-−]?)(?:({_NUMBER})·?)?((?:{known})ᵀ?(?:·?(?:{known})ᵀ?)*)(?:/?√(\d+|d\w*))?"
    terms = list[Term]()
    for sign, scale, factors, root in re.findall(term, text):
        size = float(Fraction(scale or 1) * Fraction(outer or 1)) * (-1 if sign in tuple("-−") else 1)
        parts = tuple((one, turned == "ᵀ") for one, turned in re.findall(rf"({known})(ᵀ?)", factors))
        terms.append(Term(size, parts, root))
    is_other = ([Term(1.0, ((text, False),))] == terms and not function) or bool(_OTHER.search(expression))
    return None if is_other or not re.fullmatch(rf"{term}(?:(?=[+\-−]){term})*", text) else (form, function, terms)
