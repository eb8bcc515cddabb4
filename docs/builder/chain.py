"""The picture of the one idea: a cue goes through similarity, separation, projection and activation."""

from collections.abc import Iterator, Sequence

import hopattn as ha
from hopattn.figures.palette import Palette

WIDTH, HEIGHT = 420, 476
_CELL, _TALL, _LEFT, _PITCH = 50, 34, 96, 104
"""The width and height of a cell, where the cells begin, and the way from one row to the next."""
_PARTS = (
    ("similarity", "s = sim(K, x)", "How similar is the cue to each key?"),
    ("separation", "p = ∇Ψ(s)", "The best match gets most weight."),
    ("projection", "h = Vᵀ p", "Values are added by their weights."),
    ("activation", "x⁺ = ∇Φ(h)", "As it is, or only its sign."),
)
"""Each part with its formula, and with what it does."""


def chain(palette: Palette) -> str:
    """The picture as an SVG: the numbers of a memory of three patterns, computed, with the parts between them."""
    patterns = ha.unit([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]])
    memory = ha.Memory(patterns, beta=8)
    cue = ha.unit([1, 0.8, 0.9, 0])
    weights = memory.weights(cue)
    rows = (
        ("cue", "x", cue, palette.query, "4 neurons"),
        ("scores", "s", memory.scores(cue), palette.plus, "3 patterns"),
        ("weights", "p", weights, palette.plus, "3 patterns"),
        ("field", "h", weights @ patterns, palette.value, "4 neurons"),
        ("state", "x⁺", memory.step(cue), palette.value, "4 neurons"),
    )
    marks = [mark for i, row in enumerate(rows) for mark in _row(12 + i * _PITCH, *row, palette=palette)]
    arrows = [mark for i, part in enumerate(_PARTS) for mark in _arrow(12 + i * _PITCH + _TALL, *part, palette=palette)]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="\'DejaVu Sans\', Verdana, sans-serif" fill="{palette.ink}">',
        "<title>One step of associative recall</title>",
        "<desc>From top to bottom: cue, similarity, scores, separation, weights, projection, field, activation, state; "
        "with the numbers of a memory of three patterns</desc>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{palette.paper}"/>',
        *marks,
        *arrows,
        "</svg>",
    ]
    return "\n".join([*lines, ""])


def _row(
    top: int, name: str, symbol: str, numbers: Sequence[float], colour: str, many: str, *, palette: Palette
) -> Iterator[str]:
    """A quantity: its name and symbol, its numbers in cells that are the fuller of colour the larger they are."""
    yield f'<text x="8" y="{top + 15}" font-size="16" font-weight="bold">{name}</text>'
    yield f'<text x="8" y="{top + 33}" font-size="15" font-style="italic">{symbol}</text>'
    for i, number in enumerate(numbers):
        left = _LEFT + i * _CELL
        yield (
            f'<rect x="{left}" y="{top}" width="{_CELL - 4}" height="{_TALL}" rx="3" fill="{colour}" '
            f'fill-opacity="{0.06 + 0.4 * number:.2f}" stroke="{colour}"/>'
        )
        yield (
            f'<text x="{left + _CELL / 2 - 2:g}" y="{top + 23}" font-size="15" '
            f'text-anchor="middle">{_short(number)}</text>'
        )
    after = _LEFT + len(numbers) * _CELL + 8
    yield f'<text x="{after}" y="{top + 23}" font-size="14" fill="{palette.faint}">{many}</text>'


def _short(number: float) -> str:
    """The number with two decimals, without the 0 before the point."""
    return f"{number:.2f}".removeprefix("0") if round(number, 2) else "0"


def _arrow(top: int, part: str, formula: str, says: str, *, palette: Palette) -> Iterator[str]:
    """An arrow to the next quantity, with the part that leads there."""
    across, end = _LEFT + _CELL // 2 - 2, top + _PITCH - _TALL - 4
    yield f'<path d="M {across} {top + 5} V {end - 8}" stroke="{palette.ink}" stroke-width="2"/>'
    yield f'<path d="M {across - 6} {end - 10} h 12 l -6 10 z"/>'
    yield (
        f'<text x="{across + 18}" y="{top + 29}" font-size="16"><tspan font-weight="bold">{part}</tspan>'
        f'<tspan dx="10" font-style="italic">{formula}</tspan></text>'
    )
    yield f'<text x="{across + 18}" y="{top + 50}" font-size="14" fill="{palette.faint}">{says}</text>'
