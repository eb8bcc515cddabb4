"""The state that the page starts from: a scenario in its own view, and shipped scenarios in the others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.sentences import say
from hopattn.scenario.kinds.attention import Attention
from hopattn.scenario.loading import Scenario, load_scenario
from hopattn.scenario.result import Run
from hopattn.scenario.running import run
from hopattn.views.explorer.attention_start import attention_state, induction_state

DEFAULTS = {"attention": "bank", "energy": "landscape", "spins": "hopfield", "induction": "induction"}
"""The shipped scenario of each view."""

PRESETS = 12
"""The largest number of presets of a view."""


ROWS = 16
"""The number of words, the last ones of a text, whose results are among the numbers that the page must reach."""


@dataclass(frozen=True)
class Start:
    """A scenario, or given weights, in a view of the page.

    where: the place of what is shown, for messages. about: its name, title, source and note, and what else the view
    needs and never changes. view: one of `DEFAULTS`, or "weights". presets: the runs and cues of the scenario by name,
    each the state of the view, the first as written. expected: for each preset, the numbers of NumPy that the page must
    reach. left_out: the runs that the view cannot show, each with the reason.
    """

    where: str
    about: dict[str, Any]
    view: str
    presets: dict[str, dict[str, Any]]
    expected: dict[str, dict[str, Any]]
    left_out: tuple[str, ...] = ()

    @property
    def data(self) -> dict[str, Any]:
        """The JSON of the page: where the view comes from, and its presets."""
        return self.about | {"presets": [[name, state] for name, state in self.presets.items()]}


def started(scenario: Scenario) -> Start:
    """A scenario in its view; raises `InvalidInput` where no view can show it as written."""
    presets: dict[str, dict[str, Any]] = {}
    expected: dict[str, dict[str, Any]] = {}
    view, left_out = "", []
    for i, each in enumerate(run(scenario).runs):
        try:
            for name, own_view, state, numbers in _states(scenario, each, i):
                view = view or own_view
                if own_view == view and len(presets) < PRESETS:
                    presets[name], expected[name] = state, numbers
        except InvalidInput as error:
            if not presets:
                raise InvalidInput(f"{scenario.where}: cannot be explored: {error}") from None
            left_out.append(f"variant '{each.name}' is left out: {error}")
    spec = scenario.spec
    about = {"name": scenario.name, "title": spec.title, "source": spec.source or "", "note": spec.note or ""}
    return Start(scenario.where, about, view, presets, expected, tuple(left_out))


def has_view(scenario: Scenario, first: Run) -> bool:
    """Whether a view can show a scenario as written; first: its first run."""
    try:
        return any(True for _ in _states(scenario, first, 0))
    except InvalidInput:
        return False


def gives_weights(scenario: Scenario) -> bool:
    """Whether a scenario has heads whose weights, scores or values are printed, so that only the weights view fits."""
    heads = [head for one in scenario.spec.layer for head in one.head] if isinstance(scenario.spec, Attention) else []
    return any(head.weights or head.scores or head.wordless for head in heads)


def is_explorable(scenario: Scenario, first: Run) -> bool:
    """Whether a scenario has a page of its own; first: its first run."""
    return gives_weights(scenario) or has_view(scenario, first)


def all_started(scenario: Scenario) -> dict[str, Start]:
    """The start of every view, the scenario's own first."""
    own = started(scenario)
    others = {view: started(load_scenario(name)) for view, name in DEFAULTS.items() if view != own.view}
    return {own.view: own} | others


def _states(scenario: Scenario, each: Run, i: int) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """The presets of run i: name, view, state, and the numbers that the page must reach."""
    spec, names = scenario.runs[each.name], scenario.spec.figure.names
    title = names[i] if i < len(names) else each.name or say("as written")
    arrays = {name: array.values for name, array in each.arrays.items()}
    if isinstance(spec, Attention) and each.name in [table.run for table in scenario.spec.tables_without]:
        raise InvalidInput("the page takes no token away")
    if isinstance(spec, Attention) and spec.positions is None:
        state = attention_state(spec)
        yield title, "attention", state, {"state": arrays[f"layer {state['steps']} state"][-ROWS:].tolist()}
    elif isinstance(spec, Attention):
        yield title, "induction", induction_state(spec), {"expected": _expected_words(spec, arrays)}
    elif spec.kind == "memory":
        from hopattn.views.explorer.memory_start import memory_state  # imported here, so that a run starts fast

        memory: Any = spec
        for row, cue in enumerate(memory.tokens if i == 0 else memory.tokens[:1]):
            view, state = memory_state(memory, arrays["input"][row])
            yield cue if i == 0 else f"{title}: {cue}", view, state, _recalled(arrays, row, state)
    else:
        raise InvalidInput(f"kind '{spec.kind}' has no view; the page shows the kinds 'attention' and 'memory'")


def _expected_words(spec: Attention, arrays: Mapping[str, np.ndarray]) -> list[list[float]]:
    """The part "expected" of the last state, one column for each word of the text, in the order of its first place."""
    listed = spec.spaces["word"]
    columns = [listed.index(word) for word in dict.fromkeys(spec.input.tokens)] if isinstance(listed, list) else []
    part = arrays["layer 2 state"][:, spec.encoding.parts["expected"]]
    return [[float(row[column]) for column in columns] for row in part]


def _recalled(arrays: Mapping[str, np.ndarray], row: int, state: Mapping[str, Any]) -> dict[str, Any]:
    """The energies at both ends of a recall and its last state, unless that is drawn at random."""
    numbers: dict[str, Any] = {}
    by_chance = state.get("update") == "random" or state.get("temperature", 0) > 0
    if not by_chance:
        numbers["state"] = arrays["state"][row].tolist()
    if "energy" in arrays:
        numbers["energies"] = arrays["energy"][row, [0] if by_chance else [0, -1]].tolist()
    return numbers
