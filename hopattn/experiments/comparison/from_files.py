"""Queries, keys and values that were saved from any model, or patterns alone, from the user's files."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.experiments.comparison.problem import Question, asked
from hopattn.foundation.array_files import mapped, named
from hopattn.foundation.array_files import names_in as names_in_safetensors
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.retrieval.masks import mask_rules
from hopattn.scenario.words.picture_files import names_in, numbers

ENDINGS = (".npy", ".npz", ".csv", ".safetensors")
SPELLINGS = {
    "queries": ("q", "query", "queries"),
    "keys": ("k", "key", "keys"),
    "values": ("v", "value", "values"),
}
PATTERNS = ("patterns", "keys", "vectors")
MOST_AXES = 4


def is_file_of_arrays(path: str) -> bool:
    """Whether a path ends as files of arrays do."""
    return path.lower().endswith(ENDINGS)


def holds_heads(file: Path) -> bool:
    """Whether a file has queries; else it holds patterns."""
    return any(name.lower() in SPELLINGS["queries"] for name in _names(file))


def patterns_of(file: Path) -> np.ndarray:
    """The patterns of a file, `(n_patterns, dim)`; pictures `(n, rows, columns)` are laid out row by row.

    A file with several arrays must call it patterns, keys or vectors. Raises `InvalidInput` for a file that cannot be
    read, one without patterns, and a single vector.
    """
    names = _names(file)
    name = next((name for name in names if name.lower() in PATTERNS), None)
    if len(names) > 1 and name is None:
        told = ", ".join(map(shortened, names[:20]))
        raise InvalidInput(f"{named(file)} holds {told}; expected q, k and v of heads, or one array called patterns")
    found = _array(file, name)
    if found.ndim not in (2, 3) or 0 in found.shape:
        raise InvalidInput(f"{named(file)} holds an array of shape {found.shape}; expected patterns, one a row")
    return found.reshape(len(found), -1)


def heads_of(file: Path, mask: str = "none") -> list[Question]:
    """The heads of a file with queries, keys and values, each a question of its own.

    Each array is called as in `SPELLINGS`, in capitals or not, and is `(n, dim)`, `(heads, n, dim)` or `(batch, heads,
    n, dim)`; fewer heads of keys and values are shared by the queries' heads in turn, as in grouped attention. mask:
    the name of a rule, such as "causal"; of fewer queries than keys, the queries are the last. Raises `InvalidInput`
    for arrays that are missing or do not fit, naming them.
    """
    rule = mask_rules.make(mask)
    names = _names(file)
    found = {what: _array(file, _spelled(file, what, names)) for what in SPELLINGS}
    for what, array in found.items():
        if not 2 <= array.ndim <= MOST_AXES or 0 in array.shape:
            raise InvalidInput(f"{named(file)}: {what}: shape {array.shape}; expected (…, n, dim) of at most 4 axes")
    queries, keys, values = (_four_axes(found[what]) for what in SPELLINGS)
    shapes = ", ".join(f"{what} {array.shape}" for what, array in found.items())
    share = _share(queries, keys)
    if keys.shape[:2] != values.shape[:2] or share is None:
        raise InvalidInput(f"{named(file)}: the batches or the heads do not fit one another: {shapes}")
    made = []
    for where, i, j in _places(found["queries"].ndim, queries.shape):
        try:
            made.append(asked(keys[i, j // share], queries[i, j], values[i, j // share], mask=rule, where=where))
        except InvalidInput as error:
            raise InvalidInput(f"{named(file)}: {where + ': ' if where else ''}{error}") from None
    return made


def _places(axes: int, shape: Sequence[int]) -> Iterator[tuple[str, int, int]]:
    """What each head is called, and where it lies; counted from 1, as layers and heads of a scenario are."""
    for i in range(shape[0]):
        for j in range(shape[1]):
            names = [f"text {i + 1}"] * (axes == MOST_AXES) + [f"head {j + 1}"] * (axes > 2)
            yield " ".join(names), i, j


def _share(queries: np.ndarray, keys: np.ndarray) -> int | None:
    """How many heads of queries share one of keys, or None where they do not fit."""
    same = queries.shape[0] == keys.shape[0] and queries.shape[1] % keys.shape[1] == 0
    return queries.shape[1] // keys.shape[1] if same else None


def _four_axes(array: np.ndarray) -> np.ndarray:
    return array[(None,) * (MOST_AXES - array.ndim)]


def _spelled(file: Path, what: str, names: Sequence[str]) -> str:
    found = [name for name in names if name.lower() in SPELLINGS[what]]
    if len(found) != 1:
        told = f"{len(found)} arrays" if found else "no array"
        there = ", ".join(map(shortened, names[:20])) or "nothing"
        raise InvalidInput(f"{named(file)} has {told} called {' or '.join(SPELLINGS[what])}; it holds {there}")
    return found[0]


def _names(file: Path) -> list[str]:
    """The names of the arrays of a file; of one that has no names, none."""
    ending = file.suffix.lower()
    if ending == ".safetensors":
        return names_in_safetensors(file)
    return names_in(file) if ending == ".npz" else []


def _array(file: Path, name: str | None) -> np.ndarray:
    if file.suffix.lower() != ".safetensors":
        return numbers(file, name, MOST_AXES)
    found: Any = mapped(file, name)
    return np.asarray(found)
