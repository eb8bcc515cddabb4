"""What was found, in one paragraph."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hopattn.experiments.comparison.row import Row

HALF = 0.5
LEVEL = 0.005
"""Shares that differ by less are told as equal."""
Rows = Sequence[Row]


def paragraph(about: str, rows: Rows, axes: Sequence[str]) -> str:
    """The paragraph: what was compared, what was recalled, what one step leaves to be done, how weight is spread,
    whether one step is attention, and who could not take part.
    """
    part = {name: [row for row in rows if row.memory == name and not row.refusal] for name in _names(rows)}
    taking = {name: found for name, found in part.items() if found}
    sentences = [
        f"{about[:1].upper()}{about[1:]}.",
        *_recalled(taking, axes),
        *_moved(taking, axes),
        *_restless(taking),
        *_spread(taking),
        *_attention(taking),
        *_refused(rows),
    ]
    return " ".join(sentences)


def _recalled(taking: Mapping[str, Rows], axes: Sequence[str]) -> Iterator[str]:
    """How much is recalled at the end."""
    known = {name: rows for name, rows in taking.items() if all(row.recalled is not None for row in rows)}
    if not known:
        return
    if max(map(len, known.values())) == 1:
        by_share: dict[str, list[str]] = {}
        for name, (row,) in sorted(known.items(), key=lambda item: -(item[1][0].recalled or 0.0)):
            by_share.setdefault(_percent(row.recalled or 0.0), []).append(name)
        told = [f"{_and(names)} {share}" for share, names in by_share.items()]
        yield f"Of the cues, recalled at the end: {'; '.join(told)}."
        return
    yield f"Recalled at the end: {'; '.join(f'{name} {_over(rows, axes)}' for name, rows in known.items())}."


def _over(rows: Rows, axes: Sequence[str]) -> str:
    """What a memory recalled over several rows: its range, and on a single axis up to where at least a half."""
    shares = [row.recalled or 0.0 for row in rows]
    low, high = min(shares), max(shares)
    if high - low < LEVEL:
        return f"{_percent(low)} everywhere"
    worst, best = (rows[shares.index(share)] for share in (low, high))
    text = f"from {_percent(low)} ({_place(worst, axes)}) to {_percent(high)} ({_place(best, axes)})"
    if len(axes) == 1 and len({row.where for row in rows}) == 1:
        enough = [share >= HALF for share in shares]
        changes = [i for i in range(1, len(rows)) if enough[i] != enough[i - 1]]
        if len(changes) == 1:
            last = rows[changes[0] - 1 if enough[0] else changes[0]]
            text += f", at least a half {'up to' if enough[0] else 'from'} {_place(last, axes)}"
            text += "" if enough[0] else " on"
    return text


def _moved(taking: Mapping[str, Rows], axes: Sequence[str]) -> Iterator[str]:
    """What the steps after the first change: in what is recalled where that is known, else in the answer itself."""
    gains = {
        name: max(rows, key=lambda row: abs((row.recalled or 0.0) - (row.recalled_first or 0.0)))
        for name, rows in taking.items()
        if all(row.recalled is not None and row.recalled_first is not None for row in rows)
    }
    if gains:
        told = []
        for name, row in gains.items():
            before, after = _percent(row.recalled_first or 0.0), _percent(row.recalled or 0.0)
            if abs((row.recalled or 0.0) - (row.recalled_first or 0.0)) >= LEVEL:
                told.append(f"{name} {before} → {after}{_at(row, axes)}")
        if told:
            yield f"From one step to the end, what is recalled changes {'most ' if axes else ''}for {'; '.join(told)}."
        if level := [name for name, row in gains.items() if not any(one.startswith(f"{name} ") for one in told)]:
            yield f"One step recalls as much as the fixed point for {_and(level)}."
        return
    told = []
    for name, rows in taking.items():
        distances = [row.distance for row in rows if row.distance is not None]
        if distances:
            told.append(f"{name} {_range(distances)}")
    if told:
        ways = "; ".join(told)
        yield f"From one step to the fixed point, where one is met, the answer moves (in lengths of a value): {ways}."


def _restless(taking: Mapping[str, Rows]) -> Iterator[str]:
    """Who does not always come to rest."""
    shares = {name: [row.at_rest for row in rows if row.at_rest is not None] for name, rows in taking.items()}
    told = [f"{name} ({_percents(some)})" for name, some in shares.items() if some and min(some) < 1]
    if told:
        yield f"Not every cue comes to rest with {_and(told)}."


def _spread(taking: Mapping[str, Rows]) -> Iterator[str]:
    """Over how many keys the softmax spreads its weight."""
    rows = [row for row in taking.get("softmax", ()) if row.operating_class]
    if len(rows) == 1:
        (row,) = rows
        least = f"{row.least_number:g} of {row.n_keys} keys"
        yield f"Softmax needs {least} (median) for nine tenths of its weight: operating class {row.operating_class}."
    elif rows:
        counts = Counter(str(row.operating_class) for row in rows)
        told = [f"{name} in {counts[name]}" for name in ("I", "II", "III", "IV") if counts[name]]
        yield f"Of {len(rows)} rows of softmax, by what holds nine tenths of its weight, the class is {_and(told)}."


def _attention(taking: Mapping[str, Rows]) -> Iterator[str]:
    """Whether one step is attention."""
    held = [(name, row) for name, rows in taking.items() for row in rows if row.difference is not None]
    if not held:
        return
    names = _and(dict.fromkeys(name for name, _ in held))
    if odd := [row for _, row in held if not row.is_attention]:
        most = max(row.difference or 0.0 for row in odd)
        yield f"One step of {names} differs from attention written apart by up to {most:.1e}: more than rounding."
        return
    bound = ceiling(max(row.bound or 0.0 for _, row in held))
    yield f"One step of {names} is attention: written apart, it gives the same within rounding ({bound})."


def _refused(rows: Rows) -> Iterator[str]:
    """Who could not take part, and why."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.refusal and row.memory not in reasons.setdefault(row.refusal, []):
            reasons[row.refusal].append(row.memory)
    together: dict[tuple[str, ...], list[str]] = {}
    for reason, names in reasons.items():
        together.setdefault(tuple(names), []).append(reason)
    for absent, why in together.items():
        more = "" if len(why) == 1 else "; elsewhere for the like"
        yield f"{_and(absent)} could not take part ({why[0]}{more})."


def ceiling(value: float) -> str:
    """A bound with one digit, rounded up, so that it stays one."""
    if value <= 0:
        return "0"
    exponent = math.floor(math.log10(value))
    digit = math.ceil(value / 10.0**exponent - 1e-9)
    return f"{digit}e{exponent:+03d}" if digit < 10 else f"1e{exponent + 1:+03d}"


def _place(row: Row, axes: Sequence[str]) -> str:
    """Where on the grid, and of which question, a row stands."""
    return ", ".join([*([row.where] if row.where else []), *(f"{name} {row.point[name]:.3g}" for name in axes)])


def _at(row: Row, axes: Sequence[str]) -> str:
    place = _place(row, axes)
    return f" ({place})" if place else ""


def _percent(share: float) -> str:
    if 0 < share < LEVEL or 1 - LEVEL < share < 1:
        return "under 1 %" if share < HALF else "over 99 %"
    return "all" if share == 1 else "none" if share == 0 else f"{100 * share:.0f} %"


def _percents(shares: Sequence[float]) -> str:
    low, high = _percent(min(shares)), _percent(max(shares))
    return low if low == high else f"{low} to {high}"


def _range(numbers: Sequence[float]) -> str:
    low, high = (f"{0.0 if abs(one) < 1e-9 else one:.2g}" for one in (min(numbers), max(numbers)))
    return low if low == high else f"{low} to {high}"


def _and(names: Iterable[str]) -> str:
    every = list(names)
    return every[0] if len(every) == 1 else f"{', '.join(every[:-1])} and {every[-1]}"


def _names(rows: Rows) -> Iterable[str]:
    return dict.fromkeys(row.memory for row in rows)
