"""Masks and biases: what is added to βs. Rows are queries, columns are keys.

A mask is boolean. True = may attend: it adds 0. False = may not: it adds −∞. A mask is an array, or a rule that makes
the array from the scores. A bias is an array of numbers; its −∞ is a mask too. A `Sum` holds several masks and biases.
Where the sum is −∞, the score is replaced and not added to, so that no NaN or infinity of a hidden key counts.
Add a rule by adding a frozen dataclass here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, ClassVar

import numpy as np

from hopattn.foundation.argument_names import in_loops
from hopattn.foundation.arrays import (
    Array,
    Mask,
    as_array,
    as_float,
    device_of,
    max_safe_entry,
    namespace,
    read_by_numpy,
    require_one_device,
)
from hopattn.foundation.boundary import Declared, public
from hopattn.foundation.checks import is_iterable, require_room, whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.registry import Registry
from hopattn.foundation.shapes import broadcasts, require_broadcast
from hopattn.foundation.traces import is_compiling

Rounding = Callable[[], Any]
FEW_PAIRS = 2**13
"""The number of pairs of a query and a key below which an array by distance is made by indexing, not by a window."""


class MaskRule(ABC):
    """A rule that makes a mask for scores `(…, n_queries, n_keys)`."""

    by_pairs: ClassVar[bool] = False
    """True where each entry of the mask depends on its own score and position alone."""

    @abstractmethod
    @in_loops
    def allowed(self, scores: Array, rounding: Rounding) -> Array | None:
        """A boolean array that broadcasts to the scores, or None where nothing is masked.

        rounding: a function that gives the largest rounding error of a score of 0.
        """

    def __and__(self, other: Any) -> Any:
        """The mask of what both allow: `ha.causal & ha.padding([3, 2])`. other: a rule, a name or an array."""
        return joint(self, other)


class PositionRule(MaskRule):
    """A rule that depends only on the distance between query and key."""

    by_pairs: ClassVar[bool] = True

    @abstractmethod
    @in_loops
    def sees(self, distance: np.ndarray) -> np.ndarray:
        """Whether a query may attend to a key at these distances, in tokens before the query (below 0: after it)."""

    def array(self, n: int, m: int | None = None) -> np.ndarray:
        """The mask `(n, m)` of n queries, the last n of m tokens, as a NumPy array. Raises `InvalidInput` for m < n.

        >>> import hopattn as ha
        >>> ha.causal.array(3).astype(int)
        array([[1, 0, 0],
               [1, 1, 0],
               [1, 1, 1]])
        """
        return by_distance(self.sees, n, m)

    def __call__(self, *_: Any, **__: Any) -> None:
        """Raise `InvalidInput`: a rule is a mask as it is."""
        raise InvalidInput(f"mask: {quoted(self)} is a rule, and a mask as it is; its array of n tokens is .array(n)")

    def allowed(self, scores: Array, rounding: Rounding) -> Array:
        if scores.ndim < 2:
            message = f"a single row of scores has no place in the text, so the rule {quoted(self)} cannot tell"
            raise InvalidInput(f"mask: {message}")
        return like(self.array(*scores.shape[-2:]), scores)


@dataclass(frozen=True, repr=False)
class NoMask(MaskRule):
    """Every query sees every key."""

    by_pairs: ClassVar[bool] = True
    name: ClassVar[str] = "none"

    def __repr__(self) -> str:
        return "None"

    def allowed(self, scores: Array, rounding: Rounding) -> None:
        return None


NO_MASK = NoMask()


@dataclass(frozen=True, repr=False)
class Causal(PositionRule):
    """A rule: each query sees its own key and those before it."""

    def __repr__(self) -> str:
        return "ha.causal"

    def sees(self, distance: np.ndarray) -> np.ndarray:
        return distance >= 0


@dataclass(frozen=True, repr=False)
class Strict(PositionRule):
    """A rule: each query sees the keys before it, "each previous word"; the first sees nothing, and its output is 0."""

    def __repr__(self) -> str:
        return "ha.strict"

    def sees(self, distance: np.ndarray) -> np.ndarray:
        return distance > 0


@dataclass(frozen=True, repr=False)
class Window(Declared, PositionRule):
    """Each query sees its own key and the `width` − 1 before it."""

    width: Annotated[int, lambda width, _: whole(width, "window")]

    def __repr__(self) -> str:
        return f"ha.window({self.width})"

    def sees(self, distance: np.ndarray) -> np.ndarray:
        return (distance >= 0) & (distance < self.width)


@dataclass(frozen=True, repr=False)
class Nonzero(MaskRule):
    """Each query sees the keys to which its similarity is not 0, up to rounding."""

    by_pairs: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "'nonzero'"

    def allowed(self, scores: Array, rounding: Rounding) -> Array:
        slack = rounding()
        zero = scores <= slack
        zero &= scores >= -slack
        return ~zero


mask_rules: Registry[MaskRule] = Registry("mask", MaskRule, [__name__])


causal = Causal()
strict = Strict()


@public
def window(width: int) -> Window:
    """A rule: each token sees itself and the width − 1 tokens before it; `window(3).array(5)` is that of 5 tokens."""
    return Window(width)


@public
def padding(lengths: Array) -> "Padding":
    """The rule of padded texts: a query sees the words of its text, and not the padding behind them.

    Parameters
    ----------
    lengths : the number of words of each text, or an array `(…,)` of them, of any library.

    Raises
    ------
    InvalidInput : for other lengths, and for those that are not known yet, while PyTorch or JAX trace a function.

    Notes
    -----
    As a mask it fits the scores `(…, n_queries, n_keys)` of the texts, and those with axes of heads, `(…, heads,
    n_queries, n_keys)`.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.padding([1, 3]).array(3).astype(int).tolist()
    [[[1, 0, 0]], [[1, 1, 1]]]
    """
    counts = read_by_numpy(as_array(lengths, "lengths"), "lengths")
    if counts.dtype.kind not in "iu" or np.any(counts < 0):
        raise InvalidInput(f"lengths: expected whole numbers of at least 0, not {quoted(lengths)}")
    return Padding(tuple(counts.reshape(-1).tolist()), counts.shape)


@dataclass(frozen=True, repr=False)
class Padding(MaskRule):
    """Each query sees the first words of its text. lengths: their number, of all texts; texts: the shape of these.

    The lengths are numbers of Python, which PyTorch's compiler can look at.
    """

    lengths: tuple[int, ...]
    texts: tuple[int, ...]

    def __repr__(self) -> str:
        return f"ha.padding({quoted(np.reshape(self.lengths, self.texts).tolist())})"

    def array(self, n: int) -> np.ndarray:
        """The mask `(…, 1, n)` of texts with n tokens. Raises `InvalidInput` for a text of more words."""
        require_room(whole(n, "n") + n * len(self.lengths) // 8, f"padding: {n:,} keys of each text")
        if max(self.lengths, default=0) > n:
            raise InvalidInput(f"lengths: expected whole numbers from 0 to {n}, not {max(self.lengths)}")
        return np.asarray(np.arange(n) < np.reshape(np.asarray(self.lengths), (*self.texts, 1, 1)))

    def on(self, shape: tuple[int, ...]) -> np.ndarray:
        """The mask of scores of this shape, in which axes of heads may follow those of the texts."""
        mask, heads = self.array(shape[-1]), len(shape) - 2 - len(self.texts)
        if len(shape) == 1 and not self.texts:
            return np.asarray(mask[0])
        if heads < 0:
            raise InvalidInput(f"mask: the lengths of texts {self.texts} do not fit scores of shape {shape}")
        return mask.reshape(*self.texts, *(1,) * heads, 1, shape[-1])

    def allowed(self, scores: Array, rounding: Rounding) -> Array:
        mask = self.on(tuple(scores.shape))
        require_on_scores(mask, tuple(scores.shape), "mask")
        return like(mask, scores)


def placed(bias: Any, scores: tuple[int, ...], text: Array) -> Any:
    """A bias whose rules of padded texts are arrays for scores of this shape, in the library of the text.

    So what no query sees is known before the scores.
    """
    if not isinstance(bias, (Padding, Sum)):
        return bias
    parts = tuple(like(part.on(scores), text) if isinstance(part, Padding) else part for part in terms_of(bias))
    return Sum(parts) if isinstance(bias, Sum) else parts[0]


def resolve(mask: Mask, scores: Array, rounding: Rounding = lambda: 0.0) -> Array | None:
    """A mask (a name, a rule, an array or None) as a boolean array for these scores; None where nothing is masked.

    Raises `InvalidInput` for an unknown name, an array that is not boolean, and one that does not broadcast to the
    scores.
    """
    return on_scores(as_mask(mask), scores, rounding)[0]


def on_scores(bias: Array, scores: Array, rounding: Rounding = lambda: 0.0) -> tuple[Array | None, Array | None]:
    """A bias as the mask of these scores and the finite numbers that are added to βs; None for no mask, and for 0.

    bias: a rule, an array, or a `Sum` of them. Raises `InvalidInput` for an array that does not broadcast to the
    scores.
    """
    mask, numbers, shape = None, None, tuple(scores.shape)
    for part in terms_of(bias):
        if isinstance(part, MaskRule):  # its array gets no name, so that NumPy may write the result of & over it
            mask = part.allowed(scores, rounding) if mask is None else mask & part.allowed(scores, rounding)
            continue
        booleans, entries = split_bias(part)
        require_on_scores(part, shape, "mask" if entries is None else "bias")
        if booleans is not None:
            mask = like(booleans, scores) if mask is None else mask & like(booleans, scores)
        if entries is not None:
            numbers = entries if numbers is None else numbers + entries
    return mask, numbers


def split_bias(array: Array) -> tuple[Array | None, Array | None]:
    """An array as a mask and as finite numbers: a boolean one is a mask alone, and −∞ is a mask with the number 0.

    The mask is None where numbers of NumPy hide nothing. Numbers of other libraries always get one: a look at them may
    wait for a device, or end a trace.
    """
    xp = namespace(array)
    if array.dtype == xp.bool:
        return array, None
    finite = array > -xp.inf
    if isinstance(array, np.ndarray) and finite.all():
        return None, array
    return finite, xp.where(finite, array, 0.0)


@dataclass(frozen=True)
class Without(MaskRule):
    """No query sees these keys; with `at`, that query alone does not. Negative numbers count from the end.

    A step with this rule does not go over blocks of keys: it holds the array of all scores.
    """

    keys: tuple[int, ...]
    at: int | None = None

    @classmethod
    def of(cls, token: Any, at: Any = None) -> "Without":
        """The rule for one key or several, by numbers, and for one query; raises `InvalidInput` for others."""
        several = is_iterable(token) and not isinstance(token, str)
        keys = read_by_numpy(as_array(token, "token"), "token").reshape(-1).tolist() if several else [token]
        return cls(
            tuple(_token_number(number, "token") for number in keys), None if at is None else _token_number(at, "at")
        )

    def allowed(self, scores: Array, rounding: Rounding) -> Array:
        n, m = (1, *scores.shape)[-2:]
        mask = np.ones((n, m), dtype=bool)
        rows = range(n) if self.at is None else rows_taken(self.at, n, "at")
        mask[np.ix_(rows, rows_taken(self.keys, m, "token"))] = False
        return like(mask if scores.ndim > 1 else mask[0], scores)


def _token_number(value: Any, what: str) -> int:
    """The number of a token; raises `InvalidInput` for anything but a whole number."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise InvalidInput(
            f"{what}: got {quoted(value)}; expected the number of a token, from 0, or from −1 at the end"
        )
    return int(value)


def rows_taken(choice: Any, n: int, what: str) -> tuple[int, ...]:
    """The numbers of the rows, out of n, that a choice names: one number, several, or n booleans; each row once.

    Raises `InvalidInput` for numbers that are not whole or not from −n to n − 1, and another number of booleans.
    """
    if isinstance(choice, str):
        raise InvalidInput(f"{what}: got the text {quoted(choice)}; expected a number: only scenarios have names")
    array = read_by_numpy(as_array(choice if not isinstance(choice, tuple) else list(choice), what), what)
    if array.dtype == bool:
        if array.shape != (n,):
            raise InvalidInput(f"{what}: got booleans of shape {array.shape}; expected ({n},), one for each")
        return tuple(map(int, np.flatnonzero(array)))
    numbers = array.reshape(-1)
    if array.ndim > 1 or not np.all((numbers == np.floor(numbers)) & (-n <= numbers) & (numbers < n)):
        forms = f"whole numbers from 0 to {n - 1}, or from −{n} to −1 counted from the end, or {n} booleans"
        raise InvalidInput(f"{what}: got {quoted(choice)}; expected {forms}")
    return tuple(sorted({int(number) % n for number in numbers}))


@dataclass(frozen=True, eq=False, repr=False)
class Sum(MaskRule):
    """The sum of masks and biases: a query sees the keys that all of them allow.

    terms: rules, and arrays that broadcast to the scores `(…, n_queries, n_keys)`.
    """

    terms: tuple[Any, ...]

    def __repr__(self) -> str:
        return " & ".join(map(quoted, self.terms))

    @property
    def by_pairs(self) -> bool:  # type: ignore[override]
        return all(term.by_pairs for term in self.terms if isinstance(term, MaskRule))

    def allowed(self, scores: Array, rounding: Rounding) -> Array | None:
        return on_scores(self, scores, rounding)[0]


def joint(*masks: Any, bias: Array | None = None) -> Any:
    """The sum of masks and a bias of numbers: a rule or an array. Each mask is a name, a rule, an array, or None.

    Raises `InvalidInput` as `as_mask` does.

    >>> joint("causal", None)
    ha.causal
    """
    parts = [part for mask in map(as_mask, masks) for part in terms_of(mask) if not isinstance(part, NoMask)]
    parts += [] if bias is None else [bias]
    return Sum(tuple(parts)) if len(parts) > 1 or bias is not None else parts[0] if parts else NO_MASK


def as_bias(bias: Array, like: Array, others: str) -> Array:
    """The bias of a call as an array, finite or −∞; raises `InvalidInput` for others.

    like: the array whose library and device it must be of, named `others`. The values of another library's arrays are
    not known while it traces a function, and are not looked at.
    """
    numbers = as_float(bias, "bias", like=like)
    require_one_device(numbers, like, "bias", others)
    require_below_infinity(numbers)
    return numbers


def require_below_infinity(bias: Array) -> None:
    """Raise `InvalidInput` for an array of NumPy with a NaN or +∞."""
    if isinstance(bias, np.ndarray) and not np.all(bias < np.inf):
        raise InvalidInput("bias: holds NaN or +inf; expected finite numbers, or −inf for an entry that is masked")


def seen_keys(bias: Array, scores: tuple[int, ...], text: Array) -> Array | None:
    """The keys that some query sees by the arrays of a bias, `(…, n_keys)`, in the library of the text.

    bias: as of `on_scores`; its rules are left out. None where it holds no array, and where arrays of NumPy hide no
    key; arrays of other libraries always give booleans. scores: the shape of the scores, `(…, n_queries, n_keys)`.
    Raises `InvalidInput` for an array that does not fit it.
    """
    visible: Array | None = None
    for part in terms_of(bias):
        if isinstance(part, MaskRule):
            continue
        require_on_scores(part, scores, "mask" if part.dtype == namespace(part).bool else "bias")
        booleans = split_bias(part)[0]
        if booleans is not None:
            visible = like(booleans, text) if visible is None else visible & like(booleans, text)
    if visible is None:
        return None
    visible = visible if visible.ndim < 2 else namespace(text).any(visible, axis=-2)
    return None if isinstance(visible, np.ndarray) and visible.all() else visible


def without_padding(text: Array, seen: Array) -> Array:
    """A text `(…, n_keys, dim)`, with 0 for the entries of unseen keys that cannot be multiplied.

    Such an entry is a NaN, an infinity, or too large a number. As 0 it changes nothing: neither the product of a weight
    0 and a value, nor a derivative.
    """
    xp = namespace(text)
    multipliable = xp.isfinite(text) & (xp.abs(text) <= max_safe_entry(text))
    return xp.where(seen[..., None] | multipliable, text, 0.0)


def terms_of(bias: Array) -> tuple[Any, ...]:
    """The terms of a `Sum`, or a rule or an array as the only term."""
    return bias.terms if isinstance(bias, Sum) else (bias,)


def spread(array: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A mask or a bias that is an array, broadcast to this shape without a copy.

    Raises `InvalidInput` where it does not fit.
    """
    require_on_scores(array, shape, "mask" if array.dtype == bool else "bias")
    return np.broadcast_to(np.asarray(array), shape)


def require_on_scores(array: Array, scores: tuple[int, ...], what: str, other: str = "scores") -> None:
    """Raise `InvalidInput` unless a mask or a bias broadcasts to scores of the shape `(…, n_queries, n_keys)`.

    Where only axes of 1 are missing or too many, the message gives the shape that fits. what, other: the names of the
    array and of the scores in the message.
    """
    shape = tuple(array.shape)
    try:
        require_broadcast(array, scores, what, other)
    except InvalidInput as error:
        # the last axes are queries and keys, or keys alone
        for *leading, n, m in ((1, *shape), (*shape[:-1], 1, *shape[-1:])):
            lengths = [k for k in leading if k != 1]
            for places in combinations(range(len(scores) - 2), len(lengths)):
                sizes = dict(zip(places, lengths, strict=True))
                candidate = *(sizes.get(i, 1) for i in range(len(scores) - 2)), n, m
                if broadcasts(candidate, scores):
                    raise InvalidInput(f"{error}; reshape it to {candidate}") from None
        raise


def block(mask: Mask, rows: range, columns: range, shape: tuple[int, int]) -> np.ndarray | bool:
    """The part of a mask for these queries and keys: an array, or True for all of it, or False for none of it.

    mask: an array `(n, m)`, or a rule that does not need the scores; shape is (n, m). A rule by position is evaluated
    once for each distance, so that no array of the whole shape is made.
    """
    if isinstance(mask, NoMask):
        return True
    if isinstance(mask, PositionRule):
        offset = _offset(*shape)
        farthest, nearest = offset + rows[-1] - columns[0], offset + rows[0] - columns[-1]
        visible = mask.sees(np.arange(farthest, nearest - 1, -1))
        if visible.all() or not visible.any():
            return bool(visible[0])
        return _along_diagonals(visible, len(columns))
    part = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    all_visible = bool(part.all())
    return all_visible if all_visible or not part.any() else part


def as_mask(mask: Mask) -> Any:
    """A mask (a name, a rule, an array or None) as a rule or a boolean array; raises `InvalidInput` for others."""
    if mask is None:
        return NO_MASK
    if isinstance(mask, MaskRule):
        return mask
    if isinstance(mask, str):
        return mask_rules.make(mask)
    if mask is window or mask is padding:
        raise InvalidInput(f"mask: got the function {mask.__name__}; write ha.{mask.__name__}(3)")
    if isinstance(mask, list | tuple) and any(isinstance(part, MaskRule) for part in mask):
        raise InvalidInput("mask: got a list of rules; write ha.causal & ha.window(3) for what both allow")
    array = as_array(mask, "mask")
    if array.dtype != namespace(array).bool:
        cure = "numbers that are added to the scores are bias=, and the text of a head's keys is source="
        raise InvalidInput(f"mask: expected booleans (True = may attend), not {array.dtype}; {cure}")
    return array


def like(mask: Mask, scores: Array) -> Array:
    """A mask as an array of the library, and on the device, of the scores."""
    if isinstance(scores, np.ndarray):
        return np.asarray(mask)
    return namespace(scores).asarray(mask, device=device_of(scores))


def by_distance(
    value: Callable[[np.ndarray], np.ndarray], n: int, m: int | None = None, what: str = "mask"
) -> np.ndarray:
    """A value of the distance from key to query in tokens, `(n, m)`; below 0 for a key after its query.

    value: a function of an array of distances; it is evaluated once for each distance. The queries are the last n of
    the m tokens. what: the name of the result, for messages.
    """
    n = whole(n, "n")
    m = n if m is None else whole(m, "m")
    pairs = f"{what}: {n:,} queries and {m:,} keys"
    require_room(n + m, pairs)
    offset = _offset(n, m, what)
    values = value(np.arange(offset + n - 1, offset - m, -1))
    require_room(n * m * values.itemsize // 8, pairs)
    return _along_diagonals(values, m).copy()


def _along_diagonals(values: np.ndarray, m: int) -> np.ndarray:
    """The array `(n, m)`, perhaps a view, of values `(n + m − 1,)` by distance.

    values: the first is that of the last query and the first key; the distance falls by 1 from value to value.
    """
    if len(values) * m < FEW_PAIRS or is_compiling():  # faster than a window, which PyTorch's compiler does not know
        return np.asarray(values[np.arange(len(values) - m, -1, -1)[:, None] + np.arange(m)])
    return np.lib.stride_tricks.sliding_window_view(values, m)[::-1]  # the last row begins at the largest distance


def _offset(n: int, m: int, what: str = "mask") -> int:
    """The number of keys before the first query; the queries are the last n of the m tokens."""
    if m < n:
        raise InvalidInput(f"{what}: {n} queries are more than {m} keys; the queries are the last words among the keys")
    return m - n
