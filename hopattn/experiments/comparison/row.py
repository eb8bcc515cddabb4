"""What a memory came to at one point of a comparison, over all trials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from hopattn.experiments.comparison.measuring import Answers, Measured
from hopattn.retrieval.weight_spread import class_of

Point = Mapping[str, float]


@dataclass(frozen=True)
class Row:
    """One memory at one point. What cannot be told is None, and `notes` says why; a memory that cannot store the keys
    or take the cues has its `refusal`, and nothing else.

    memory, where: its name; the place of the question, such as "head 3". point: beta, and what else the grid runs over.
    n_keys, n_cues, trials: how many (keys: of one draw; cues: of all draws together).
    recalled, recalled_first: the share of cues whose answer at the end, and after one step, is what belongs to their
    key: none is nearer, and the cosine is at least `MATCH`; cosine, cosine_first: with what belongs to
    it, on average. recalled_error: the standard error of `recalled`, from how the draws differ (None for a single one).
    at_rest: the share of cues that came to a fixed point. steps, energy_fall, distance: of those, on average: steps to
    the fixed point (the one that found it included), by how much the energy fell, and how far the answer after one step
    lies from that at the end, in lengths of a value (root mean square).
    One step moves all neurons together; the spins of classical, dense and exponential are then recalled one by one, and
    a step of that is a sweep over all.
    least_number, operating_class, entropy: of the weights after the cue: how few hold nine tenths (median), the class
    of Ramsauer et al. (2021), and the entropy in nats (mean).
    difference, bound: the largest difference of one step from an attention that is written apart, and the largest that
    rounding explains. named: where cues and keys have names, each cue, the key whose value its answer at the end is
    most like, and that cosine.
    """

    memory: str
    where: str
    point: Point
    n_keys: int
    n_cues: int
    trials: int
    refusal: str = ""
    recalled: float | None = None
    recalled_error: float | None = None
    recalled_first: float | None = None
    cosine: float | None = None
    cosine_first: float | None = None
    at_rest: float | None = None
    steps: float | None = None
    energy_fall: float | None = None
    distance: float | None = None
    operating_class: str | None = None
    least_number: float | None = None
    entropy: float | None = None
    difference: float | None = None
    bound: float | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    named: tuple[tuple[str, str, float], ...] = ()

    @property
    def is_attention(self) -> bool | None:
        """Whether one step is attention up to rounding; None where the memory is not softmax attention."""
        if self.difference is None or self.bound is None:
            return None
        return self.difference <= self.bound

    def to_dict(self) -> dict[str, Any]:
        """Its fields; those of the point beside the others."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("point", "notes", "named")}
        head = {name: own.pop(name) for name in ("memory", "where")}
        named = [{"cue": cue, "nearest": key, "cosine": cosine} for cue, key, cosine in self.named]
        more = {"is_attention": self.is_attention, "notes": dict(self.notes), "named": named}
        return {**head, **self.point, **own, **more}


def row_of(memory: str, where: str, point: Point, n_keys: int, found: Sequence[Measured]) -> Row:
    """One row of what a memory did in each trial."""
    notes = dict(item for one in found for item in one.why.items())
    shares, errors = _averaged([one.last for one in found])
    first, _ = _averaged([one.first for one in found])
    least = _joined([one.least for one in found])
    n_cues = sum(len(one.at_rest) for one in found)
    if not sum(len(one.steps) for one in found):
        nowhere = "no cue came to rest"
        notes |= dict.fromkeys(("steps", "distance"), nowhere) | {"energy_fall": notes.get("energy_fall", nowhere)}
    return Row(
        *(memory, where, dict(point), n_keys, n_cues, len(found)),
        recalled=shares.get("recalled"),
        recalled_error=errors,
        recalled_first=first.get("recalled"),
        cosine=shares.get("cosine"),
        cosine_first=first.get("cosine"),
        at_rest=_mean([one.at_rest for one in found]),
        operating_class=_class(least, np.concatenate([one.seen for one in found])),
        least_number=None if least is None or not least.size else float(np.median(least)),
        difference=_largest([one.difference for one in found]),
        bound=_largest([one.bound for one in found]),
        steps=_mean([one.steps for one in found]),
        energy_fall=_mean([one.fall for one in found]),
        distance=_mean([one.distance for one in found]),
        entropy=_mean([one.entropy for one in found]),
        notes=notes,
        named=found[0].named,
    )


def _averaged(answers: Sequence[Answers]) -> tuple[dict[str, float | None], float | None]:
    """Means over all cues; the standard error of what is recalled, from the spread of the trials' shares."""
    if not all(len(one.recalled) for one in answers):
        return {}, None
    by_trial = [float(one.recalled.mean()) for one in answers]
    error = float(np.std(by_trial, ddof=1) / len(by_trial) ** 0.5) if len(by_trial) > 1 else None
    names = {name: _mean([getattr(one, name) for one in answers]) for name in ("recalled", "cosine")}
    return names, error


def _joined(parts: Sequence[np.ndarray | None]) -> np.ndarray | None:
    """The parts together; None where one of them is not there."""
    there = [part for part in parts if part is not None]
    return np.concatenate(there) if len(there) == len(parts) else None


def _mean(parts: Sequence[np.ndarray | None]) -> float | None:
    """The mean of all; None where there are none, or it is beyond the numbers."""
    every = _joined(parts)
    if every is None or not every.size:
        return None
    with np.errstate(all="ignore"):
        mean = float(np.mean(every))
    return mean if np.isfinite(mean) else None


def _class(least: np.ndarray | None, seen: np.ndarray) -> str | None:
    return None if least is None or not least.size else str(class_of(least, seen))


def _largest(numbers: Sequence[float | None]) -> float | None:
    there = [number for number in numbers if number is not None]
    return max(there) if there else None
