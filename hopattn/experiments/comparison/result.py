"""The result of a comparison: one row for each memory at each point, as table, JSON and CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hopattn.experiments.comparison.row import TITLES, Row, percent
from hopattn.results.dataset import VERSIONS, Dataset

MATTERS = 0.1
"""A change of the share that is recalled, from one step to the fixed point, that is worth a sentence."""
SEEN = 1e-6
"""The part of an error by which another one differs from it by more than rounding."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Dataset):
    """All rows of a comparison.

    Attributes
    ----------
    about : the subject of the comparison, in words.
    axes : the names of the grid's axes.
    seed : of the random numbers.
    referees : the independent attentions that softmax was compared with.
    """

    about: str
    rows: tuple[Row, ...]
    axes: tuple[str, ...]
    seed: int
    referees: tuple[str, ...]
    _titles: ClassVar[Mapping[str, str]] = TITLES

    def __repr__(self) -> str:
        over = f", over {', '.join(self.axes)}" if self.axes else ""
        return f"Comparison({self.about}: {', '.join(self.memories)}{over}, {len(self.rows)} rows, seed {self.seed})"

    @property
    def memories(self) -> tuple[str, ...]:
        """The names of the memories, in their order."""
        return tuple(dict.fromkeys(row.memory for row in self.rows))

    @property
    def _index(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("memory", "where", *self.axes)

    def table(self) -> list[dict[str, Any]]:
        """One dictionary for each row."""
        return [row.to_dict() for row in self.rows]

    def _cells(self) -> tuple[list[str], list[list[Any]]]:
        names, rows = super()._cells()
        named = ["; ".join(f"{cue}: {key}" for cue, key, _ in row.named) for row in self.rows]
        return names, [[*row[:-1], text] for row, text in zip(rows, named, strict=True)]

    def _attributes(self) -> Mapping[str, Any]:
        about = {"about": self.about, "axes": list(self.axes), "seed": self.seed, "referees": list(self.referees)}
        return {**about, "words": self.words(), "versions": VERSIONS}

    def words(self) -> str:
        """Sentences: what iterating does to the share recalled and to the error, whether one step is attention, which
        memories could not take part.
        """
        iterating = _iterating(self.rows, self.axes), _one_or_many(self.rows, self.axes)
        return " ".join(filter(None, (*iterating, _attention(self.rows), _refusals(self.rows))))


def _iterating(rows: Sequence[Row], axes: Sequence[str]) -> str:
    """Where further steps recall fewer cues than one step, or else more; empty where they change little.

    Of each memory the row of the largest change is named, and of several memories the two that change most.
    """
    changes = [
        (row.recalled - row.recalled_first, row)
        for row in rows
        if row.recalled is not None and row.recalled_first is not None
    ]
    for sign, words in ((-1, "Iterating can hurt"), (1, "Iterating helps")):
        largest = {row.memory: row for change, row in sorted(changes, key=lambda one: sign * one[0]) if change}
        own = [row for row in largest.values() if sign * _change(row) >= MATTERS]
        if own:
            first, *others = sorted(own, key=_change, reverse=sign > 0)[:2]
            told = f"after one step {first.memory} recalls {_share(first.recalled_first)} of the cues, "
            told += f"at the fixed point {_share(first.recalled)}{_point(first, axes)}"
            further = (
                f"; {row.memory} {_share(row.recalled_first)}, then {_share(row.recalled)}{_point(row, axes)}"
                for row in others
            )
            return f"{words}: {told}{''.join(further)}."
    return ""


def _change(row: Row) -> float:
    """The share that the fixed point recalls beyond one step."""
    return (row.recalled or 0.0) - (row.recalled_first or 0.0)


def _one_or_many(rows: Sequence[Row], axes: Sequence[str]) -> str:
    """Whether one step or the end of the recall is nearer to the target, for the mean cue and for most cues.

    Of the rows of softmax, or of all without one, the row is named in which the errors differ most; one in which the
    mean cue and most cues differ comes first. Empty if no errors differ by more than rounding.
    """
    known = [(row.error_first, row.error_rest, row.nearer, row) for row in rows]
    moved = [
        (first - rest, share, row)
        for first, rest, share, row in known
        if first is not None and rest is not None and share is not None and abs(first - rest) > SEEN * max(first, rest)
    ]
    own = [one for one in moved if one[-1].difference is not None] or [one for one in moved if one[-1].at_rest]
    if not own:
        return ""
    gain, share, row = max(own, key=lambda one: (_differ(*one[:2]), abs(one[0])))
    end, fixed = ("at rest", "the fixed point") if row.at_rest == 1 else ("at the end", "the last state")
    errors = f"({row.error_first:.3g} against {row.error_rest:.3g} {end}"
    if gain > 0:
        errors = f"({row.error_rest:.3g} against {row.error_first:.3g} after one step"
    best = f"{fixed[:1].upper()}{fixed[1:]}" if gain > 0 else "One step"
    most = ", and" if gain > 0 else f"; {fixed} is nearer"
    told = f"{best} of {row.memory} is nearer to the target on average {errors}{_point(row, axes, ', {}')}){most} for "
    return f"{told}{_share(share)} of the cues{': mean and median differ' * _differ(gain, share)}."


def _differ(gain: float, share: float) -> bool:
    """Whether the mean cue gains by further steps and the median cue does not, or the reverse."""
    return share > 0.5 if gain < 0 else share < 0.5


def _share(share: float | None) -> str:
    return "all" if share == 1 else "none" if not share else percent(share)


def _point(row: Row, axes: Sequence[str], form: str = " ({})") -> str:
    """The place and the point of a row, in a form; empty where there is only one of both."""
    parts = [row.where] if row.where else []
    parts += [f"{'β' if name == 'beta' else name} = {row.point[name]:.3g}" for name in axes]
    return form.format(", ".join(parts)) if parts else ""


def _attention(rows: Sequence[Row]) -> str:
    """Whether one step of softmax is attention; empty if no softmax took part."""
    compared = [row for row in rows if row.difference is not None]
    untold = [row for row in rows if "difference" in row.notes]
    if different := [row for row in compared if not row.is_attention]:
        most = max(row.difference or 0.0 for row in different)
        return (
            f"One step of {_names(different)} differs from attention by up to {most:.1e}, which is more than rounding."
        )
    if compared:
        every = len(compared) + len(untold)
        left = f"; {len(untold)} of {every} rows cannot be compared: {untold[0].notes['difference']}" if untold else ""
        return f"One step of {_names(compared)} is attention, up to rounding{left}."
    return (
        f"One step of {_names(untold)} cannot be compared with attention: {untold[0].notes['difference']}."
        if untold
        else ""
    )


def _refusals(rows: Sequence[Row]) -> str:
    """The memories that could not take part, each with its first reason; empty if all could."""
    alike: dict[str, list[Row]] = {}
    for name in dict.fromkeys(row.memory for row in rows):
        own = [row for row in rows if row.memory == name]
        if refused := [row for row in own if row.refusal]:
            where = "" if len(refused) == len(own) else f" in {len(refused)} of {len(own)} rows"
            alike.setdefault(f"{where} ({refused[0].refusal})", []).append(refused[0])
    groups = [f"{_names(refused)} could not take part{why}" for why, refused in alike.items()]
    return f"{'; '.join(groups)}." if groups else ""


def _names(rows: Sequence[Row]) -> str:
    """The names of the memories of rows."""
    return " and ".join(dict.fromkeys(row.memory for row in rows))
