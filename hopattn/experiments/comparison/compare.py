"""Comparing: several memories on the same keys, values and cues."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.experiments.comparison.contenders import DEFAULT, Contender, chosen
from hopattn.experiments.comparison.measuring import Measured, measure
from hopattn.experiments.comparison.problem import Question, asked, require_positive_betas
from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import Row, row_of
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.grids import in_order, values_of
from hopattn.foundation.scalars import positive, whole

MOST = 20_000
"""The most recalls of a comparison: memories × points × trials."""


def compare(
    keys: Any,
    cues: Any,
    values: Any = None,
    *,
    memories: Any = DEFAULT,
    beta: Any = None,
    targets: Any = None,
    mask: Any = None,
    max_steps: int = 100,
    seed: int = 0,
) -> Comparison:
    """The same keys, values and cues through several memories and through an attention that is written apart.

    keys: `(n_keys, dim)`; cues: `(n_cues, dim)`; values: `(n_keys, dim_out)`, by default the keys; a cue is recalled
    among the keys, and what it comes to reads out the values. memories: names ("classical", "dense", "softmax",
    "sparse", "linear", "nearest", "exponential", "entmax", "normmax"), memory objects that store these keys, or objects
    by name. beta: the inverse temperature of softmax, sparse, entmax and normmax, a number, several in rising order, or
    a text such as "0.1:32:log5"; by default √dim over the mean squared length of a key. targets: `(n_cues,)`, which key
    each cue belongs to, −1 where that is not known; without them nothing can be said of what was recalled. mask: as in
    `attention`. seed: of the order in which the neurons of classical and dense are updated. A memory that cannot store
    such keys says so in its row. Raises `InvalidInput` for arrays that do not fit, mistyped names, and a beta that is
    not positive.

    >>> import hopattn as ha
    >>> spins = [[1.0, 1, 1, 1, -1, -1, -1, -1], [1, -1, 1, -1, 1, -1, 1, -1]]
    >>> cue = [1, 1, 1, -1, -1, -1, -1, -1]
    >>> found = ha.compare(spins, [cue], targets=[0], memories=["classical", "softmax"])
    >>> [(row.memory, row.recalled, row.is_attention) for row in found.rows]
    [('classical', 1.0, None), ('softmax', 1.0, True)]
    """
    question = asked(keys, cues, values, targets, mask)
    n_keys, dim = question.keys.shape
    told = f"{counted(len(question.cues), 'cue')} and {counted(n_keys, 'key')} of dim {dim}"
    return compared([question], told, memories=memories, beta=beta, max_steps=max_steps, seed=seed)


def compared(
    questions: Iterable[Question],
    about: str,
    *,
    memories: Any = DEFAULT,
    beta: Any = None,
    betas: Sequence[float] | None = None,
    max_steps: int = 100,
    seed: int = 0,
) -> Comparison:
    """Several questions, such as the heads of a model, a row for each memory, question and beta.

    betas: one for each question, where they differ; `beta` takes their place where it is given.
    """
    whole(max_steps, "max_steps")
    whole(seed, "seed", least=0)
    several = not (beta is None or isinstance(beta, (int, float)))
    axes = axes_of({"beta": beta}, ("beta",)) if several else {}
    numbers: Sequence[Any] = axes["beta"] if several else [None if beta is None else positive(beta, "beta")]
    contending, every = chosen(memories), list(questions)
    own = list(betas) if betas is not None else [None] * len(every)
    require_positive_betas(one for one in own if one is not None)
    require_few(len(contending) * len(every) * len(numbers))
    rows: list[Row] = []
    names: tuple[str, ...] = ()
    for question, its_own in zip(every, own, strict=True):
        for number in numbers:
            point = {"beta": its_own if number is None else number}
            some, held = rows_at(contending, [question], point, max_steps, seed)
            rows, names = [*rows, *some], held or names
    return Comparison(about, tuple(rows), tuple(axes), seed, names)


def rows_at(
    contending: Sequence[Contender],
    questions: Sequence[Question],
    point: Mapping[str, Any],
    max_steps: int,
    seed: int,
) -> tuple[list[Row], tuple[str, ...]]:
    """The rows of one point, and the referees that attention was held against; there is a question a trial."""
    rows: list[Row] = []
    names: tuple[str, ...] = ()
    first = questions[0]
    beta = first.default_beta if point["beta"] is None else float(point["beta"])
    at = {**point, "beta": beta}
    for contender in contending:
        about = (contender.name, first.where, at, len(first.keys))
        try:
            found = list(_measured(contender, questions, beta, max_steps, seed))
        except InvalidInput as error:
            cues = sum(len(one.cues) for one in questions)
            rows.append(Row(*about, cues, len(questions), refusal=str(error)))
        else:
            rows.append(row_of(*about, found))
            names = next((one.referees for one in found if one.referees), names)
    return rows, names


def _measured(
    contender: Contender, questions: Sequence[Question], beta: float, max_steps: int, seed: int
) -> Iterator[Measured]:
    for trial, question in enumerate(questions):
        rng = np.random.default_rng(np.random.SeedSequence((seed, trial)))
        yield measure(contender, question, beta, max_steps, rng)


def axes_of(over: Any, known: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """The numbers of each axis, checked."""
    if not isinstance(over, Mapping):
        raise InvalidInput(f"over: expected the numbers of each axis by its name, not {over!r}")
    reject_unknown("over", over, known)
    found = {}
    for name, given in over.items():
        try:
            found[name] = values_of(given, name) if isinstance(given, str) else in_order(tuple(given), name)
        except TypeError:
            raise InvalidInput(f"{name}: expected numbers in rising order, not {given!r}") from None
    require_positive_betas(found.get("beta", ()))
    return found


def require_few(recalls: int) -> None:
    """Raise `InvalidInput` where a grid asks for more than can be waited for."""
    if recalls > MOST:
        raise InvalidInput(
            f"the grid asks for {recalls:,} recalls (memories × points × trials); at most {MOST:,} are done at once"
        )


def counted(count: int, thing: str) -> str:
    """So many things, in words."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
