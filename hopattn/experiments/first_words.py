"""Forgetting: how well the first word of a random text is read out, by the number of words after it."""

from dataclasses import replace

from hopattn.experiments.sweeps.table import Sweep
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import REPEATED, Seed, require_room, whole, whole_seed
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.grids import Grid, axis_values
from hopattn.transformer.first_word import FirstWord, measured_by_length

AXIS = "words after the first"


@public
def forgetting(
    lengths: Grid = (0, 1, 2, 4, 8, 16, 32, 64, 128),
    model: FirstWord | None = None,
    *,
    names: int = 16,
    trials: int = 200,
    rng: Seed = None,
) -> Sweep:
    """Measure how well the first word is read out, with attention and without it, by the length of the text.

    Parameters
    ----------
    lengths : the numbers of words after the first, in rising order, or a text such as "0:100:11".
    model : the networks, set by hand, and their law; `FirstWord()` by default.
    names : the names that the answer is compared with; one of them is the first word.
    trials : random texts for each length; all words and names are random vectors of unit magnitude.
    rng : the seed of all texts, or a generator, which gives one; by default one is drawn.

    Raises
    ------
    InvalidInput : for lengths that are not whole numbers in rising order, and for other numbers out of range.

    Notes
    -----
    The sweep keeps it in `about`.

    The result has two numbers of each trial, with and without attention: `cosine` of what is read with the first word,
    and `accuracy`, 1 where the nearest name is the first word and else 0. `model.cosine` and `model.accuracy` are the
    law of their means. A length has the same texts whatever the other lengths are.

    Examples
    --------
    >>> curve = forgetting((0, 10, 40), names=16, trials=50, rng=0)
    >>> curve.mean("accuracy without attention").round(1), curve.mean("accuracy with attention")
    (array([1. , 0.3, 0.1]), array([1., 1., 1.]))
    """
    model = FirstWord() if model is None else model
    if not isinstance(model, FirstWord):
        raise InvalidInput(f"model: expected a FirstWord, not {type(model).__name__}")
    after = tuple(whole(n, "lengths", least=0) for n in axis_values(lengths, "lengths"))
    names, trials = whole(names, "names", least=2), whole(trials, "trials", most=REPEATED)
    require_room(4 * trials * (max(after) + names + 1) * (model.dim + 1), f"texts of {max(after):,} words")
    seed = whole_seed(rng)
    curve = Sweep.of({AXIS: after}, trials, measured_by_length(model, after, names, trials, seed))
    shares = tuple(name for name in curve.values if name.startswith("accuracy"))
    return replace(curve, about={"seed": seed}, shares=shares)
