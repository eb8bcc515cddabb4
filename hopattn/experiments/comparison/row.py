"""One memory at one point of a comparison, averaged over all trials."""

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import partial
from typing import Any

from hopattn.dynamics.likeness import MATCH
from hopattn.foundation.writing import WRITTEN_AS_0, with_interval


def _plain(row: "Row", value: float) -> str:
    """Three digits; a rounding error is 0."""
    return f"{0.0 if abs(value) < WRITTEN_AS_0 else value:.3g}"


def _with_interval(row: "Row", value: float) -> str:
    return with_interval(value, row.recalled_low, row.recalled_high, partial(_plain, row))


def percent(share: float) -> str:
    """A share in percent; all and none are exact.

    >>> percent(1.0), percent(0.998), percent(0.114), percent(0.002), percent(0.0)
    ('100 %', '>99 %', '11 %', '<1 %', '0 %')
    """
    if 0 < share < 0.005 or 0.995 <= share < 1:
        return "<1 %" if share < 0.5 else ">99 %"
    return f"{100 * share:.0f} %"


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
    The further fields are measures; `MEASURES` has a sentence on each, its `meaning`. recalled_low,
    recalled_high: the ends of the 95 % interval (Wilson) of `recalled`; its unit is the trial, since cues of one draw
    are not independent (None for a single trial). cosine_first: `cosine` after one
    step. cosine_cue: that of the cue with its own key.
    An error is |answer − value| / |value|, with the value of the cue's own key, whatever it is where the recall ends.
    effective_beta: the β that gives unit vectors the same scores, for the first step; from the second step on the state
    is among the keys, and |key| takes the place of |cue|. key_dim: numbers of a key.
    steps: the step that finds the fixed point is counted. distance: a length of a value is the root mean square.
    In one step all neurons change together. The recall of spins with an energy (hopfield, dense, exponential) then
    changes one spin at a time, and a step of it is a sweep over all spins.
    effective_keys: a sink is none of them. free_energy: F of `Memory.free_energy`; a sink counts.
    operating_class: of Ramsauer et al. (2021); not defined below 32 keys. bound: the largest `difference` that
    rounding explains.
    recalled_per_number: recalled · n_keys · dim / parameters, dim being that of a value. It compares memories of unlike
    sizes; one that keeps its patterns, and nothing else, reaches at most 1.
    named: if cues and keys have names, for each cue its name, the key whose value its last answer is nearest
    to, and that cosine.
    """

    memory: str
    where: str = field(metadata={"title": "of"})
    point: Mapping[str, float]
    n_keys: int = field(metadata={"title": "keys"})
    n_cues: int = field(metadata={"title": "cues"})
    trials: int
    refusal: str = ""
    recalled: float | None = _column(
        "recalled",
        f"share of cues that end at their own key, cosine ≥ {MATCH:g}",
        _with_interval,
        "share of cues\nrecalled",
    )
    recalled_low: float | None = None
    recalled_high: float | None = None
    recalled_first: float | None = _column(
        "in one step", "that share after one step, in which all neurons change together"
    )
    cosine: float | None = _column("cosine", "of the last answer with the value of the cue's own key, on average")
    cosine_first: float | None = field(default=None, metadata={"title": "cosine in one step"})
    cosine_cue: float | None = field(default=None, metadata={"title": "cosine of the cue"})
    error_first: float | None = _column(
        "error in one step", "mean distance from the value of the own key, in lengths of it"
    )
    error_second: float | None = _column("error in two steps", "that distance after two steps")
    error_rest: float | None = _column(
        "error at rest", "that distance where the recall ends", axis="error where\nthe recall ends"
    )
    median_first: float | None = _column("median in one step", "that distance after one step, of the median cue")
    median_rest: float | None = _column("median at rest", "that distance where the recall ends, of the median cue")
    nearer: float | None = _column(
        "nearer at rest",
        "share of cues that end nearer than one step takes them",
        axis="share of cues\nnearer at rest",
    )
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
        "share of keys for 90 %: I above 1/2, II above 1/8, III above 1/32, or IV; not defined below 32 keys",
        lambda row, value: value,
        text=True,
    )
    least_number: float | None = _column(
        "keys for 90 %", "fewest keys that hold 90 % of a cue's weight (median)", axis="keys for 90 %\nof the weight"
    )
    entropy: float | None = _column(
        "entropy", "of a cue's weights (nats): 0 for one key, log n for n equal", axis="entropy of the\nweights (nats)"
    )
    effective_keys: float | None = _column("effective keys", "e^entropy of a cue's weights, on average: n for n equal")
    free_energy: float | None = _column("free energy", "U − S/β of the weights at the cue, on average")
    effective_beta: float | None = _column("effective beta", "β · |key| · |cue| of the first step, on average")
    difference: float | None = _column(
        "beside attention",
        "largest difference of one step from independent attention",
        lambda row, value: "rounding" if row.is_attention else f"{value:.1e}",
        text=True,
    )
    bound: float | None = field(default=None, metadata={"title": "rounding"})
    key_dim: int | None = field(default=None, metadata={"title": "dim of a key"})
    parameters: int | None = _column(
        "stored numbers", "of the couplings, or of the patterns kept with their values", lambda row, value: f"{value:,}"
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


TITLES = {one.name: one.metadata.get("title", one.name.replace("_", " ")) for one in fields(Row)} | {
    "is_attention": "is attention"
}
"""The headings of the columns by their names."""

MEASURES = tuple(one for one in fields(Row) if "meaning" in one.metadata)
"""The fields that are columns of the table, in their order."""

PLACES = {
    "of": "the part of the scenario or of the file that keys and cues come from",
    "beta": "inverse temperature; modern, sparse, entmax and normmax alone use it",
}
"""The columns that say where a row was measured, with their meanings."""
