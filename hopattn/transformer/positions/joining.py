"""Words with their positions: the vectors of both added, multiplied, or one after the other."""

from typing import Any, Literal, get_args

from hopattn.foundation.arrays import Array, as_float, in_numbers_of, namespace, require_broadcast
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.in_range import in_range

How = Literal["concatenate", "add", "multiply"]

HOWS: tuple[How, ...] = get_args(How)


@in_range
def with_positions(words: Any, positions: Any, how: How = "add") -> Array:
    """Words joined with their positions, in the library and dtype of the words.

    words: `(…, n, dim)`. positions: the vectors of the positions, `(…, n, k)`, such as `ha.sinusoidal(n, dim)`; the
    leading axes broadcast to those of the words. how: "add" and "multiply" do so number by number and give
    `(…, n, dim)`; k is dim, or divides it, and then the vector of the position is repeated along the word's axes.
    "concatenate" puts the position behind the word and gives `(…, n, dim + k)`. Raises `InvalidInput` for shapes that
    do not fit and an unknown `how`.
    Source: Vaswani et al. (2017), 3.5, who add; AT6, Attention and Transformers, positional embeddings.

    >>> import hopattn as ha
    >>> ha.with_positions([[1, 0], [1, 0]], ha.sinusoidal(2, 2)).round(2)
    array([[1.  , 1.  ],
           [1.84, 0.54]])
    """
    reject_unknown("how", [how], HOWS)
    texts = as_float(words, "words")
    places = in_numbers_of(texts, as_float(positions, "positions"))
    for array, what, size in ((texts, "words", "dim"), (places, "positions", "k")):
        if array.ndim < 2 or array.shape[-1] == 0:
            raise InvalidInput(f"{what}: expected (…, n, {size}), not shape {tuple(array.shape)}")
    require_broadcast(places[..., 0], tuple(texts.shape[:-1]), "rows of positions", "the rows of words")
    xp, (dim, k) = namespace(texts), (texts.shape[-1], places.shape[-1])
    if how == "concatenate":
        return xp.concat((texts, xp.broadcast_to(places, (*texts.shape[:-1], k))), axis=-1)
    if dim % k:
        raise InvalidInput(f"positions: vectors of dim {k} do not fit words of dim {dim}; expected a divisor of {dim}")
    repeated = xp.concat((places,) * (dim // k), axis=-1)
    return texts + repeated if how == "add" else texts * repeated
