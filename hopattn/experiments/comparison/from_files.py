"""Problems from the user's files: queries, keys and values of the heads of any model, or patterns."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hopattn.experiments.comparison.cost import Admit, Size, admit_all
from hopattn.experiments.comparison.problem import RecallProblem, checked_problem
from hopattn.experiments.comparison.sampling import MOST_CUES
from hopattn.foundation.array_files import HEADS, Patterns, described, holds_heads, named, names_in, patterns_in
from hopattn.foundation.errors import InvalidInput, in_file
from hopattn.retrieval.masks import mask_rules

MOST_AXES = 4


def patterns_of(file: Path, admit: Admit = admit_all, array: str | None = None) -> Patterns:
    """The patterns of a file, as `patterns_in` finds them.

    admit: is called with the size of one comparison of them before they are read (a table is read at once, within its
    bounds). Raises `InvalidInput` as `patterns_in` does.
    """
    patterns = patterns_in(file, array, MOST_AXES)
    n, dim = patterns.shape
    admit([Size(n, min(n, MOST_CUES), dim)])
    return patterns


def head_arrays(file: Path, array: str | None = None) -> tuple[str, ...] | None:
    """The names of queries, keys and values in a file of a head, None in one of patterns.

    array: three names with commas between them ask for a head; None asks for one where the file holds nothing else.
    """
    if array is not None:
        names = tuple(name.strip() for name in array.split(","))
        return names if len(names) == len(HEADS) and array not in names_in(file) else None
    if not holds_heads(file):
        return None
    return tuple(next(name for name in names_in(file) if name.lower() in role) for role in HEADS.values())


def heads_of(file: Path, names: Sequence[str], mask: str = "none", admit: Admit = admit_all) -> list[RecallProblem]:
    """The heads of a file with queries, keys and values, one problem for each head, with the beta of attention: 1/√dim.

    names: of the three arrays, which are `(n, dim)`, `(heads, n, dim)` or `(batch, heads, n, dim)`. If keys and values
    have fewer heads than queries, each of them serves several heads of queries, as in grouped-query attention. mask:
    the name of a rule, such as "causal"; if there are fewer queries than keys, the queries are the last positions.
    admit: is called with the size of each head before the arrays are read. Raises `InvalidInput` for arrays that are
    missing or do not fit.
    """
    rule = mask_rules.make(mask)
    arrays = {role: described(file, name, MOST_AXES) for role, name in zip(HEADS, names, strict=True)}
    shapes = {role: array.shape for role, array in arrays.items()}
    for role, shape in shapes.items():
        if not 2 <= len(shape) <= MOST_AXES or 0 in shape:
            raise InvalidInput(f"{named(file)}: {role}: shape {shape}; expected (…, n, dim) of at most 4 axes")
    padded = {role: (1,) * (MOST_AXES - len(shape)) + shape for role, shape in shapes.items()}
    (texts, heads, n_queries, _), keys, values = (padded[role] for role in HEADS)
    if keys[:2] != values[:2] or texts != keys[0] or heads % keys[1]:
        shapes_given = ", ".join(f"{role} {shape}" for role, shape in shapes.items())
        raise InvalidInput(f"{named(file)}: the batches or the heads do not fit together: {shapes_given}")
    admit([Size(keys[2], n_queries, keys[3])] * (texts * heads))
    read = {role: array.read().reshape(padded[role]) for role, array in arrays.items()}
    n_axes, beta, problems = len(shapes["queries"]), float(keys[3]) ** -0.5, []
    for i, j in np.ndindex(texts, heads):  # in names they count from 1, as layers and heads of a scenario do
        where = " ".join([f"text {i + 1}"] * (n_axes == MOST_AXES) + [f"head {j + 1}"] * (n_axes > 2))
        k = j // (heads // keys[1])
        with in_file(f"{named(file)}{': ' * bool(where)}{where}"):
            own = read["keys"][i, k], read["queries"][i, j], read["values"][i, k]
            problems.append(checked_problem(*own, mask=rule, where=where, own_beta=beta))
    return problems
