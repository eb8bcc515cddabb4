"""Problems from the user's files: queries, keys and values of the heads of any model, or patterns."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hopattn.experiments.comparison.cost import Admit, Size, admit_all
from hopattn.experiments.comparison.problem import RecallProblem, checked_problem
from hopattn.experiments.comparison.sampling import MOST_CUES
from hopattn.foundation.array_files import described, named, names_in
from hopattn.foundation.errors import InvalidInput, listed
from hopattn.retrieval.masks import mask_rules

ENDINGS = (".npy", ".npz", ".csv", ".safetensors")
"""The endings of files of arrays."""
SPELLINGS = {"queries": ("q", "query", "queries"), "keys": ("k", "key", "keys"), "values": ("v", "value", "values")}
"""The accepted names of the arrays of heads, in lower case."""
PATTERNS = ("patterns", "keys", "vectors")
"""The accepted names of an array of patterns, in lower case."""
MOST_AXES = 4


def is_file_of_arrays(path: str) -> bool:
    """Whether a path has the ending of a file of arrays."""
    return path.lower().endswith(ENDINGS)


def holds_heads(file: Path) -> bool:
    """Whether a file has queries; otherwise it holds patterns."""
    return any(name.lower() in SPELLINGS["queries"] for name in names_in(file))


def patterns_of(file: Path, admit: Admit = admit_all, array: str | None = None) -> np.ndarray:
    """The patterns of a file, `(n_patterns, dim)`; pictures `(n, rows, columns)` are flattened row by row.

    array: its name, in a file with several; by default the one that is called patterns, keys or vectors. admit: is
    called with the size of one comparison of them before they are read (a table is read at once, within its bounds).
    Raises `InvalidInput` for a file that cannot be read, a file without patterns, an unknown array, and a single
    vector.
    """
    names = names_in(file)
    name = array or next((name for name in names if name.lower() in PATTERNS), None)
    if len(names) > 1 and name is None:
        wanted = "expected q, k and v of heads, or one array called patterns; `--array NAME` chooses another"
        raise InvalidInput(f"{named(file)} holds {listed(names)}; {wanted}")
    found = described(file, name, MOST_AXES)
    if len(found.shape) not in (2, 3) or 0 in found.shape:
        raise InvalidInput(f"{named(file)} holds an array of shape {found.shape}; expected patterns, one a row")
    n, dim = found.shape[0], math.prod(found.shape[1:])
    admit([Size(n, min(n, MOST_CUES), dim)])
    return found.read().reshape(n, dim)


def heads_of(file: Path, mask: str = "none", admit: Admit = admit_all) -> list[RecallProblem]:
    """The heads of a file with queries, keys and values, one problem for each head, with the beta of attention: 1/√dim.

    The arrays are called as in `SPELLINGS`, in small or capital letters, and are `(n, dim)`, `(heads, n, dim)` or
    `(batch, heads, n, dim)`. If keys and values have fewer heads than queries, each of them serves several heads of
    queries, as in grouped-query attention. mask: the name of a rule, such as "causal"; if there are fewer queries than
    keys, the queries are the last positions. admit: is called with the size of each head before the arrays are read.
    Raises `InvalidInput` for arrays that are missing or do not fit.
    """
    rule = mask_rules.make(mask)
    names = names_in(file)
    arrays = {role: described(file, _spelled(file, role, names), MOST_AXES) for role in SPELLINGS}
    shapes = {role: array.shape for role, array in arrays.items()}
    for role, shape in shapes.items():
        if not 2 <= len(shape) <= MOST_AXES or 0 in shape:
            raise InvalidInput(f"{named(file)}: {role}: shape {shape}; expected (…, n, dim) of at most 4 axes")
    padded = {role: (1,) * (MOST_AXES - len(shape)) + shape for role, shape in shapes.items()}
    (texts, heads, n_queries, _), keys, values = (padded[role] for role in SPELLINGS)
    if keys[:2] != values[:2] or texts != keys[0] or heads % keys[1]:
        shapes_given = ", ".join(f"{role} {shape}" for role, shape in shapes.items())
        raise InvalidInput(f"{named(file)}: the batches or the heads do not fit together: {shapes_given}")
    admit([Size(keys[2], n_queries, keys[3])] * (texts * heads))
    read = {role: array.read().reshape(padded[role]) for role, array in arrays.items()}
    n_axes, beta, problems = len(shapes["queries"]), float(keys[3]) ** -0.5, []
    for i, j in np.ndindex(texts, heads):  # in names they count from 1, as layers and heads of a scenario do
        where = " ".join([f"text {i + 1}"] * (n_axes == MOST_AXES) + [f"head {j + 1}"] * (n_axes > 2))
        k = j // (heads // keys[1])
        try:
            own = read["keys"][i, k], read["queries"][i, j], read["values"][i, k]
            problems.append(checked_problem(*own, mask=rule, where=where, own_beta=beta))
        except InvalidInput as error:
            raise InvalidInput(f"{named(file)}: {where + ': ' if where else ''}{error}") from None
    return problems


def _spelled(file: Path, role: str, names: Sequence[str]) -> str:
    """The name that the array of queries, keys or values has in a file."""
    matches = [name for name in names if name.lower() in SPELLINGS[role]]
    if len(matches) != 1:
        count = f"{len(matches)} arrays" if matches else "no array"
        held = listed(names) or "nothing"
        raise InvalidInput(f"{named(file)} has {count} called {' or '.join(SPELLINGS[role])}; it holds {held}")
    return matches[0]
