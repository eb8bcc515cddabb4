"""Published numbers on the terminal: a table of all, one of them whole, and those that do not hold."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text

from hopattn.foundation.writing import counted
from hopattn.papers.record import ERRORS, VERDICTS, Computed, Record
from hopattn.views.consoles import console
from hopattn.views.terminal import show, table
from hopattn.views.text_table import TextTable
from hopattn.views.visible import plain

HOLDS = {True: "holds", False: "FAILS", None: "–"}
"""The word for a record that was computed again."""
GAP_OF_FORMULAS = re.compile(r"(?<=\S) {3,}")
"""The space between two formulas of a line."""


def value_text(value: float | None, error: float = 0.0) -> str:
    """A number with seven digits, or with its standard error and as many decimals as two digits of that have.

    >>> value_text(0.13790556), value_text(0.10463, 0.000312), value_text(None), value_text(64.0)
    ('0.1379056', '0.10463 ± 0.00031', '–', '64')
    """
    if value is None:
        return "–"
    if not error:
        return f"{value:.7g}".replace("-", "−")
    decimals = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{decimals}f} ± {error:.{decimals}f}".replace("-", "−")


def show_records(found: Sequence[Record], computed: Sequence[Computed] = ()) -> None:
    """Write the records below their papers. computed: those that were computed again, whose numbers are shown too."""
    again = {one.record.name: one for one in computed}
    rows = {record.name: _row(record, again.get(record.name)) for record in found}
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in rows.values()), strict=True)]
    parts: list[Text | TextTable] = []
    for source, own in groupby(found, key=lambda record: record.source):
        parts += [Text(""), Text(plain(f"{source.short}, {source.where}"), style="bold")]
        cells = [
            [*(f"{cell:{width}}" for cell, width in zip(row, widths, strict=False)), row[-1]]
            for row in (rows[record.name] for record in own)
        ]
        parts.append(table([""] * len(cells[0]), cells))
    show(console(), *parts[1:])


def _row(record: Record, again: Computed | None) -> list[str]:
    ours = [] if again is None else [HOLDS[again.holds], value_text(again.ours, again.error)]
    return [record.name, value_text(record.published), *ours[1:], *ours[:1], record.verdict, record.says]


def tally(found: Sequence[Record]) -> str:
    """How many records there are, of how many papers, and of each verdict."""
    verdicts: Counter[str] = Counter(record.verdict for record in found)
    sources = counted(len({record.source for record in found}), "paper")
    each = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS if verdicts[verdict])
    return f"{counted(len(found), 'number')} of {sources}: {each}"


def show_overview(found: Sequence[Record]) -> None:
    """Write a table of records, and how to go on."""
    show_records(found)
    ways = "hopattn papers NAME computes one of them, hopattn papers --check all"
    show(console(), Text(""), Text(tally(found)), Text(ways))


def show_checked(computed: Sequence[Computed], long: bool) -> None:
    """Write the records that fail, and how many hold. long: all records with their numbers."""
    failed = [one for one in computed if one.holds is False]
    shown = computed if long else failed
    if shown:
        show_records([one.record for one in shown], shown)
    for one in failed:
        show(console(), Text(""), Text(plain(f"{one.record.name}: {difference(one)}"), style="red"))
    holding, unchecked = (sum(one.holds is holds for one in computed) for holds in (True, None))
    total = f"{counted(len(computed), 'number')}: {holding} hold, {len(failed)} fail, {unchecked} not checked"
    show(console(), *([Text("")] if shown else []), Text(total + ("" if long else "; --long shows each")))


def difference(one: Computed) -> str:
    """The difference of ours from the number that it is compared with, and the one that is allowed, in a sentence."""
    if one.ours is None:
        return f"not checked: {one.record.because}"
    compared = "the published number" if one.here is None else "the value at this size"
    allowed = f"{one.record.within:.3g}" + f" + {ERRORS} × {one.error:.2g}" * (one.error > 0)
    return f"ours − {compared} = {one.ours - one.target:.3g}".replace("-", "−") + f"; tolerance {allowed}"


def show_record(one: Computed) -> None:
    """Write one record whole: paper, setting, numbers, verdict and why, the working, and the command."""
    record, out = one.record, console()
    show(out, Text(plain(f"{record.name}: {record.says}"), style="bold"), Text(""))
    show(out, table(["", ""], ([name, text] for name, text in _facts(one))))
    if record.way is None:
        return
    show(out, Text(""), Text("Working", style="bold"), *_paragraphs(record.way.working))
    figure = [f"hopattn papers {record.name} --figure {record.name}.svg"] * (record.figure is not None)
    show(out, Text("Again", style="bold"))
    out.print(Text("\n".join([plain(record.way.command), *figure])), soft_wrap=True)  # whole, so that it can be copied


def _paragraphs(text: str) -> Iterator[Text]:
    """Paragraphs as one line each, which may wrap, and formulas, of which each has a line."""
    for lines in (part.split("\n") for part in text.split("\n\n")):
        formulas = lines[0].startswith(" ")
        whole = GAP_OF_FORMULAS.sub("\n    ", "\n".join(lines)) if formulas else " ".join(lines)
        yield from (Text(plain(line)) for line in [*whole.split("\n"), ""])


def _facts(one: Computed) -> Iterator[tuple[str, str]]:
    record = one.record
    yield "paper", f"{record.source.short}, {record.source.title}"
    yield "", record.source.where
    yield "place", record.at
    yield "setting", record.setting
    yield "published", value_text(record.published)
    seeds = f" (mean ± standard error of {getattr(record, 'trials', 1)} seeds)" if one.error else ""
    yield "ours", value_text(one.ours, one.error) + seeds
    if one.here is not None:
        yield "at this size", value_text(one.here)
    yield "verdict", f"{record.verdict}: {record.bound or VERDICTS[record.verdict]}"
    if record.superseded_by is not None:
        yield "", f"by {record.superseded_by}: hopattn papers {record.superseded_by}"
    if record.erratum is not None:
        yield "", record.erratum
    if one.ours is None:
        yield "why", record.because
    else:
        yield "difference", difference(one)
        yield "because", record.because
        yield "check", "the verdict holds" if one.holds else "the verdict FAILS"
