"""The result of a comparison in one paragraph."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hopattn.experiments.comparison.row import Row

HALF = 0.5
FEW = 4
"""The most places that a sentence lists."""
_NUMBER = re.compile(r"[-−]?\d+(\.\d+)?(e[+-]?\d+)?")
Rows = Sequence[Row]


def paragraph(about: str, rows: Rows, axes: Sequence[str]) -> str:
    """The paragraph of a comparison.

    Its sentences say: the subject, the fraction that is recalled, the change after the first step, the memories that
    do not always reach a fixed point, the spread of the weights, whether one step is attention, and the refusals.
    about: the subject in words. axes: the names of the grid's axes.
    """
    accepted = {name: [row for row in rows if row.memory == name and not row.refusal] for name in _names(rows)}
    by_memory = {name: own for name, own in accepted.items() if own}
    sentences = [
        f"{about[:1].upper()}{about[1:]}.",
        *_recalled(by_memory, axes),
        *_change_after_one_step(by_memory, axes),
        *_not_at_rest(by_memory),
        *_spread(by_memory),
        *_attention(by_memory),
        *_refusals(rows, axes),
    ]
    return " ".join(sentences)


def _recalled(by_memory: Mapping[str, Rows], axes: Sequence[str]) -> Iterator[str]:
    """The fraction that each memory recalls at the end."""
    known = {name: rows for name, rows in by_memory.items() if all(row.recalled is not None for row in rows)}
    if not known:
        return
    if max(map(len, known.values())) == 1:
        by_fraction: dict[str, list[str]] = {}
        for name, (row,) in sorted(known.items(), key=lambda item: -(item[1][0].recalled or 0.0)):
            by_fraction.setdefault(_percent(row.recalled or 0.0), []).append(name)
        parts = [f"{_and(names)} {fraction}" for fraction, names in by_fraction.items()]
        yield f"Of the cues, recalled at the end: {'; '.join(parts)}."
        return
    yield f"Recalled at the end: {'; '.join(f'{name} {_over(rows, axes)}' for name, rows in known.items())}."


def _over(rows: Rows, axes: Sequence[str]) -> str:
    """The range of what a memory recalls over several rows; on a single axis, also where it crosses a half."""
    fractions = [row.recalled or 0.0 for row in rows]
    low, high = min(fractions), max(fractions)
    if _percent(low) == _percent(high):
        return f"{_percent(low)} everywhere"
    worst, best = (rows[fractions.index(fraction)] for fraction in (low, high))
    text = f"from {_percent(low)} ({_place(worst, axes)}) to {_percent(high)} ({_place(best, axes)})"
    if len(axes) == 1 and len({row.where for row in rows}) == 1:
        enough = [fraction >= HALF for fraction in fractions]
        changes = [i for i in range(1, len(rows)) if enough[i] != enough[i - 1]]
        if len(changes) == 1:
            last = rows[changes[0] - 1 if enough[0] else changes[0]]
            text += f", at least a half {'up to' if enough[0] else 'from'} {_place(last, axes)}"
            text += "" if enough[0] else " on"
    return text


def _change_after_one_step(by_memory: Mapping[str, Rows], axes: Sequence[str]) -> Iterator[str]:
    """The change by the steps after the first: of what is recalled if that is known, else of the answer itself."""
    gains = {
        name: max(rows, key=lambda row: abs((row.recalled or 0.0) - (row.recalled_first or 0.0)))
        for name, rows in by_memory.items()
        if all(row.recalled is not None and row.recalled_first is not None for row in rows)
    }
    if gains:
        ends = {
            name: (_percent(row.recalled_first or 0.0), _percent(row.recalled or 0.0)) for name, row in gains.items()
        }
        changes = [
            f"{name} {first} → {last}{_at(gains[name], axes)}" for name, (first, last) in ends.items() if first != last
        ]
        if changes:
            most = "most " if axes else ""
            yield f"From one step to the end, what is recalled changes {most}for {'; '.join(changes)}."
        if equal := [name for name, (first, last) in ends.items() if first == last]:
            yield f"One step recalls as much as all steps for {_and(equal)}."
        return
    moves = []
    for name, rows in by_memory.items():
        distances = [row.distance for row in rows if row.distance is not None]
        if distances:
            moves.append(f"{name} {_range(distances)}")
    if moves:
        ways = "; ".join(moves)
        yield f"From one step to the fixed point, where one is met, the answer moves (in lengths of a value): {ways}."


def _not_at_rest(by_memory: Mapping[str, Rows]) -> Iterator[str]:
    """The memories with which some cues reach no fixed point."""
    fractions = {name: [row.at_rest for row in rows if row.at_rest is not None] for name, rows in by_memory.items()}
    parts = [f"{name} ({_percents(own)})" for name, own in fractions.items() if own and min(own) < 1]
    if parts:
        yield f"Not every cue comes to rest with {_and(parts)}."


def _spread(by_memory: Mapping[str, Rows]) -> Iterator[str]:
    """The number of keys over which modern, the softmax, spreads its weight."""
    rows = [row for row in by_memory.get("modern", ()) if row.operating_class]
    if len(rows) == 1:
        (row,) = rows
        least = f"{row.least_number:g} of {row.n_keys} keys"
        yield f"Modern needs {least} (median) for nine tenths of its weight: operating class {row.operating_class}."
    elif rows:
        counts = Counter(str(row.operating_class) for row in rows)
        if len(counts) == 1:
            every = "Both" if len(rows) == 2 else f"All {len(rows)}"
            yield f"{every} rows of modern are in operating class {rows[0].operating_class}."
            return
        parts = [f"{counts[name]} in class {name}" for name in ("I", "II", "III", "IV") if counts[name]]
        yield f"Of the {len(rows)} rows of modern, by operating class, {_and(parts)}."


def _attention(by_memory: Mapping[str, Rows]) -> Iterator[str]:
    """Whether one step is attention."""
    named = [(name, row) for name, rows in by_memory.items() for row in rows]
    for reason in dict.fromkeys(row.notes["difference"] for _, row in named if "difference" in row.notes):
        untold = [name for name, row in named if row.notes.get("difference") == reason]
        n_rows = sum(name in untold for name, _ in named)
        where = "" if len(untold) == n_rows else f" in {len(untold)} of {n_rows} rows"
        yield f"Whether one step of {_and(dict.fromkeys(untold))} is attention cannot be told{where} ({reason})."
    compared = [(name, row) for name, row in named if row.difference is not None]
    if not compared:
        return
    names = _and(dict.fromkeys(name for name, _ in compared))
    if different := [row for _, row in compared if not row.is_attention]:
        most = max(row.difference or 0.0 for row in different)
        difference = f"by up to {most:.1e} from attention computed independently"
        yield f"One step of {names} differs {difference}: more than rounding."
        return
    bound = ceiling(max(row.bound or 0.0 for _, row in compared))
    yield f"One step of {names} is attention: computed independently, it gives the same within rounding ({bound})."


def _refusals(rows: Rows, axes: Sequence[str]) -> Iterator[str]:
    """The memories that could not take part, each with its reasons; a memory that took part elsewhere, with the place.

    Reasons that differ in their numbers alone are one reason, of which the first is an example.
    """
    refused: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.refusal:
            refused.setdefault((_NUMBER.sub("0", row.refusal), row.memory), []).append(row)
    alike: dict[tuple[str, str], list[str]] = {}
    for (kind, memory), own in refused.items():
        everywhere = len(own) == sum(row.memory == memory for row in rows)
        places = dict.fromkeys(filter(None, (_place(row, axes) for row in own)))
        where = "" if everywhere or not places else f" at {_and(_few(list(places)))}"
        alike.setdefault((kind, where), []).append(memory)
    for (kind, where), names in alike.items():
        reasons = dict.fromkeys(row.refusal for name in names for row in refused[kind, name])
        example = "for example, " if len(reasons) > 1 else ""
        yield f"{_and(names)} could not take part{where} ({example}{next(iter(reasons))})."


def _few(places: Sequence[str]) -> list[str]:
    """The first places of a list, and the number of the others."""
    return [*places] if len(places) <= FEW else [*places[: FEW - 1], f"{len(places) - FEW + 1} more"]


def ceiling(value: float) -> str:
    """A bound with one digit, rounded up, so that it is still a bound.

    >>> ceiling(2.2e-13)
    '3e-13'
    """
    if value <= 0:
        return "0"
    exponent = math.floor(math.log10(value))
    digit = math.ceil(value / 10.0**exponent - 1e-9)
    return f"{digit}e{exponent:+03d}" if digit < 10 else f"1e{exponent + 1:+03d}"


def _place(row: Row, axes: Sequence[str]) -> str:
    """The problem and the point of a row, in words."""
    return ", ".join([*([row.where] if row.where else []), *(f"{name} {row.point[name]:.3g}" for name in axes)])


def _at(row: Row, axes: Sequence[str]) -> str:
    place = _place(row, axes)
    return f" ({place})" if place else ""


def _percent(fraction: float) -> str:
    if fraction in (0, 1):
        return "all" if fraction else "none"
    percent = f"{100 * fraction:.0f} %"
    return {"0 %": "under 1 %", "100 %": "over 99 %"}.get(percent, percent)


def _percents(fractions: Sequence[float]) -> str:
    low, high = _percent(min(fractions)), _percent(max(fractions))
    return low if low == high else f"{low} to {high}"


def _range(numbers: Sequence[float]) -> str:
    low, high = (f"{0.0 if abs(end) < 1e-9 else end:.2g}" for end in (min(numbers), max(numbers)))
    return low if low == high else f"{low} to {high}"


def _and(names: Iterable[str]) -> str:
    listed = list(names)
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"


def _names(rows: Rows) -> Iterable[str]:
    return dict.fromkeys(row.memory for row in rows)
