"""Files of numbers: `.npy`, `.npz`, `.safetensors` and tables of text; the ending of a file's name says which it is.

A file has one meaning, whoever reads it: whole numbers are numbers, true is 1 and false 0, as NumPy converts them. Of
several arrays, those of one shape are patterns, one each; q, k and v alone are the heads of attention.
"""

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hopattn.foundation.array_headers import (
    MOST_AXES,
    StoredArray,
    array_in_npy,
    arrays_in_npz,
    arrays_in_safetensors,
    opened_once,
)
from hopattn.foundation.array_headers import named as named
from hopattn.foundation.array_headers import opened as opened
from hopattn.foundation.array_headers import require_file as require_file
from hopattn.foundation.checks import path_of, require_room
from hopattn.foundation.endings import ENDINGS, MAPPED, NAMED, TABLES, foreign
from hopattn.foundation.errors import InvalidInput, listed, shortened, unknown
from hopattn.foundation.tables import MAX_NUMBERS as MAX_NUMBERS
from hopattn.foundation.tables import numbers_in_table

_FORMATS = {".npy": array_in_npy, ".npz": arrays_in_npz, ".safetensors": arrays_in_safetensors}
"""The formats with a header, by the ending of a file: its arrays by their names."""
HEADS = {"queries": ("q", "query", "queries"), "keys": ("k", "key", "keys"), "values": ("v", "value", "values")}
"""The accepted names of the arrays of heads, in lower case."""
PATTERNS = ("patterns", "keys", "vectors")
"""The accepted names of an array of patterns, in lower case."""
ARCHIVE, ARRAY = b"PK\3\4", b"\x93NUMPY"
STARTS = {ARCHIVE: ".npz", ARRAY: ".npy"}
"""The first bytes of a file, and the ending that its name should have."""
MEMORY, TRAINING = "header", "recipe"
"""The names of the texts by which an archive is known as a saved memory, or as a training."""
SAVED = {MEMORY: "a saved memory", TRAINING: "a training"}
"""What is in such an archive, in words."""


def mapped(path: str | os.PathLike[str], name: str | None = None) -> np.ndarray:
    """An array in a `.npy` or `.safetensors` file, mapped into memory as a read-only `numpy.memmap`.

    name: the array to map, if a `.safetensors` file holds several. Other numbers than NumPy's floating-point ones are
    read into memory, and none changes: bfloat16 (BF16) becomes float32, whole numbers float64, true 1 and false 0.
    Raises `InvalidInput` for a missing file or array, for a file that is incomplete or not of the format that its name
    says, and for anything else than real numbers.
    """
    return stored_vectors(path, name).mapped()


def array_in(file: Path, name: str | None = None) -> np.ndarray:
    """The array of a file, mapped where its format can be mapped; of several arrays, as `patterns_in` takes them.

    name: of one array. Raises `InvalidInput` as `mapped`, `numbers` and `patterns_in` do.
    """
    names = chosen_in(file, name)
    if len(names) > 1:
        return vectors_in(file)
    return mapped(file, names[0]) if file.suffix.lower() in MAPPED else numbers(file, names[0], MOST_AXES)


def saved_in(file: Path) -> str:
    """Which of `SAVED` an archive holds, "" for arrays alone; raises `InvalidInput` for a file that is no archive."""
    return _saved(arrays_in_npz(file))


def _saved(arrays: Mapping[str, StoredArray]) -> str:
    texts = {name for name, array in arrays.items() if array.shape == () and array.bits and array.bits.kind == "U"}
    return next((mark for mark in SAVED if mark in texts), "")


def _require_unsaved(file: Path, arrays: Mapping[str, StoredArray]) -> None:
    """Raise `InvalidInput` for the arrays of a saved memory or a training, which are no patterns."""
    if mark := _saved(arrays):
        raise InvalidInput(f'{named(file)} holds {SAVED[mark]}, not patterns; ha.load("{shortened(file)}") gives it')


def stored_vectors(path: str | os.PathLike[str], name: str | None = None) -> StoredArray:
    """The array that `mapped` maps, of which nothing but the header is read; raises `InvalidInput` as it does."""
    file = path_of(path, "path")
    require_file(file)
    if file.suffix.lower() not in MAPPED:
        raise InvalidInput(f"{named(file)}: expected a file that ends in .npy or .safetensors")
    array = _stored(file, name, "name")
    array.require("biuf", "real numbers")
    return array


def vectors_in(path: str | os.PathLike[str]) -> np.ndarray:
    """The patterns of a file, `(n_patterns, dim)`, as `patterns_in` finds them; one array of them is mapped.

    Raises `InvalidInput` as `mapped` and `patterns_in` do.
    """
    file = path_of(path, "path")
    mappable = file.suffix.lower() in MAPPED
    patterns = patterns_in(file, most=math.inf if mappable else MAX_NUMBERS)
    if mappable and not patterns.names:
        return mapped(file, patterns.array).reshape(patterns.shape)
    return patterns.read()


def names_in(file: Path) -> list[str]:
    """The names of the arrays of a file, none in a format without names; raises `InvalidInput` as `numbers` does."""
    require_ending(file)
    return list(_FORMATS[file.suffix.lower()](file)) if file.suffix.lower() in NAMED else []


def chosen_in(file: Path, array: str | None = None, called: Sequence[str] = PATTERNS) -> tuple[str | None, ...]:
    """The names of the arrays of a file that are meant: one, or all arrays of numbers; None for one without a name.

    array: the name of one. called: the names, in lower case, by which one is found without it; the keys of a head are
    not meant. Raises `InvalidInput` for a file that cannot be read.
    """
    require_ending(file)
    return _chosen(_of_numbers(file, array), array, called)


def _chosen(names: Iterable[str], array: str | None, called: Sequence[str]) -> tuple[str | None, ...]:
    if array is None and not _is_head(names):
        array = next((name for name in names if name.lower() in called), None)
    return (array,) if array is not None else tuple(names) or (None,)


def require_ending(file: Path) -> None:
    """Raise `InvalidInput` for a file whose name does not end as one of arrays or tables."""
    if file.suffix.lower() in ENDINGS:
        return
    with opened(file) as stream:
        start = stream.read(max(map(len, STARTS)))
    if cure := foreign(file):
        raise InvalidInput(f"{named(file)} {cure}")
    content = next((ending for mark, ending in STARTS.items() if start.startswith(mark)), "")
    if content:
        raise InvalidInput(f"{named(file)}: begins as a {content} does; expected a name that ends in {content}")
    raise InvalidInput(f"{named(file)}: expected a file that ends in {', '.join(ENDINGS)}")


def holds_heads(file: Path) -> bool:
    """Whether a file has queries, keys and values and no other array of numbers: a head, and not three patterns."""
    return _is_head(_of_numbers(file))


def _is_head(names: Iterable[str]) -> bool:
    words = [name.lower() for name in names]
    return len(words) == len(HEADS) and all(any(word in role for word in words) for role in HEADS.values())


class Described(NamedTuple):
    """The numbers of an array, whose shape its header gives before `read` gives them, or of a table, read at once."""

    shape: tuple[int, ...]
    read: Callable[[], np.ndarray]


class Patterns(NamedTuple):
    """The patterns of a file, before they are read: `(n_patterns, dim)`.

    names: of the patterns that are arrays of their own; else they have none. array: the name of the array of patterns.
    """

    shape: tuple[int, int]
    read: Callable[[], np.ndarray]
    names: tuple[str, ...] = ()
    array: str | None = None


def described(file: Path, array: str | None = None, most_axes: int = 3, most: float = MAX_NUMBERS) -> Described:
    """The numbers that `numbers` reads, before they are read; raises `InvalidInput` for all that a header shows.

    most: the largest number of numbers of an array.
    """
    require_ending(file)
    if file.suffix.lower() in TABLES:
        values = numbers_in_table(file)
        if array is not None:
            raise InvalidInput(f"{named(file)} holds one table without a name, and '{shortened(array)}' was asked for")
        return Described(values.shape, lambda: values)
    return _described(_stored(file, array, "array"), most_axes, most)


def patterns_in(file: Path, array: str | None = None, most_axes: int = 4, most: float = MAX_NUMBERS) -> Patterns:
    """The patterns of a file: the rows of an array or a table, or arrays of one shape; each is flattened row by row.

    array: the name of one array, in a file with several; by default the one that is called patterns, keys or vectors.
    most: the largest number of numbers. Raises `InvalidInput` for a file that cannot be read, an unknown array, several
    arrays of different shapes, the arrays q, k and v of heads, and a single vector.
    """
    require_ending(file)
    arrays = _of_numbers(file, array)
    heads = all(any(name.lower() in role for role in HEADS.values()) for name in arrays)  # all, or some of a head
    names = _chosen(arrays, array, PATTERNS)
    if len(names) == 1:
        (array,) = names
        values = described(file, array, most_axes, most)
        if len(values.shape) < 2:
            form = "expected patterns, one a row; of a single one, save x[None, :]"
            raise InvalidInput(f"{named(file)} holds an array of shape {values.shape}; {form}")
        shape = values.shape[0], math.prod(values.shape[1:])
        return Patterns(shape, lambda: values.read().reshape(shape), array=array)
    every = _all_described(file, arrays, most_axes, most)
    shapes = {pattern.shape for pattern in every.values()}
    if heads or len(shapes) > 1:
        what = "arrays of a head" if heads else f"{len(arrays)} arrays of {len(shapes)} shapes"
        example = shortened(f'ha.load("{file.name}", name="{next(iter(arrays))}")')
        form = "expected q, k and v, or arrays of one shape, one for each pattern"
        options = "`--array NAME`, or `array` in a scenario, chooses one (and `--array q,k,v` a head)"
        cure = f"{options}; in Python give {example}"
        raise InvalidInput(f"{named(file)} holds {what}: {listed(arrays)}; {form}; {cure}")
    shape = len(every), math.prod(next(iter(shapes)))

    def read() -> np.ndarray:
        with opened_once(file):
            return np.array([pattern.read().ravel() for pattern in every.values()])

    return Patterns(shape, read, tuple(every))


def numbers(file: Path, array: str | None = None, most_axes: int = 3) -> np.ndarray:
    """The numbers of an array or a table in float64, with 1 to `most_axes` axes; true is 1, and false 0.

    file: a .npy, .npz, .safetensors, .csv, .tsv or .txt. array: the name of the array, needed for a file with several.
    Raises `InvalidInput` for a file that cannot be read or is incomplete, a text in a table, an unknown array, and
    numbers that are not real and finite.
    """
    return described(file, array, most_axes).read()


def numbers_below(file: Path, start: str, most_axes: int, most: int) -> dict[str, np.ndarray]:
    """The numbers of all arrays of a file whose names begin with `start`, by name, as `numbers` reads them.

    most: the largest number of numbers of them all, which are counted before the first array is read.
    """
    arrays = {name: array for name, array in _of_numbers(file).items() if name.startswith(start)}
    every = _all_described(file, arrays, most_axes, most)
    with opened_once(file):
        return {name: values.read() for name, values in every.items()}


def _of_numbers(file: Path, array: str | None = None) -> dict[str, StoredArray]:
    """The arrays of a file that have names, without those of texts, such as the tokens.

    array: the name of the one that is asked for. Raises `InvalidInput` for a saved memory or a training without it.
    """
    arrays = _FORMATS[file.suffix.lower()](file) if file.suffix.lower() in NAMED else {}
    if array is None:
        _require_unsaved(file, arrays)
    return {name: array for name, array in arrays.items() if array.bits is None or array.bits.kind not in "US"}


def _all_described(file: Path, arrays: dict[str, StoredArray], most_axes: int, most: float) -> dict[str, Described]:
    """All these arrays of a file, before they are read; raises `InvalidInput` for more than `most` numbers."""
    parts = {name: _described(array, most_axes, most) for name, array in arrays.items()}
    if (count := sum(math.prod(part.shape) for part in parts.values())) > most:
        message = f"the {len(parts):,} arrays hold {count:,} numbers"
        raise InvalidInput(f"{named(file)}: {message}; at most {most:,} can be read")
    return parts


def arrays_of(file: Path) -> dict[str, np.ndarray]:
    """All arrays of a `.npz` archive by name, of numbers or texts, as they are; raises `InvalidInput` as `numbers`."""
    arrays = arrays_in_npz(file)
    for stored in arrays.values():
        stored.require("biufU", "numbers or texts")
    size = sum(stored.count * np.dtype(stored.bits).itemsize for stored in arrays.values())
    require_room(size // 8, f"{named(file)}: its arrays")
    with opened_once(file):
        return {name: stored.read() for name, stored in arrays.items()}


def array_of(file: Path, name: str) -> np.ndarray:
    """One array of a file, of numbers or texts, as it is; raises `InvalidInput` as `numbers` does."""
    stored = _stored(file, name, "name")
    stored.require("biufU", "numbers or texts")
    return stored.read()


def _stored(file: Path, name: str | None, argument: str) -> StoredArray:
    """One array of a file, by its name, or the only one; argument: what gives the name, for messages."""
    arrays = _FORMATS[file.suffix.lower()](file)
    if name is not None and file.suffix.lower() not in NAMED:
        raise InvalidInput(f"{named(file)} holds one array without a name, and '{shortened(name)}' was asked for")
    if name is None and len(arrays) == 1:
        return next(iter(arrays.values()))
    if not arrays:
        raise InvalidInput(f"{named(file)} holds no array")
    if name is None:
        _require_unsaved(file, arrays)
        message = f"holds {len(arrays)} arrays; say by `{argument}` which is meant: {listed(arrays)}"
        raise InvalidInput(f"{named(file)} {message}")
    if name not in arrays:
        raise InvalidInput(f"{named(file)}: {unknown(name, arrays)}")
    return arrays[name]


def _described(stored: StoredArray, most_axes: int, most: float) -> Described:
    stored.require("biuf", "real numbers")
    if stored.count > most:
        raise InvalidInput(f"{stored.where} holds {stored.count:,} numbers; at most {most:,} can be read")
    if not 1 <= len(stored.shape) <= most_axes or not stored.count:
        axes = f"1 to {most_axes} axes, none of length 0"
        raise InvalidInput(f"{stored.where} holds an array of shape {stored.shape}; expected {axes}")

    def read() -> np.ndarray:
        result = stored.numbers().astype(float)
        if not np.isfinite(result).all():
            first = np.argwhere(~np.isfinite(result))[0]
            place = ", ".join(str(int(i) + 1) for i in first)
            raise InvalidInput(f"{stored.where}: {result[tuple(first)]} is at {place}; expected finite numbers")
        return result

    return Described(stored.shape, read)
