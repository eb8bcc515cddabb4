"""Given weights of attention, as the page holds them: of the heads of any model, from an array or a file."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.experiments.comparison.from_files import head_arrays, heads_of
from hopattn.figures.as_result import weights_as_result
from hopattn.figures.text import unnumbered
from hopattn.foundation.array_files import MAX_NUMBERS, array_of, chosen_in, named, names_in, numbers, numbers_below
from hopattn.foundation.checks import path_of
from hopattn.foundation.endings import is_of_numbers
from hopattn.foundation.errors import InvalidInput, in_file, listed
from hopattn.foundation.sentences import say
from hopattn.memories.memory import Memory
from hopattn.results.labelled import Labelled
from hopattn.retrieval.weight_spread import entropy
from hopattn.scenario.loading import Scenario
from hopattn.scenario.running import run
from hopattn.views.explorer.controls import require_names, require_size
from hopattn.views.explorer.start import Start

WEIGHTS = ("weights", "attention", "attentions", "attn")
"""The accepted names of an array of weights, in lower case."""
TOKENS = "tokens"
"""The name of the words in a .npz."""
NO_MASK = "mask: goes with queries, keys and values; of weights, give a masked array"


def is_weights(given: Any) -> bool:
    """Whether something is an array of weights, or the path of a file of arrays; else it is a scenario."""
    if isinstance(given, str | os.PathLike):
        return is_of_numbers(os.fspath(given))
    return not isinstance(given, Scenario)


def weights_started(given: Any, tokens: Any = None, mask: Any = None, array: str | None = None) -> Start:
    """The weights view of an array of weights, or of a file of weights or of queries, keys and values.

    tokens, mask, array: as for `explore`. Raises `InvalidInput` as `explore` does.
    """
    if not isinstance(given, str | os.PathLike):
        if array is not None:
            raise InvalidInput("array: names one of a file; give the weights themselves")
        if mask is not None:
            raise InvalidInput(NO_MASK)
        about = {"name": "weights", "source": say("from an array"), "note": ""}
        return _started(weights_as_result(given, tokens).runs[0].arrays, about, [])
    file = path_of(given, "file")
    with in_file(named(file)):
        return _started_of_file(file, tokens, mask, array)


def _started_of_file(file: Path, tokens: Any, mask: Any, array: str | None) -> Start:
    """The weights view of a file."""
    if tokens is None and file.suffix.lower() == ".npz" and TOKENS in names_in(file):
        tokens = array_of(file, TOKENS).tolist()
    names: list[str] = []
    if head := head_arrays(file, array):
        weights, names = _of_heads(file, head, mask)
    elif mask is not None:
        raise InvalidInput(NO_MASK)
    else:
        weights = _of_file(file, array)
    about = {"name": file.stem, "source": say("from {}", named(file)), "note": ""}
    return _started(weights_as_result(weights, tokens).runs[0].arrays, about, names)


def given_weights_started(scenario: Scenario) -> Start:
    """The weights view of a scenario: the heads of all variants with the words of the first one."""
    runs = run(scenario).runs
    words = [{array.labels for name, array in each.arrays.items() if name.endswith("weights")} for each in runs]
    shown = [each for each, own in zip(runs, words, strict=True) if own == words[0]]
    arrays = {
        f"{each.name}: {name}" if each.name else name: array for each in shown for name, array in each.arrays.items()
    }
    names = [name.removesuffix(" weights") for name in arrays if name.endswith("weights")]
    spec = scenario.spec
    about = {"name": scenario.name, "title": spec.title, "source": spec.source, "note": spec.note or ""}
    left_out = [f"variant '{each.name}' is left out: its words are others" for each in runs if each not in shown]
    return replace(_started(arrays, about, names), where=scenario.where, left_out=tuple(left_out))


def _started(arrays: Mapping[str, Labelled], about: dict[str, Any], names: list[str]) -> Start:
    """The view of the weights among arrays; names: of the heads, their numbers if there are none."""
    weights = [array for name, array in arrays.items() if name.endswith("weights")]
    masks = [array.values for name, array in arrays.items() if name.endswith("mask")]
    rows, columns = ([*unnumbered(labels)] for labels in weights[0].labels)
    _require_few(len(rows), len(columns))
    require_names([*rows, *columns], "tokens")
    four_digits = np.vectorize(lambda p: float(f"{p:.4g}") + 0.0, otypes=[float])  # the page holds and measures these
    heads = [four_digits(head.values) for head in weights]
    held = [np.ma.MaskedArray(head, ~mask) for head, mask in zip(heads, masks, strict=True)] if masks else heads
    own = [name.removesuffix(" weights") for name in arrays if name.endswith(" weights")]
    if all(name.startswith("layer 1 ") for name in own):
        own = [name.removeprefix("layer 1 ") for name in own]
    title = say(f"{{}} head{'s' * (len(heads) > 1)} of attention", len(heads))
    about = {
        "title": title,
        **about,
        "names": names or own,
        "queries": rows,
        "keys": columns,
        "heads": [head.tolist() for head in held],
    }
    state = {"head": 0, "query": len(rows) - 1, "key": int(np.abs(heads[0][-1]).argmax()), "sort": 0}
    return Start(about["name"], about, "weights", {"as given": state}, {"as given": {"measures": measures(heads)}})


def measures(heads: Iterable[np.ndarray]) -> list[list[float]]:
    """For each head `(n, m)`, averages over its queries: the entropy of |p| in nats, and the weight on the first key.

    Where n = m > 1, also the weight on the word before, from the second query on, and on the word itself.
    """
    return [
        [float(entropy(np.abs(head)).mean()), float(head[:, 0].mean())]
        + [float(np.diagonal(head, k).mean()) for k in (-1, 0) if len(head) == head.shape[1] > 1]
        for head in heads
    ]


def _of_heads(file: Path, head: Sequence[str], mask: Any) -> tuple[np.ma.MaskedArray, list[str]]:
    """The weights of softmax attention of each head of a file, and the names of the heads."""
    problems = heads_of(file, head, mask or "none", lambda sizes: _require_few(sizes[0].n_cues, sizes[0].n_keys))
    if any(problem.left_out for problem in problems):
        raise InvalidInput(f"mask: '{mask}' leaves a query of {named(file)} without a key")
    seen = [np.ones((len(one.cues), len(one.keys)), bool) if one.mask is None else one.mask for one in problems]
    weights = [Memory(one.keys, beta=one.keys.shape[1] ** -0.5).weights(one.cues, one.mask) for one in problems]
    return np.ma.MaskedArray(weights, ~np.array(seen)), [one.where or "head 1" for one in problems]


def _require_few(n_queries: int, n_keys: int) -> None:
    """Raise `InvalidInput` for more queries or keys than the page takes."""
    require_size("tokens", n_queries, "weights: queries")
    require_size("tokens", n_keys, "weights: keys")


def _of_file(file: Path, array: str | None) -> Any:
    """The weights in a file: its only array, the one that is called so, or arrays of one shape, one for each layer."""
    names = chosen_in(file, array, WEIGHTS)
    if len(names) == 1:
        return numbers(file, names[0], most_axes=5)
    layers = numbers_below(file, "", 4, MAX_NUMBERS)
    if len({layer.shape for layer in layers.values()}) > 1:
        expected = "expected one array called weights, arrays of one shape for the layers, or q, k and v of heads"
        raise InvalidInput(f"{named(file)} holds {listed(layers)}; {expected}; `--array NAME` chooses one")
    return list(layers.values())
