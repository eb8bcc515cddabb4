"""A census of heads on the terminal: the strongest heads of each kind on one screen, or all heads."""

import numpy as np
from rich.text import Text

from hopattn.circuits.census.measures import MEASURES, OPERATING_CLASS
from hopattn.circuits.census.table import Census
from hopattn.foundation.writing import in_lines
from hopattn.views.consoles import console
from hopattn.views.terminal import show, table
from hopattn.views.text_table import TextTable

MOST, BESIDE, EACH = 5, 28, 17
"""The most heads that are named of each kind; the letters of the columns beside them, and of each of them."""
WIDE = BESIDE + MOST * EACH
"""The letters of a line in which all of them have room."""
RANGES = {
    "energy": "U = −p·s",
    "entropy": "S in nats",
    "free_energy": "F = U − S/β",
    "effective_keys": "effective keys, e^H",
    "fixed_point_keys": "the same at the fixed point",
}
"""The measures of which the screen shows the least, the median and the largest."""
SHORT = {
    "previous_token": "previous",
    "duplicate_token": "duplicate",
    "prefix_matching": "prefix",
    "query_composition": "Q comp.",
    "key_composition": "K comp.",
    "value_composition": "V comp.",
    "attention_sink": "sink",
    "sink_by_norm": "sink |v|",
    "null_weight": "null",
    "energy": "U",
    "entropy": "S",
    "free_energy": "F",
    "effective_keys": "keys",
    "fixed_point_change": "change*",
    "fixed_point_keys": "keys*",
    "fixed_point_reached": "reached*",
    OPERATING_CLASS: "class",
}
"""The headings of the table of all heads; others are their names."""


def strongest_table(census: Census, width: int) -> TextTable:
    """A row for each kind of head: its chance value, and the heads with the largest values, in `width` letters."""
    rows, count = [], min(max((width - BESIDE) // EACH, 2), MOST)
    for name in census.measures:
        if MEASURES[name].ranked:
            chances = census.chance(name)
            known = chances[np.isfinite(chances)]
            chance = _number(float(np.median(known))) if known.size else "–"
            heads = [
                f"{one.head} {_number(one.value)}{f'←{one.partner}' if one.partner else ''}"
                for one in census.strongest(name, count)
            ]
            rows.append([name.replace("_", " "), chance, *heads, *[""] * (count - len(heads))])
    return table(["measure", "chance", "strongest", *[""] * (count - 1)], rows, ["chance"])


def ranges_table(census: Census) -> TextTable:
    """A row for each measure of energy: its least, median and largest number."""
    rows = []
    for name in (one for one in RANGES if one in census.measures):
        numbers = census.matrix(name)
        found = numbers[np.isfinite(numbers)]
        rows.append([RANGES[name], *(_number(float(one)) for one in (found.min(), np.median(found), found.max()))])
    return table(["mean over queries", "least", "median", "largest"], rows, ["least", "median", "largest"])


def all_heads(census: Census) -> TextTable:
    """A row for each head, with all its numbers."""
    rows, names = census.table(), [*census.measures, OPERATING_CLASS]
    cells = [
        [
            f"{row['layer']}.{row['head']}",
            *(row[name] if isinstance(row[name], str) else _number(row[name]) for name in names),
        ]
        for row in rows
    ]
    headings = [SHORT.get(name, name) for name in names]
    return table(["head", *headings], cells, headings)


def legend_of_census(census: Census) -> list[str]:
    """Lines below the tables: the name of a head, the chance values, the operating classes."""
    classes = ", ".join(f"{count} of {name}" for name, count in census.classes().items() if count)
    lines = ["head: layer.head, from 1, and its number; ← the earlier head that it reads most"]
    lines += [f"chance: of even attention; 0 of copying (of {census.copied}); 1/√dim of compositions"]
    lines += [f"operating class, from I (averages) to IV (few keys): {classes}"] if classes else []
    if "fixed_point_change" in census.measures:
        lines.append("fixed point: of q ← Kᵀp on a head's own keys; change: ½Σ|p₁ − p*|")
    return lines


def show_census(census: Census, whole: bool = False) -> None:
    """Write a census to standard output. whole: the numbers of all heads, instead of the strongest ones."""
    out = console()
    show(out, Text(f"{census.about or 'census'} ({census.size})", style="bold"))
    if whole:
        show(out, all_heads(census))
        meanings = [f"{SHORT.get(name, name)}: {MEASURES[name].says}" for name in census.measures]
        show(out, Text("\n".join(in_lines(meanings, out.width))))
        return
    show(out, strongest_table(census, out.width), ranges_table(census))
    show(out, Text("\n".join([*legend_of_census(census), "--long shows all heads"])))


def _number(value: float | None) -> str:
    """A number with two decimals and no leading zero, or with three digits."""
    if value is None or not np.isfinite(value):
        return "–"
    text = f"{value:.2f}" if abs(value) < 10 else f"{value:.3g}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text
