"""Vectors and matrices of numbers in a text, each with the names that it has there, and the quantities they may be.

Read are a matrix of LaTeX, `[[1, 0], [0, 1]]` with or without commas, `[1 0; 0 1]`, `(1, −1, 1)`, `pattern 1: 1 -1 1`,
and tables. `Q = X W_Q = [...] [...] = [...]` is a statement: its parts between the signs `=` are equal.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import normalize

import numpy as np

from hopattn.notes.numbers import Printed
from hopattn.notes.products import MARKS, bare, symbol
from hopattn.notes.reading import NAMING, NEAR, SIGNS, SUPPOSED, UNSURE, Block, Masks, masked, plain

_LETTERS = "xi theta alpha sqrt infty Delta"
# fmt: off
MASKS: Masks = [*SIGNS, *((re.compile(pattern, re.DOTALL), instead) for pattern, instead in [
    (rf"(?m-s:^{NAMING.pattern})", " "),
    (r"\\begin\{(?:[pbBvV]|small)?matrix\*?\}(?:\[\w*\])?|\\begin\{array\}\{[^{}]*\}", "["),
    (r"\\end\{(?:(?:[pbBvV]|small)?matrix\*?|array)\}", "]"),
    (r"\\(?:begin|end)\{[^{}]*\}", "\n"),
    (r"\\\\(?:\[[^\]]*\])?|\\(?:newline|cr|tabularnewline)\b", ";"),
    (r"\(\s*Q\s*,\s*K\s*,\s*V\s*\)", " "),
    (r"&(?=\s*(?:=|\\approx|≈|:))", " "),
    (r"(?<=\d)&(?=\d)", " "), (r"&", ","),
    (r"\\[dt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*\\sqrt\s*\{?\s*(\d+)\s*\}?\s*\}", r"\1/√\2"),
    (r"\s*(?:\\times|\\cdot|[×·])\s*10\s*\^?\s*\{?\s*[-−⁻](\d+)\s*\}?", r"e-\1"),
    (r"\{?(?:\\cdot|\\times|[×@∗]|(?<=[\])])\s*\*(?=\s*[\[(]))\}?", "·"),
    (r"\^\s*\{?\s*(?:\\top|\\intercal|\\(?:mathsf|mathrm|text)\s*\{?\s*T\s*\}?|T|⊤|ᵀ)\s*\}?|⊤|\.T\b", "ᵀ"),
    (r"\\(?:left|right|[bB]igg?[lr]?)(?![a-zA-Z])\s*\.?", " "),
    (r":=|≈", "="),
    *((rf"(?<![^\W_]{{2}})(?<!['’\"]\w)(?<=\w)(?:\s*\^\s*\{{?\s*(?:\\prime\s*){{{k}}}\}}?|['’]{{{k}}})(?!s\b)", "′" * k)
      for k in (2, 1)),
    *((rf"\\(?:wide)?{name}(?:\s*\{{\s*|\s+)([^\W\d])", rf"\1{sign}")
      for name, sign in (("tilde", "\u0303"), ("hat", "\u0302"), ("bar", "\u0304"))),
    (r"(?<=[A-Za-z])\s*\^\s*\{?\s*(?:\*|\\ast|\\star)(?![a-zA-Z])\s*\}?", "⁎"),
    (r"\\(?:odot|circ)(?![a-zA-Z])|[⊙∘]", "∘"), (r"\\otimes(?![a-zA-Z])", "⊗"),
    (r"\\(?:[td]?frac|math\w\w|boldsymbol|bm|vec|hat|tilde|bar|boxed|text\w*|emph|operatorname)(?![a-zA-Z])", " "),
    *((rf"\\{name}(?![a-zA-Z])", sign) for name, sign in zip(_LETTERS.split(), "ξθα√∞Δ", strict=True)),
    (r"\b(?:np|numpy|torch|jnp|tf)\.(?:as)?(?:array|tensor|constant|Tensor)\s*\(|\b(?:tensor|array)\(", " "),
    (r"(?<=[(,])\s*[a-z]\d?\s*=\s*(?=[-−+]?[\d.])", " "),
    (r"\\[,;:!> ()\[\]]|\\q?quad\b|[{}$`\\*]|\bdtype\s*=[\w.]+", " "),
])]
"""Signs of Markdown, LaTeX and Python, and the plain signs instead of them."""
SYMBOLS = [(re.compile(pattern), tuple(several.split())) for pattern, several in [
    (r"(?:[Ss]oftmax|σ)\(.+\)·?(?:V|X|[Vv]alues?)|A·?V|(?:O|Z|C|Y|[ozcy]_?\d+|head_?\d*)", "output"),
    (r"(?:[Ss]oftmax|σ)\(.*\)?|A|α|[aα]_?\(?\d+(?:,[·:]?)?\)?", "weights"),
    (r"\(?Q·?Kᵀ?\)?(?:/?√?.*)?|[Qq]_?\d*·?[Kk]_?\w*ᵀ?|S(?:_?[a-z]+)?|s_?\d+|S?√.*|XX?·?Xᵀ", "scores"),
    *((rf"[WwM][_^]?\(?(?:{q}|{q.lower()})\w*\)?", f"W_{q}") for q in "QKV"),
    *((rf"{q}(?:[_^]\w+|\d)?|{q.lower()}(?:[_^]?\(?\w+\)?)?", q) for q in "QKV"),
    (r"X(?:_\w+)?|E|H|[xe][_^]?\(?(?:\d+)?\)?|E\[\d\]|X\[\d\]", "X"),
    (r"[θΘ]", "thresholds"),
    (r"[ξpxsvPV][_^]?\(?(?:\d+|[A-D])\)?|ξ", "patterns"),
    (r"(?:W|w|T|J)(?:_?\d|_(?![QqKkVvOo])\w+)?", "couplings"),
    (r"[Ww]ᵀ?·?[sxyξv](?:[\^_]?\(?\w+\)?)?|h(?:_?\(?\d\)?)?|net|u", "field"),
    (r"(?:sgn|sign)\(.*\)?|[sxyvSσ](?:[_^]?\(?(?:\d|t\+?\d?|new|in|out|\*|start|init\w*)\)?)*", "state"),
]]
"""What an expression without spaces may stand for."""
_WORDS = {
    "W_Q": r"quer(?:y|ies)\W+(?:projection|weight)", "W_K": r"key\W+(?:projection|weight)",
    "W_V": r"value\W+(?:projection|weight)", "Q": r"\bquer(?:y|ies)\b", "K": r"\bkeys?\b", "V": r"\bvalues?\b",
    "X": r"embedding|\binputs?\b|word vectors?|\btokens?\b|\bwords\b", "output": r"\boutputs?\b|\bcontext(?:ual\w*)?",
    "weights": r"attention\W+(?:matrix|prob\w*|distrib\w*)|softmax|\bweights?\b", "field": r"\bfields?\b",
    "scores": r"\bscores?\b|dot products?|similarit|cosines?\b|\blogits?\b",
    "couplings": r"weight matrix|couplings?\b|connection|\bweights?\b",
    "thresholds": r"\bthresholds?\b|\bbias(?:es)?\b|schwell",
    "patterns": r"\bpatterns?\b|\bmemor(?:y|ies)\b|\bstored?\b|\bexemplars?\b",
    "state": r"\bstates?\b|\bcue\b|\bprobe\b|\bnoisy\b|\bcorrupted|\binitial|\btest\b|converge",
}
"""What the words beside a matrix may call it."""
_HEBB = re.compile(r"\bhebb|outer\W+product|\bw_?\s*(?:ij|\d\d)\s*=|ξᵀ", re.I)
"""What states the formula of the couplings somewhere before them."""
# fmt: on
_CELL = r"(?:[+\-−–]\s?)?(?:\d+(?:\.\d+)?\s?/\s?\d+(?:\.\d+)?|\d*\.?\d+(?:[eE][+\-−]?\d+)?\.?|∞|inf\b)%?"
_COMMENT = r"(?:\#|←|//|%)[^\n]*(?=\n)"
_FLAT = rf"[\[(⟨]\s*+{_CELL}(?:[\s,;]++{_CELL})*+[\s,;]*+[\])⟩]"
_NESTED = rf"\[(?:[\s,]|{_COMMENT})*+{_FLAT}(?:[\s,;]|{_COMMENT}|{_FLAT})*+\]"
_LITERAL = re.compile(rf"(?:(?<![A-Za-z_\])])|(?<=\]))(?:{_NESTED}|{_FLAT})")
_BARE = re.compile(rf"^([^\n:=]{{1,60}}[:=])\s*({_CELL}(?:[ \t,]+{_CELL}){{2,}})[ \t.]*$", re.MULTILINE)
_ALONE = re.compile(r"(?:^|[^\w.])(?:\d*\.?\d+)?$|[\])]$")
"""What may stand before numbers in brackets: no name, which would be called with them."""
_CODE = re.compile(r"\[\[|\]\s*,|\]\]|=\s*[\[(]")
"""What a cell of a table does not have, but a line of code or of a formula, which may look like a row of a table."""
_TOTAL = re.compile(r"sum|total|Σ|Summe|\\sum", re.I)
_HIDDEN = re.compile(r"|[·\-–—×]|\\cdot|-?∞")
"""What a cell of a table has where nothing is attended to."""
_SCALAR = re.compile(rf"=\s*({_CELL})(?=\s*(?:$|[,;。✓)→(]|\.(?:\s|$)))")
_BREAK = re.compile(r"\n|[;。，、：|]|[.:,→]\s|(?<=\s)(?:and|und|with|where|let|is|are|so|now|then|gives)\s", re.I)
"""Where another statement begins."""
_SENTENCE = re.compile(r"[.!?]\s+(?=\W*[^\W\d_a-zäöü])|[^\s=:]\s*\n\s*\n")
"""What ends a sentence."""
_DENIED = re.compile(r"\W*(?:is|are|was|ist)\s+(?:wrong|false|incorrect|not|falsch|nicht)\b|[^\w.]{0,4}\?")
"""What follows a matrix that is denied or asked for."""
_SIZE = rf"({_CELL}|\d+/√\d+)"
_FACTOR = re.compile(rf"(?:^|[=+(·\-−])\s*{_SIZE}\s*·?\s*\(?\s*$")
_PLUS = re.compile(rf"[\s;,]*([+\-−])\s*(?:{_SIZE}\s*·?\s*)?$")
_FUNCTION = re.compile(r"(softmax|sgn|sign)\s*\(?\s*$", re.I)
_JOINED = re.compile(rf"\s*(?:ᵀ\s*)?(?:·|[+\-−]\s*(?:{_SIZE}\s*·?\s*)?[\[(]|[\[(]\s*{_CELL}[\s,;])")
"""What follows a matrix that is a part of a product or a sum."""
_ENDS = r"(?=\s*(?:$|[,;)]|\.(?:\s|$)|(?:and|und)\b))"
_CHAIN = r"(?:(?:(?!\b(?:and|und|but|while)\b|[.:]\s|\d\s+(?:[WwTJ]_|E\s*[(_=]))[^=\n,;])*=)*"
"""More sides of one statement between its first sign `=` and its last."""
_ENERGY = re.compile(
    r"(?:(?<![\w·^_])E(?:_\s*\w+)?|\b[Ee]nerg(?:y|ie))\s*"
    r"(?P<of>\((?:[^()\n=]|\([^()\n]*\))*\)|(?:of|for|von|des)\s[^\n=:.]+?)?\s*"
    rf"(?P<by>={_CHAIN}|:|\b(?:is|ist|beträgt)\b|(?<=(?:has|the) energy )|(?<=energy of ))\s*"
    rf"(?P<number>{_CELL}){_ENDS}",
    re.MULTILINE,
)
_ENTRY = re.compile(
    rf"(?<![\w·^_])([WwTJ])(?:_\s*|\[)?(\d)(?:\s*,\s*|\]\[)?(\d)\]?\s*(?P<by>={_CHAIN})\s*(?P<number>{_CELL}){_ENDS}",
    re.MULTILINE,
)
_NO_WORD = re.compile(r"shape|size|dim|range|seed|fig|section|interval|version|page|axis|order", re.I)
MOST = 64
"""The most vectors that are the rows of one matrix."""
WIDE = 3000
"""The characters before a matrix in which its statement may begin."""

Sides = tuple[tuple["Matrix", ...], ...]
"""A sum of products of matrices; a matrix of one number multiplies."""


class Matrix(NamedTuple):
    """A matrix of a text; a vector is a matrix of one row.

    numbers: its rows, as they are printed, and places: where each stands in the text. name: the expression or the words
    for it. quantities: what it may be. labels: of its rows, empty where a row has none. group: the name without the
    label. factor: the number before it. sides: what its statement computes it to be, and applied: a function of that,
    such as "softmax". is_stated: whether the statement has a formula. is_whole: whether no more rows follow.
    expressions: what its statement says to be equal to it. at: the row and the column of each number, if they are
    single entries of a matrix. is_supposed: whether its sentence only supposes it.
    """

    numbers: tuple[tuple[Printed, ...], ...] = ()
    places: tuple[tuple[int, ...], ...] = ()
    name: str = ""
    quantities: tuple[str, ...] = ()
    labels: tuple[str, ...] = ("",)
    group: str = ""
    factor: float = 1.0
    sides: Sides = ()
    applied: str = ""
    is_column: bool = False
    is_stated: bool = False
    is_whole: bool = True
    expressions: tuple[str, ...] = ()
    at: tuple[tuple[int, int], ...] = ()
    is_supposed: bool = False

    @property
    def place(self) -> int:
        """Where its last number stands."""
        return self.places[-1][-1]

    @property
    def called(self) -> str:
        """What a message calls it."""
        return self.name if 0 < len(self.name) < 40 else (*self.quantities, "result")[0]

    @property
    def values(self) -> np.ndarray:
        """Its numbers, `(rows, columns)`, with the factor before it."""
        return np.array([[one.value for one in row] for row in self.numbers]) * self.factor


def matrices(text: str, starts: Sequence[int], tables: Sequence[Block]) -> tuple[list[Matrix], list[Matrix]]:
    """The vectors and matrices of a text with a name in their order; and all of its statements.

    starts: where each line of the text begins.

    Vectors of one name with other numbers, and those of a list below a line that names them, are the rows of a matrix;
    it is there once more after each of them.
    """
    tables = [block for block in tables if not any(_CODE.search(cell.text) for row in block.rows for cell in row)]
    lines = text.split("\n")
    for line in {cell.line for block in tables for row in block.rows for cell in row}:
        lines[line - 1] = " " * len(lines[line - 1])
    beside = [*_beside(lines, starts)]
    shown = re.sub("(?<=10⁻)[⁰¹²³⁴-⁹]+", lambda power: normalize("NFKC", power[0]), "\n".join(lines))
    shown = masked(shown, MASKS)
    found = [*beside, *_statements(shown), *(one for block in tables for one in _of_table(block, starts))]
    found += [*_energies(shown), *_entries(shown)]
    found.sort(key=lambda one: one.place)
    powers = [_power(one, found[:i]) for i, one in enumerate(found)]
    return [*_stacked([one for one in powers if one.quantities])], found


def _power(matrix: Matrix, before: Sequence[Matrix]) -> Matrix:
    """`P^2` as the product `P·P` where a square matrix P of this size stands before it, and no `P^1`; else the same."""
    found = re.fullmatch(r"(\w)\^([2-9])", re.sub(r"\s", "", matrix.name)) or re.fullmatch(r"(\w)([²³])", matrix.name)
    size = len(matrix.numbers)
    alike = found and [one for one in before if one.name == found[1] and one.values.shape == (size, size)]
    if not (found and alike and matrix.values.shape == (size, size)) or any(
        f"{found[1]}^1" == one.name for one in before
    ):
        return matrix
    product = "·".join(found[1] * int(normalize("NFKC", found[2])))
    name = f"{found[1]}^{normalize('NFKC', found[2])}"
    return matrix._replace(
        name=name, quantities=("matrix",), labels=("",) * size, group="", expressions=(product,), is_stated=True
    )


def quantities(expression: str) -> tuple[str, ...]:
    """What an expression may stand for.

    >>> quantities("Q K ᵀ"), quantities("softmax(QKᵀ/√d)"), quantities("the matrix W_Q"), quantities("the cat")
    (('scores',), ('weights',), ('W_Q',), ())
    """
    return _meanings(_symbol(expression)) or called(expression)


def called(words: str) -> tuple[str, ...]:
    """The quantities that words name last: "weights of the words" are weights."""
    head = re.sub(r"\b(?:of|from|von)\s[^.:;=\n]*", "", words)
    if head != words and (several := called(head)):
        return several
    found = {name: [0, *(m.end() for m in re.finditer(words_for, words, re.I))] for name, words_for in _WORDS.items()}
    last = max(map(max, found.values()))
    return tuple(name for name, ends in found.items() if last and ends[-1] == last)


def _symbol(expression: str) -> str:
    """The expression without spaces, if it is a symbol of the table; or its last word that is one; or none."""
    joined = re.sub(r"\(\s*[\"“'][^)]*\)|`|^[-•]\s|\s+(?=[\^_])|(?<=[\^_])\s+", "", expression.strip())
    *before, last = joined.split() or [""]
    whole = re.sub(r"\s", "", joined)
    is_product = bool(before and before[-1] not in ("a", "A") and symbol(before[-1]))
    is_last = _meanings(last) and not is_product and not re.search(r"[+\-−·∘⊗*@/=(Δ]$", "".join(before))
    return whole if _meanings(whole) else last if is_last else ""


def _meanings(symbol: str) -> tuple[str, ...]:
    """The quantities of a symbol; a prime or an accent makes another one of the same quantity."""
    bare = re.sub(MARKS, "", symbol)
    return tuple(dict.fromkeys(one for pattern, several in SYMBOLS if pattern.fullmatch(bare) for one in several))


def _read(body: str, start: int) -> Matrix | None:
    """The matrix that a text in brackets is; none where its rows have other lengths, or it is one number."""
    nested = re.finditer(_FLAT, body[1:-1]) if re.match(_NESTED, body) else ()
    rows = [(m.start() + 2, m[0][1:-1]) for m in nested] or [(1, body[1:-1])]
    if len(rows) == 1:
        rows = [(rows[0][0] + m.start(), m[0]) for m in re.finditer("[^;]+", rows[0][1]) if m[0].strip()]
    grid = [[(at + m.start(), m[0]) for m in re.finditer(_CELL, row)] for at, row in rows]
    if (
        len(rows) > 1
        and not re.match(_NESTED, body)
        and all(re.fullmatch(r"\s*[+\-−]?\d+,\d+\s*", row) for _, row in rows)
    ):
        grid = [rows]  # (0,6; 0,8)
    numbers = [[one for _, cell in row if (one := Printed.parse(cell))] for row in grid]
    if {*map(len, numbers)} != {len(grid[0])} or sum(map(len, numbers)) < 2:
        return None
    places = [[start + at for at, _ in row] for row in grid]
    if is_column := len(grid[0]) == 1:
        numbers, places = [[row[0] for row in numbers]], [[row[0] for row in places]]
    return Matrix(tuple(map(tuple, numbers)), tuple(map(tuple, places)), is_column=is_column)


def _literals(text: str) -> list[tuple[int, int, Matrix]]:
    """The vectors and matrices in brackets, and those without that follow a name, each with its start and end."""
    spans = [
        (m.start(), m.end(), m[0])
        for m in _LITERAL.finditer(text)
        if _ALONE.search(text[max(m.start() - 40, 0) : m.start()])
    ]
    for m in _BARE.finditer(text):
        if quantities(m[1][:-1]) and not any(start < m.end() and m.start(2) < end for start, end, _ in spans):
            spans.append((m.start(2) - 1, m.end(2), f" {m[2]} "))
    return [(start, end, one) for start, end, body in sorted(spans) if (one := _read(body, start))]


def _beside(lines: list[str], starts: Sequence[int]) -> Iterator[Matrix]:
    """The matrices that stand side by side, as in `Q = [[1, 0],   K = [[0, 1],`; their lines are emptied."""
    for i, line in enumerate(lines):
        names = re.findall(r"([\w^]+)\s*=\s*\[\s*(?=\[)", line)
        rows = [[*re.finditer(_FLAT, other)] for other in lines[i:]] if len(names) > 1 else []
        rows = rows[: next((k for k, row in enumerate(rows) if len(row) != len(names)), len(rows))]
        for name, *column in zip(names, *rows, strict=True) if rows else ():
            parts = [_read(f" {m[0][1:-1]} ", starts[i + k] + m.start()) for k, m in enumerate(column)]
            known = [one for one in parts if one and len(one.numbers[0]) == len(column[0][0].split(","))]
            if len(known) == len(parts):
                numbers, places = tuple(one.numbers[0] for one in known), tuple(one.places[0] for one in known)
                yield Matrix(numbers, places, name, quantities(name), ("",) * len(numbers), name)
        for k in range(len(rows)):
            lines[i + k] = " " * len(lines[i + k])


def _statements(text: str) -> Iterator[Matrix]:
    """The matrices that stand alone on a side of a sign `=`, each with what the side before it computes.

    A single number behind the product of two vectors is one too.
    """
    header, function, is_sure, end = "", "", False, 0
    named, side = Matrix(), list[tuple[Matrix, ...]]()
    for start, stop, matrix in [*_literals(text), (len(text), len(text), Matrix())]:
        gap, computed = text[end:start], Matrix()
        plus, calls = _PLUS.fullmatch(gap), _FUNCTION.search(gap)
        if side and re.fullmatch(r"\s*(?:ᵀ\s*)?·?\s*", gap) and "\n\n" not in gap and matrix.numbers:
            side[-1] = (*side[-1], matrix)
        elif side and plus:
            sign = () if plus[1] == "+" else (_number(-1.0, end),)
            side.append((*sign, *_factors(gap, end), matrix))
        else:
            number = _SCALAR.search(gap.split("\n")[0]) if re.match(r"\s*=", gap) else None
            is_product = is_sure and not function and len(side) == 1 and len(side[0]) == 2
            if number and is_product and (one := Printed.parse(number[1])):
                yield Matrix(((one,),), ((end + number.start(1),),), "product", sides=(*side,))
            if side and _is_equated(gap, function):
                computed = Matrix(sides=(*side,), applied=function) if is_sure else computed
            else:
                header, named = _named(text[max(end, start - WIDE) : start], header)
                named = _told(named, text[max(end, start - WIDE) : start])
            side, function = [(*_factors(gap, end), matrix)], calls[1].lower() if calls else ""
            is_sure = bool(calls) or bool(_FACTOR.search(gap)) or not re.search(r"[\w·(\[]\s*$", gap)
            is_sure = is_sure and (bool(calls) or not re.search(r"[(\[]\s*$", gap))
        size, *more = len(matrix.numbers), *(one.values.size > 1 for factors in side for one in factors)
        if size and sum(more) == len(side) == 1 and not function and not _JOINED.match(text[stop : stop + NEAR]):
            name = "result" if computed.sides and not _symbol(named.name) else named.name
            factor = 1.0 if len(more) == 1 else float(side[0][0].values[0, 0])
            own = named._replace(name=name, labels=named.labels if size == 1 else ("",) * size, factor=factor)
            own = own._replace(numbers=matrix.numbers, places=matrix.places, is_column=matrix.is_column)
            sentence = _SENTENCE.split(text[max(0, start - NEAR) : start])[-1]
            yield own._replace(
                sides=computed.sides,
                applied=computed.applied,
                is_supposed=bool(SUPPOSED.search(sentence) or _DENIED.match(text, stop)),
            )
        end = stop


def _numbers(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], str, Printed]]:
    """The single numbers that a pattern finds, each with the line before it."""
    for found in pattern.finditer(text):
        line = text[text.rfind("\n", 0, found.start("number")) + 1 : found.start("number")]
        before = line[: max(0, len(line) - len(text[found.start() : found.start("number")]))]
        if (one := Printed.parse(found["number"].removesuffix("."))) and not UNSURE.search(before):
            yield found, line, one


def _energies(text: str) -> Iterator[Matrix]:
    """The energies of a text, each a matrix of one number. group: the name of the state, or sides: the state itself."""
    for found, line, one in _numbers(_ENERGY, text):
        place, name = found.start("number"), " ".join(text[found.start() : found.start("by")].split())
        states = [*re.finditer(_FLAT, line)][-1:]
        known = [state for m in states if (state := _read(m[0], place - len(line) + m.start()))]
        sides = tuple((state._replace(name=states[0][0]),) for state in known)
        behind = re.search(_FLAT, text[found.end() :].partition("\n")[0])
        group = (found["of"] or "").strip("( )").split(" ")[-1] or (behind[0] if behind else "")
        yield Matrix(((one,),), ((place,),), name, ("energy",), group=group, sides=sides)


def _entries(text: str) -> Iterator[Matrix]:
    """The single entries of a text, such as `w_12 = .2`, those of one letter as a row of numbers."""
    several: dict[str, dict[tuple[int, int], tuple[Printed, int, bool]]] = {}
    for found, _, one in _numbers(_ENTRY, text):
        entry = (one, found.start("number"), "·" in found["by"])
        several.setdefault(found[1], {}).setdefault((int(found[2]), int(found[3])), entry)
    for name, entries in several.items():
        numbers, places, products = zip(*entries.values(), strict=True)
        named = Matrix((numbers,), (places,), name, ("entries",), group=name, is_stated=any(products))
        yield named._replace(at=tuple(entries))


def _factors(gap: str, place: int) -> tuple[Matrix, ...]:
    """The number before a matrix, if there is one: 1/4, 1/√2; 1/1.414 and .707 are taken for 1/√2 too."""
    if not (found := _FACTOR.search(gap)):
        return ()
    above, root, below = found[1].partition("/√")
    one = Printed.parse(above)
    value = (one.value if one else 1.0) / float(below or 1) ** 0.5
    if not 0 < abs(value) < np.inf:
        return ()
    exact = max(1, round(value**-2)) ** -0.5 if 1e-3 < value < 1 else value
    if one and one.decimals and not root and abs(exact - value) > one.room:
        return (Matrix(((one,),), ((place,),)),)
    return (_number(exact if one and one.decimals else value, place),)


def _number(value: float, place: int) -> Matrix:
    return Matrix(((Printed(str(value), value, None),),), ((place,),))


def _is_equated(gap: str, function: str) -> bool:
    """Whether the text between two matrices says that they are equal: `=`, or `= X·W =`."""
    bare = re.sub(r"\[[^\[\]]*\]|[=!<>]=", "", gap)
    first, *middle = (part.strip(" \n;") for part in re.split("[=→]" if function else "=", bare))
    last = _FUNCTION.sub("", _FACTOR.sub("", middle.pop())).strip(" (") if middle else gap
    joined = first in ("", "ᵀ", ")", "ᵀ)", ".") and not any(map(_BREAK.search, middle))
    return joined and (not last or bool(function and called(last)))


def _named(gap: str, header: str) -> tuple[str, Matrix]:
    """The line above a matrix that may name it; and its name, its quantities, and the label of its row."""
    gap = _FACTOR.sub(lambda m: "=" if m[0][0] == "=" else "", gap)
    gap = re.sub(r"\[[^\[\]]*\]", "", _FUNCTION.sub("", re.sub(r"=\s+$", "= ", gap)))
    lines, paragraphs = [line.strip(" \t*#>-•") for line in gap.split("\n")], re.split(r"\n\s*\n", gap)
    header = next(filter(None, reversed(lines[:-1])), "" if len(paragraphs) > 1 else header)
    *parts, last = paragraphs[-1].split("=")
    if parts and not last.strip(" (\n"):
        expressions: list[str] = []
        for part in reversed(parts):
            pieces = _BREAK.split(f" {part.strip()}")
            expressions.insert(0, re.sub(r"^\s*(?:[-•]|\d+[.)])\s", "", pieces[-1]).strip())
            if len(pieces) > 1:
                break
        meant = next(filter(quantities, expressions), "")
        shown = bare(expressions[0])
        shown = shown if re.fullmatch(r"[\w(].*[\w)\]]", shown) else " ".join(expressions[0].split())
        name, word = _symbol(expressions[0]) or shown, re.search(r"[^\W\d_ᵀ]{2,}$", expressions[-1])
        if not meant and word and not _NO_WORD.search(expressions[0]) and not re.fullmatch("[A-Z]{2,3}", word[0]):
            group = header or "word"
            return header, Matrix((), (), name, called(header) or ("word",), (word[0],), group)
        base, index = _indexed(_symbol(meant) or meant)
        is_stated = len(expressions) > 1 or bool(re.search(r"[·√]|\((?!\d+\))|Kᵀ", name))
        is_stated = is_stated and not re.search(r"θ|theta|bias|[+\-−]\s*[bI]\b", " ".join(expressions))
        several = quantities(meant) or called(header) or ("matrix",) * (not _NO_WORD.search(expressions[0]))
        named = Matrix((), (), name, several, (index,), base, is_stated=is_stated)
        return header, named._replace(expressions=tuple(expressions))
    label = _BREAK.split(lines[-1].rstrip(" :→=(*_"))[-1].strip(" \"'“”`*_")
    base, index = _indexed(label)
    own, start, equal = quantities(label), re.match(r"\w+", label), tuple(lines[-1].split("="))
    if not own and index in ("", label):
        several = called(header) or ("word",) * bool(re.fullmatch(r"[^\W\d_]{2,}", label))
        return header, Matrix((), (), label or header, several, (label,), header, expressions=equal)
    named = Matrix((), (), label, own, (index or (start[0] if start else ""),), base if index else header)
    return header, named._replace(expressions=equal)


def _indexed(expression: str) -> tuple[str, str]:
    """An expression without its index, and the index; of a step in time, `(t)` stays.

    >>> _indexed("ξ^1"), _indexed("s(0)"), _indexed("pattern A"), _indexed("QKᵀ"), _indexed("a_1,·")
    (('ξ', '1'), ('s(t)', '0'), ('pattern', 'A'), ('QKᵀ', ''), ('a', '1'))
    """
    if time := re.fullmatch(r"(\w)\((\d+)\)", expression):
        return f"{time[1]}(t)", time[2]
    found = re.fullmatch(r"(.*?)[\s_^(\[]*(\d+|(?<=[\s_^(])[A-D])[)\]]*(?:,\s*[·:])?[)\]]*", expression)
    return (found[1], found[2]) if found else (expression, "")


def _of_table(block: Block, starts: Sequence[int]) -> Iterator[Matrix]:
    """The numbers of a table, and the matrices that its columns of vectors are; a column of sums is left out."""
    texts = [[plain(cell.text).strip(" \t:'\"“”") for cell in row] for row in block.rows] or [[]]
    kept = [j for j, text in enumerate(texts[0]) if not (j and _TOTAL.fullmatch(text))]
    if len({*map(len, texts)}) > 1 or min(len(texts), len(kept)) < 2:
        return
    texts = [[row[j] for j in kept] for row in texts]
    places = [[starts[row[j].line - 1] + j for j in kept] for row in block.rows]
    titles = [Matrix((), (), texts[0][0], called(texts[0][0])), *map(_title, block.near)]
    title = max(titles, key=lambda one: 2 if {*one.quantities} - {"X"} else len(one.quantities))
    near = title.quantities
    labels = tuple(row[0] for row in texts)
    states: list[Matrix] = []
    for j, column in enumerate(zip(*([row[j] for j in kept] for row in block.rows[1:]), strict=True)):
        cells = [found[0][2] for cell in column if len(found := _literals(masked(f" {cell.text} ", MASKS))) == 1]
        numbers, several = tuple(one.numbers[0] for one in cells), quantities(texts[0][j]) or near
        if re.fullmatch(r"E|energ(?:y|ie)", texts[0][j], re.I):
            for row, place, state in zip(texts[1:], places[1:], states, strict=False):
                if one := Printed.parse(row[j]):
                    yield Matrix(((one,),), ((place[j],),), f"E of {state.name}", ("energy",), sides=((state,),))
        if len(cells) == len(column) and len({*map(len, numbers)}) == 1:
            lines = tuple(tuple(row[0] + j * len(numbers[0]) + k for k in range(len(numbers[0]))) for row in places[1:])
            own = zip(cells, texts[1:], lines, strict=True)
            states = [one._replace(name=row[j], places=(at,)) for one, row, at in own]
            yield Matrix(numbers, lines, texts[0][j], several, labels[1:])
    left = 1 if any(texts[0]) else 0  # without a head the table is the matrix itself, as Markdown has to write it
    for i in (0, 1) if texts[0][0] else (1,):
        hidden = Printed("", 0.0 if "weights" in near else -np.inf, None)  # a cell of a later word
        rows = [row[left:] for row in texts[i:]]
        read = [[Printed.parse(one) or (hidden if _HIDDEN.fullmatch(one) else None) for one in row] for row in rows]
        cells_ = [[one for one in row if one] for row in read if any(one and one.text for one in row)]
        if all(len(row) == len(texts[0]) - left for row in cells_) and len(cells_) == len(read):
            lines = tuple(tuple(row[left:]) for row in places[i:])
            names = labels[i:] if left else ("",) * len(cells_)
            yield title._replace(numbers=tuple(map(tuple, cells_)), places=lines, labels=names)
            return


def _title(text: str) -> Matrix:
    """What a text beside a table says of it: by a symbol at its end, or by its words."""
    shown = masked(text, MASKS)
    _, named = _named(shown, "")
    if not (_symbol(named.name) and not _LITERAL.search(shown)):
        name = plain(text).replace("\\caption", "").strip(" #*:\n")
        named = Matrix((), (), name, called(name), expressions=named.expressions)
    return _told(named, shown)


def _told(named: Matrix, before: str) -> Matrix:
    """What the text before a matrix says, too, of the formula of couplings."""
    return named._replace(is_stated=True) if "couplings" in named.quantities and _HEBB.search(before) else named


def _stacked(found: Sequence[Matrix]) -> Iterator[Matrix]:
    """Matrices with vectors of one name as their rows; the matrix so far after each of them."""
    stacks, order = dict[tuple[str, int], list[Matrix]](), list[list[Matrix]]()
    for one in found:
        key, label = (one.group, len(one.numbers[0])), one.labels[0]
        rows = stacks.get(key, []) if len(one.numbers) == one.factor == 1 and label else []
        same = next((row for row in rows if row.labels[0] == label), None)
        if same is None or not np.array_equal(same.values, one.values):
            is_time = one.group.endswith("(t)") or bool(rows and rows[0].labels[0] == "0")
            more = rows and same is None and rows[0].quantities == one.quantities and not is_time and len(rows) < MOST
            order.append([*rows, one] if more else [one])
            if len(one.numbers) == 1 and label:
                stacks[key] = order[-1]
    grown = {id(row) for rows in order for row in rows[:-1]}
    for rows in order:
        numbers, places, labels = (
            sum(parts, ()) for parts in zip(*((r.numbers, r.places, r.labels) for r in rows), strict=True)
        )
        name = rows[0].group.strip(" :") if len(rows) > 1 else rows[0].name
        whole = id(rows[-1]) not in grown
        yield rows[-1]._replace(name=name, numbers=numbers, places=places, labels=labels, is_whole=whole)
