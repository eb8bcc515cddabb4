"""Published numbers on the terminal: a table of all, one of them whole, and those that do not hold."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from hopattn.foundation.writing import counted
from hopattn.papers.record import ERRORS, VERDICTS, Computed, Record
from hopattn.views.consoles import console
from hopattn.views.terminal import show, table
from hopattn.views.text_table import GAP, TextTable
from hopattn.views.visible import plain

KNOWN = (
    *("hopfield-1982", "hopfield-1985", "amit-1987", "mceliece-1987", "gardner-1988", "kanerva-1988"),
    *("krotov-2016", "demircigil-2017", "vaswani-2017", "ramsauer-2021"),
)
"""The groups of ten papers that lecturers know."""
HOLDS = {True: "confirmed", False: "FAILS", None: "–"}
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


def published_text(record: Record) -> str:
    """The published number, with the word "computed" where the paper prints its formula or equations alone."""
    return value_text(record.published) + " (computed)" * (record.kind == "computed")


def verdict_text(record: Record) -> str:
    """The verdict, with the words "paper alone" where no part of hopattn is checked."""
    return record.verdict + ", paper alone" * (record.checks == "paper")


def show_records(found: Sequence[Record], computed: Sequence[Computed] = ()) -> None:
    """Write the records below their papers. computed: those that were computed again, whose numbers are shown too."""
    again = {one.record.name: one for one in computed}
    rows = []
    for record in found:
        ours = [value_text(one.ours, one.error), HOLDS[one.holds]] if (one := again.get(record.name)) else []
        rows.append([record.name, published_text(record), *ours, verdict_text(record)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    parts: list[Text | TextTable] = []
    source = None
    for record, row in zip(found, rows, strict=True):
        if record.source != source:
            source = record.source
            parts += [Text(""), Text(plain(f"{source.short}, {source.where}"), style="bold")]
        parts.append(Text(GAP.join(f"{text:{width}}" for text, width in zip(row, widths, strict=True))))
        parts.append(table(["", ""], [["", record.says]]))
    show(console(), *parts[1:])


def tally(found: Sequence[Record]) -> str:
    """How many records there are, of how many papers, of each verdict, and how many check no part of hopattn."""
    verdicts: Counter[str] = Counter(record.verdict for record in found)
    sources = counted(len({record.source for record in found}), "paper")
    each = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS if verdicts[verdict])
    alone = sum(record.checks == "paper" for record in found)
    return f"{counted(len(found), 'number')} of {sources}: {each}" + f"; {alone} of the paper alone" * (alone > 0)


def show_overview(found: Sequence[Record], whole: bool) -> None:
    """Write the number of records by their verdicts, and the records; not whole: the papers that lecturers know."""
    out, ways = console(), {f"hopattn papers {found[0].name}": "one number, computed now, with its working"}
    if whole:
        show_records(found)
        show(out, Text(""), Text(tally(found)))
    else:
        ways = {f"hopattn papers {KNOWN[0]}": "the numbers of a paper, or those with a word"} | ways
        ways["hopattn papers --long"] = "all numbers"
        known = [[record for record in found if record.group == group] for group in KNOWN]
        rows = [[own[0].group, len(own), own[0].source.title] for own in known]
        show(out, Text(tally(found)), Text(""), table(["paper", "numbers", ""], rows, ["numbers"]), Text(""))
    show(out, table(["", ""], [*ways.items(), ("hopattn papers --check", "all numbers, computed again")]))


def show_checked(computed: Sequence[Computed], long: bool) -> None:
    """Write the records that fail, and how many hold. long: all records with their numbers.

    Those that hold without a part of hopattn are counted by themselves, as of the paper alone.
    """
    failed = [one for one in computed if one.holds is False]
    shown = computed if long else failed
    if shown:
        show_records([one.record for one in shown], shown)
    for one in failed:
        show(console(), Text(""), Text(plain(f"{one.record.name}: {difference(one)}"), style="red"))
    holding = Counter(one.record.checks for one in computed if one.holds)
    unchecked = sum(one.holds is None for one in computed)
    alone = f"{holding['paper']} of the paper alone, " * (holding["paper"] > 0)
    total = f"{counted(len(computed), 'number')}: {holding['hopattn']} hold, {len(failed)} fail, {alone}"
    total += f"{unchecked} not checked"
    show(console(), *([Text("")] if shown else []), Text(total + ("" if long else "; --long shows each")))


def difference(one: Computed) -> str:
    """The differences of ours from the number that it is compared with and from the reference, each with its tolerance.

    The verdict says what the first one must be; the reference allows no larger one.
    """
    if one.ours is None:
        return f"not checked: {one.record.because}"
    reference = one.record.reference
    name = "the published number" if one.here is None else "the value at this size"
    compared = [(name, one.target, one.record.within)]
    compared += [("the reference", reference.value, reference.within)] if reference else []
    errors = f" + {ERRORS} × {one.error:.2g}" * (one.error > 0)
    sentences = (
        f"ours − {name} = {one.ours - value:.3g}".replace("-", "−") + f"; tolerance {within:.3g}{errors}"
        for name, value, within in compared
    )
    return "; ".join(sentences)


def show_record(one: Computed) -> None:
    """Write one record whole: paper, setting, numbers, verdict and why, the working, and the command."""
    record, out = one.record, console()
    show(out, Text(plain(f"{record.name}: {record.says}"), style="bold"), Text(""))
    show(out, table(["", ""], ([name, text] for name, text in _facts(one))))
    if record.way is None:
        return
    show(out, Text(""), Text("Working", style="bold"), *_paragraphs(record.way.working))
    figure = [f"hopattn papers {record.name} --out {record.name}.svg"] * (record.figure is not None)
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
    kind = "; another program computed it from the paper's formula" if record.kind == "computed" else ""
    yield "published", value_text(record.published) + kind
    seeds = f" (mean ± standard error of {getattr(record, 'trials', 1)} seeds)" if one.error else ""
    yield "ours", value_text(one.ours, one.error) + seeds
    if one.here is not None:
        yield "at this size", value_text(one.here)
    if record.reference is not None:
        yield "reference", f"{value_text(record.reference.value)}: {record.reference.because}"
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
        alone = "; of the paper alone: no part of hopattn computes it" if record.checks == "paper" else ""
        yield "check", ("the verdict holds" if one.holds else "the verdict FAILS") + alone
