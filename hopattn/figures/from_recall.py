"""A recall as a result, so that the figures of scenarios draw recalls from anywhere."""

from typing import Any

import numpy as np

from hopattn.dynamics.record import Recall
from hopattn.scenario.language.array_layout import ArraySpec
from hopattn.scenario.result import Result, Run


def recall_as_result(record: Recall, title: str = "") -> Result:
    """A recall as the result of one run; cues and patterns have their numbers, from 0 as in the record, as labels.

    It has the energies by step if the memory has an energy. If the recall was run with `keep=["overlaps"]`, it has the
    overlaps of each cue with each pattern by step, and its start and end: its overlaps with the pattern that is nearest
    to the cue.
    """
    matched = np.atleast_1d(record.matched)
    cue = _numbered("cue", len(matched))
    values: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "status": (np.atleast_1d(record.status), (cue,)),
        "steps": (np.atleast_1d(record.steps), (cue,)),
        "recalled": (matched >= 0, (cue,)),
    }
    if record.energies is not None:
        energies = np.atleast_2d(record.energies)
        values["energy"] = (energies, (cue, _numbered("step", energies.shape[1])))
    if record.overlaps is not None and record.overlaps.shape[-1]:
        values |= _of_overlaps(record, matched, cue)
    arrays = {name: ArraySpec(name, axes).labelled(array) for name, (array, axes) in values.items()}
    return Result("recall", title, "", None, "recall", 0, "", (Run("", arrays),), ())


def _of_overlaps(record: Recall, matched: np.ndarray, cue: Any) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """The arrays of a recall whose overlaps by step were kept, each with its axes."""
    overlaps = record.overlaps[:, None] if record.state.ndim == 1 else record.overlaps
    course = overlaps.swapaxes(0, 1)
    n_cues, n_steps, n_patterns = course.shape
    own, cues = np.argmax(course[:, 0], axis=-1), np.arange(n_cues)
    return {
        "course": (course, (cue, _numbered("step", n_steps), _numbered("pattern", n_patterns))),
        "start": (course[cues, 0, own], (cue,)),
        "overlaps": (course[cues, -1, own], (cue,)),
        "recalled": (matched == own, (cue,)),
    }


def _numbered(name: str, count: int) -> tuple[str, tuple[str, ...]]:
    """An axis whose labels are numbers, from 0."""
    return name, tuple(map(str, range(count)))
