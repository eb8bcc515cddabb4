"""The page of published numbers, from the records and from the numbers that were last computed."""

import json
from itertools import groupby
from pathlib import Path

from docs.builder.markdown import plain, table
from hopattn.experiments.sweeps.kept import kept_folder
from hopattn.figures.figure import gallery
from hopattn.papers import Computed, Record, records
from hopattn.papers.checking import computed
from hopattn.papers.record import VERDICTS
from hopattn.views.papers_text import published_text, tally, value_text, verdict_text

KEPT = Path(kept_folder()) / "papers.json"
"""The numbers that were last computed, by the names of their records: ours, standard error, value at this size."""
DIGITS = 8
"""The digits of a number that is kept."""


def keep() -> None:
    """Compute all numbers, and write them into their file; raises `RuntimeError` if one does not hold."""
    found = computed([*records().values()])
    if failed := [one.record.name for one in found if one.holds is False]:
        raise RuntimeError(f"numbers that do not hold: {', '.join(failed)}")
    rows = (f"{json.dumps(one.record.name)}: {json.dumps([_rounded(x) for x in numbers(one)])}" for one in found)
    KEPT.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def numbers(one: Computed) -> list[float | None]:
    """The numbers of a record that are kept."""
    return [one.ours, one.error, one.here]


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def page() -> str:
    """The text below the heading: how many records of each verdict there are, then a table for each paper."""
    every = records()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    meanings = table(["verdict", "what it says"], ([name, meaning] for name, meaning in VERDICTS.items()))
    parts = [f"{tally([*every.values()])}.", meanings]
    pictured: set[str] = set()
    for source, own in groupby(every.values(), key=lambda record: record.source):
        rows = [*own]
        parts += [f"## {plain(source.short)}", plain(f"{source.title}. {source.where}.")]
        parts.append(table(["number", "setting", "published", "ours", "verdict"], (_row(row, kept) for row in rows)))
        parts += ["\n".join(f"* {note}" for row in rows if (note := _note(row)))]
        parts += [shown for row in rows if (shown := _picture(row, pictured))]
    return "\n\n".join(filter(None, parts))


def _row(record: Record, kept: dict[str, list[float | None]]) -> list[str]:
    ours, error, here = kept.get(record.name, (None, 0.0, None))
    limit = f"; at this size {value_text(here)}" * (here is not None)
    about = f"`{record.name}`: {record.says} ({record.at})"
    return [
        plain(about),
        plain(record.setting),
        published_text(record),
        value_text(ours, error or 0.0) + limit,
        verdict_text(record),
    ]


def _note(record: Record) -> str:
    """A sentence on a number that is superseded, does not hold, or is not checked."""
    by = f"superseded by `{record.superseded_by}`" if record.superseded_by else ""
    why = record.erratum or by or (record.because if record.verdict == "not checked" else "")
    return f"`{record.name}`: {plain(why)}" if why else ""


def _picture(record: Record, pictured: set[str]) -> str:
    """The figure of the gallery that shows a number; on the site, that of its scenario. Each one comes once."""
    if record.figure is None or record.figure in pictured:
        return ""
    pictured.add(record.figure)
    figure = next((figure for figure in gallery().values() if figure.scenario == record.figure), None)
    if figure is None:
        return f"<!-- scenario: {record.figure} -->"
    return f"![{plain(figure.shows)}](../../figures/{figure.name}.svg)"
