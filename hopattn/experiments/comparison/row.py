"""One memory at one point of a comparison, averaged over all trials."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any

import numpy as np

from hopattn.dynamics.likeness import MATCH
from hopattn.experiments.comparison.measuring import Answers, Measured
from hopattn.foundation.writing import ROUNDING
from hopattn.retrieval.weight_spread import class_of

Point = Mapping[str, float]


def _plain(row: "Row", value: float) -> str:
    """Three digits; a rounding error is 0."""
    return f"{0.0 if abs(value) < ROUNDING else value:.3g}"


def _with_error(row: "Row", value: float) -> str:
    return _plain(row, value) + ("" if row.recalled_error is None else f" ± {row.recalled_error:.2g}")


def _or_rounding(row: "Row", value: float) -> str:
    return "rounding" if row.is_attention else f"{value:.1e}"


def _counted(row: "Row", value: int) -> str:
    return f"{value:,}"


def _column(
    title: str, meaning: str, format: Callable[["Row", Any], str] = _plain, axis: str = "", text: bool = False
) -> Any:
    """A measure of a row, None where it cannot be given.

    title: the heading of its column. meaning: one line below the table. format: writes the value of a row. axis: its
    title in a figure, empty if no figure draws it. text: whether its cells are texts, not numbers.
    """
    about = {"title": title, "meaning": meaning, "format": format, "axis": axis, "text": text}
    return field(default=None, metadata=about)


@dataclass(frozen=True)
class Row:
    """One memory at one point. A number that cannot be given is None, and `notes` says why; a memory that cannot store
    the keys or take the cues has only its `refusal`.

    memory: its name. where: the place of the problem, such as "head 3". point: beta, and the other axes of the grid.
    n_keys: keys of one trial. n_cues: cues of all trials together. trials: independent draws.
    recalled, recalled_first: the fraction of cues that are recalled, at the end and after one step: the answer is
    nearest to the value of the cue's key, with a cosine of at least `MATCH`. recalled_error: the standard error of
    `recalled`, from the differences between trials (None for a single trial). cosine, cosine_first: the mean cosine of
    the answer with the value of the cue's key, at the end and after one step.
    at_rest: the fraction of cues that reached a fixed point. steps, energy_fall, distance: means over these cues: the
    steps to the fixed point (the step that finds it is counted), the fall of the energy, and the distance between the
    answer after one step and the last one, in lengths of a value (root mean square).
    In one step all neurons change together. The recall of spins with an energy (hopfield, dense, exponential) then
    changes one spin at a time, and a step of it is a sweep over all spins.
    operating_class, least_number, entropy: of the weights after the cue: the class of Ramsauer et al. (2021), the least
    number of weights that hold nine tenths (median), and the entropy in nats (mean).
    difference, bound: the largest difference of one step from independent attention, and the largest that rounding
    explains. parameters: the numbers that the memory stores, as `stored_numbers` counts them. recalled_per_number: the
    numbers of the recalled patterns for each of them: recalled · n_keys · dim / parameters, dim being that of a value.
    It compares memories of different sizes; one that keeps its patterns, and nothing else, reaches at most 1.
    named: if cues and keys have names, for each cue its name, the key whose value its last answer is nearest
    to, and that cosine.
    """

    memory: str
    where: str = field(metadata={"title": "of"})
    point: Point
    n_keys: int = field(metadata={"title": "keys"})
    n_cues: int = field(metadata={"title": "cues"})
    trials: int
    refusal: str = ""
    recalled: float | None = _column(
        "recalled",
        f"share of cues that end at their own key, cosine ≥ {MATCH:g}",
        _with_error,
        "share of cues\nrecalled",
    )
    recalled_error: float | None = field(default=None, metadata={"title": "recalled standard error"})
    recalled_first: float | None = _column(
        "in one step", "that share after one step, in which all neurons change together"
    )
    cosine: float | None = _column("cosine", "of the last answer with the value of the cue's own key, on average")
    cosine_first: float | None = field(default=None, metadata={"title": "cosine in one step"})
    at_rest: float | None = _column("at rest", "share of the cues that reached a fixed point")
    steps: float | None = _column(
        "steps", "until the fixed point is confirmed; mean over converged cues", axis="steps to the\nfixed point"
    )
    energy_fall: float | None = _column("energy falls by", "from cue to fixed point; mean over converged cues")
    distance: float | None = _column(
        "one step to end",
        "way from first to last answer, in lengths of a value",
        axis="way from one step\nto the fixed point",
    )
    operating_class: str | None = _column(
        "class",
        "share of keys for 90 %: I above 1/2, II above 1/8, III above 1/32, or IV",
        lambda row, value: value,
        text=True,
    )
    least_number: float | None = _column(
        "keys for 90 %",
        "fewest keys that hold 90 % of a cue's weight (median)",
        axis="keys for 90 %\nof the weight",
    )
    entropy: float | None = _column(
        "entropy",
        "of a cue's weights (nats): 0 for one key, log n for n equal",
        axis="entropy of the\nweights (nats)",
    )
    difference: float | None = _column(
        "beside attention", "largest difference of one step from independent attention", _or_rounding, text=True
    )
    bound: float | None = field(default=None, metadata={"title": "rounding"})
    parameters: int | None = _column(
        "stored numbers", "of the couplings, or of the patterns kept with their values", _counted
    )
    recalled_per_number: float | None = _column(
        "recalled per number", "numbers of recalled patterns for each stored number"
    )
    notes: Mapping[str, str] = field(default_factory=dict)
    named: tuple[tuple[str, str, float], ...] = ()

    @property
    def is_attention(self) -> bool | None:
        """Whether one step is attention up to rounding; None if the memory is not softmax attention."""
        if self.difference is None or self.bound is None:
            return None
        return self.difference <= self.bound

    def cell(self, measure: Field[Any]) -> str:
        """The text of one of the `MEASURES`, a dash for None."""
        value = getattr(self, measure.name)
        return "–" if value is None else str(measure.metadata["format"](self, value))

    def to_dict(self) -> dict[str, Any]:
        """All fields; with the entries of the point among them."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("point", "notes", "named")}
        head = {name: own.pop(name) for name in ("memory", "where")}
        named = [{"cue": cue, "nearest": key, "cosine": cosine} for cue, key, cosine in self.named]
        more = {"is_attention": self.is_attention, "notes": dict(self.notes), "named": named}
        return {**head, **self.point, **own, **more}


TITLES = {one.name: one.metadata["title"] for one in fields(Row) if "title" in one.metadata}
"""The headings of the fields that are not called like their field."""

MEASURES = tuple(one for one in fields(Row) if "meaning" in one.metadata)
"""The fields that are columns of the table, in their order."""

PLACES = {
    "of": "the part of the scenario or of the file that keys and cues come from",
    "beta": "inverse temperature; modern, sparse, entmax and normmax alone use it",
}
"""The columns that say where a row was measured, with their meanings."""


def row_of(memory: str, where: str, point: Point, n_keys: int, trials: Sequence[Measured]) -> Row:
    """The row of a memory from its measurements, one for each trial."""
    notes = dict(item for trial in trials for item in trial.why.items())
    last, error = _averages([trial.last for trial in trials])
    first, _ = _averages([trial.first for trial in trials])
    least = _joined([trial.least for trial in trials])
    parameters, recalled = trials[0].parameters, last.get("recalled")
    if not sum(len(trial.steps) for trial in trials):
        reason = "no cue converged"
        notes |= dict.fromkeys(("steps", "distance"), reason) | {"energy_fall": notes.get("energy_fall", reason)}
    return Row(
        memory=memory,
        where=where,
        point=dict(point),
        n_keys=n_keys,
        n_cues=sum(len(trial.at_rest) for trial in trials),
        trials=len(trials),
        recalled=recalled,
        recalled_error=error,
        recalled_first=first.get("recalled"),
        cosine=last.get("cosine"),
        cosine_first=first.get("cosine"),
        at_rest=_mean([trial.at_rest for trial in trials]),
        steps=_mean([trial.steps for trial in trials]),
        energy_fall=_mean([trial.fall for trial in trials]),
        distance=_mean([trial.distance for trial in trials]),
        operating_class=_operating_class(least, np.concatenate([trial.visible for trial in trials])),
        least_number=None if least is None or not least.size else float(np.median(least)),
        entropy=_mean([trial.entropy for trial in trials]),
        difference=_largest([trial.difference.largest for trial in trials]),
        bound=_largest([trial.difference.bound for trial in trials]),
        parameters=parameters,
        recalled_per_number=recalled * trials[0].entries / parameters if recalled is not None and parameters else None,
        notes=notes,
        named=trials[0].named,
    )


def _averages(answers: Sequence[Answers]) -> tuple[dict[str, float | None], float | None]:
    """The means over all cues, by name; and the standard error of `recalled`, from the fractions of the trials."""
    if not all(len(one.recalled) for one in answers):
        return {}, None
    by_trial = [float(one.recalled.mean()) for one in answers]
    error = float(np.std(by_trial, ddof=1) / len(by_trial) ** 0.5) if len(by_trial) > 1 else None
    means = {name: _mean([getattr(one, name) for one in answers]) for name in ("recalled", "cosine")}
    return means, error


def _joined(parts: Sequence[np.ndarray | None]) -> np.ndarray | None:
    """The arrays of all trials, joined; None if one is missing."""
    present = [part for part in parts if part is not None]
    return np.concatenate(present) if len(present) == len(parts) else None


def _mean(parts: Sequence[np.ndarray | None]) -> float | None:
    """The mean over all trials; None if there are no numbers, or if the mean overflows."""
    numbers = _joined(parts)
    if numbers is None or not numbers.size:
        return None
    with np.errstate(all="ignore"):
        mean = float(np.mean(numbers))
    return mean if np.isfinite(mean) else None


def _operating_class(least: np.ndarray | None, visible: np.ndarray) -> str | None:
    return None if least is None or not least.size else str(class_of(least, visible))


def _largest(numbers: Sequence[float | None]) -> float | None:
    present = [number for number in numbers if number is not None]
    return max(present) if present else None
