"""Arrays of any library: their namespace, conversions, tolerance by dtype, checks of shape and value.

The mathematics is written once against the Python array API standard and runs on NumPy, PyTorch and JAX arrays. Shapes
are checked everywhere. Values are checked only where arrays enter (constructors and `recall`), and only where they are
known: not while a library traces a function. `what` is the name of an array in messages.
"""

import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from hopattn.foundation.checks import is_iterable, require_room
from hopattn.foundation.errors import InvalidInput, a_class, quoted
from hopattn.foundation.shapes import Of, Sizes, common_axes
from hopattn.foundation.shown_types import Word
from hopattn.foundation.traces import detached, is_torch, known_true, requires_grad

Array = Annotated[Any, Word("Array")]
"""An array of any supported library; the docstrings give its shape."""
NumberOrArray = Annotated[Any, Word("float | Array")]
"""A number, or an array of numbers."""
Mask = Annotated[Any, Word("Mask")]
"""Who may attend to whom: booleans, and where heads attend also a rule or the name of one."""


class OnDevice(Protocol):
    """An array of PyTorch or JAX, as a type checker knows it without the library."""

    @property
    def shape(self) -> Any: ...
    @property
    def device(self) -> Any: ...


Vectors = Annotated[ArrayLike | OnDevice | Sequence[OnDevice], Word("Array")]
"""Vectors as a person gives them: nested lists, an array of NumPy, PyTorch or JAX, or a list of such arrays."""
COPIED = 2**26  # the size up to which stored vectors are copied: 64 MiB
PLAIN = np.ndarray, np.memmap  # the classes of arrays that follow the rules of `numpy.ndarray`
TO_LIBRARY = {"torch": "torch.asarray", "jax": "jax.numpy.asarray", "jaxlib": "jax.numpy.asarray"}
"""The call by which a NumPy array goes to another library."""


def namespace(*arrays: Array) -> Any:
    """The array API namespace of the arrays; raises `InvalidInput` if they belong to different libraries.

    The compatibility layer is imported only for other libraries than NumPy: its import takes as long as NumPy's.
    """
    for array in arrays:
        if not isinstance(array, (np.ndarray, np.generic)):
            break
    else:
        return np
    if all(map(is_torch, arrays)):
        import array_api_compat.torch as of_torch

        return of_torch
    from array_api_compat import array_namespace

    try:
        return array_namespace(*arrays)
    except TypeError:
        if other := next((kind for kind in map(type, arrays) if kind.__module__ == "builtins"), None):
            raise InvalidInput(f"expected an array, not {a_class(other)}; numpy.asarray(x) makes one") from None
        kinds = sorted({type(array).__module__.split(".")[0] for array in arrays})
        calls = [TO_LIBRARY.get(kind) for kind in kinds if kind != "numpy"]
        cure = f"; give {calls[0]}(x) for an x of numpy" if len(kinds) == 2 and len(calls) == 1 and calls[0] else ""
        raise InvalidInput(f"expected arrays of one library, not of {' and '.join(kinds)}{cure}") from None


def device_of(x: Array) -> Any:
    """The device on which an array of any library lies."""
    if is_torch(x):
        return x.device
    from array_api_compat import device

    return device(x)


def is_foreign_array(values: Any) -> bool:
    """Whether the values are an array of a library other than NumPy."""
    if isinstance(values, (np.ndarray, np.generic, list, tuple, int, float)):
        return False
    return is_torch(values) or hasattr(values, "__array_namespace__")


def plain_array(values: Any, what: str) -> np.ndarray:
    """The values as a NumPy array of any dtype; an array in a file stays there, a `numpy.matrix` loses its rules.

    Raises `InvalidInput` for rows of unequal length, for a mask, and for a range beyond the memory.
    """
    if type(values) in PLAIN:
        return values  # type: ignore[no-any-return]
    if isinstance(values, np.ndarray) and hasattr(values, "mask"):
        raise InvalidInput(f"{what}: expected an array without a mask; `numpy.ma.filled` gives one")
    if isinstance(values, range) and values:
        require_room((values[-1] - values[0]) // values.step + 1, what)
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise InvalidInput(f"{what}: rows of unequal length; expected numbers in a rectangle") from None


def as_array(values: Any, what: str = "array", like: Array | None = None) -> Array:
    """The values as an array; an array of any library is returned as it is, and a list of such arrays is stacked.

    like: lists and numbers become an array of its library; without it, of NumPy. Raises `InvalidInput` for rows of
    unequal length, entries that are not real numbers, a sparse array, and an array with a mask.
    """
    if is_foreign_array(values):
        if is_torch(values) and (cure := _to_plain_tensor(values)):
            raise InvalidInput(f"{what}: expected {cure}")
        return values
    if isinstance(values, (list, tuple)) and values and is_foreign_array(values[0]):
        return _stacked(values, what)
    if isinstance(values, (str, os.PathLike)):
        how = "ha.load reads the array of a file"
        raise InvalidInput(f"{what}: expected numbers such as [0.5, -1], not the text {quoted(values)}; {how}")
    array = plain_array(values, what)
    if array.dtype.kind not in "biuf":
        raise InvalidInput(f"{what}: {_not_numbers(values, array)}")
    if like is None or isinstance(like, np.ndarray) or isinstance(values, np.ndarray):
        return array
    dtype = None if array.dtype.kind == "b" else like.dtype
    return namespace(like).asarray(array.tolist(), dtype=dtype, device=device_of(like))


def _to_plain_tensor(tensor: Any) -> str:
    """The kind of tensor that is expected instead of one of another kind, and how to get it; empty for a plain one."""
    if tensor.is_nested:
        return "texts of one length in one array, not a nested tensor; x.to_padded_tensor(0.0) gives one"
    if tensor.is_quantized:
        return "real numbers, not quantized ones; x.dequantize() gives them"
    return "" if tensor.layout is sys.modules["torch"].strided else "a dense array; x.to_dense() gives one"


def _not_numbers(values: Any, array: np.ndarray) -> str:
    """Why an array does not hold real numbers, and how to get one that does."""
    if hasattr(values, "toarray"):
        return "expected a dense array, not a sparse one; x.toarray() gives one"
    if hasattr(values, "isna"):
        if bool(np.any(values.isna())):
            return "expected real numbers, and some are missing; x.dropna().to_numpy(float) leaves their rows out"
        return f"expected real numbers, not {array.dtype}; x.to_numpy(float) converts columns of numbers"
    if array.dtype.kind not in "USO":
        return f"expected real numbers, not {array.dtype}"
    if array.dtype.kind == "O" and not array.ndim:
        cure = "; list(x) gives its entries" * (is_iterable(values) and not isinstance(values, Mapping))
        return f"expected numbers such as [0.5, -1], not {'None' if values is None else a_class(type(values))}{cure}"
    every = array.ravel().tolist()
    other = next((entry for entry in every if not _is_number(entry)), None)
    if other is None and None not in every:
        return f"expected real numbers, not entries such as {quoted(every[0])}; np.asarray(x, float) converts them"
    return f"expected real numbers, not {quoted(other)}"


def _is_number(entry: Any) -> bool:
    """Whether an entry of another type, such as a text or a fraction, stands for a number."""
    try:
        float(entry)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _stacked(values: Sequence[Any], what: str) -> Array:
    """A list of arrays of PyTorch or JAX, all of one shape, as one array of that library."""
    try:
        return namespace(*values).stack(values)
    except InvalidInput as error:
        raise InvalidInput(f"{what}: {error}") from None
    except (TypeError, ValueError, RuntimeError):
        raise InvalidInput(f"{what}: rows of unequal length, dtype or device; expected arrays that stack") from None


def as_float(values: Any, what: str = "array", like: Array | None = None) -> Array:
    """The values as a floating-point array; whole numbers and booleans take a dtype that holds numbers.

    It is that of `like`, an array of PyTorch or JAX, and otherwise the default float of their library.
    """
    if type(values) in PLAIN and values.dtype.kind == "f":
        return values
    array = as_array(values, what, like)
    xp = namespace(array)
    if xp.isdtype(array.dtype, "real floating"):
        if not isinstance(array, np.ndarray) and xp.finfo(array.dtype).bits < 16:
            raise InvalidInput(f"{what}: {array.dtype} is too short to compute with; expected at least 16 bits")
        return array
    if xp.isdtype(array.dtype, "complex floating"):
        raise InvalidInput(f"{what}: expected real numbers, not {array.dtype}")
    same_library = like is not None and is_foreign_array(like) and namespace(like) is xp
    dtype = like.dtype if same_library else xp.__array_namespace_info__().default_dtypes()["real floating"]  # type: ignore[union-attr]
    return xp.astype(array, dtype)


def as_numpy(values: Any, what: str) -> np.ndarray:
    """The values as a floating-point NumPy array, for what has no derivative.

    Raises `InvalidInput` for an array that requires a gradient, and for one that NumPy cannot read.
    """
    array = as_float(values, what)
    return array if isinstance(array, np.ndarray) else read_by_numpy(widened(array), what)


def as_float64(values: Any, what: str) -> np.ndarray:
    """The values as a NumPy array in float64, for what has no derivative; raises `InvalidInput` as `as_numpy` does."""
    return as_numpy(values, what).astype(np.float64, copy=False)


def read_by_numpy(array: Array, what: str) -> np.ndarray:
    """An array of any library and dtype of NumPy as one of NumPy; raises `InvalidInput` as `as_numpy` does."""
    if is_torch(array) and array.is_meta:
        raise InvalidInput(f"{what}: holds no numbers, on the device meta; expected an array that does")
    if requires_grad(array):
        library = "PyTorch" if is_torch(array) else "JAX"
        has_grad = getattr(array, "requires_grad", False)
        cure = "give x.detach()" if has_grad else f"call it outside of what {library} traces"
        raise InvalidInput(f"{what}: is computed with NumPy, without a derivative; {cure}")
    try:
        return np.asarray(array)
    except (TypeError, RuntimeError):
        raise InvalidInput(f"{what}: cannot be read from this device; move it to the CPU first") from None


def on_host(x: Array) -> np.ndarray:
    """A copy of an array of any library and device as one of NumPy; half precision of PyTorch and JAX is widened."""
    if isinstance(x, np.ndarray):
        return x
    plain = detached(widened(x) if namespace(x).isdtype(x.dtype, "real floating") else x)
    return np.asarray(plain.cpu() if is_torch(plain) else plain)


def require_one_device(x: Array, other: Array, what: str, others: str) -> None:
    """Raise `InvalidInput` for two arrays on different devices; PyTorch combines a CPU tensor `()` with any device."""
    if isinstance(x, np.ndarray) or isinstance(other, np.ndarray) or (is_torch(x) and not x.ndim and x.is_cpu):
        return
    if (here := device_of(x)) != (there := device_of(other)) and here is not None and there is not None:
        cure = f"give x.to('{there}')" if is_torch(x) else "move one of them"
        raise InvalidInput(f"{what}: on the device {here}, but {others} on {there}; {cure}")


def require_one_library(x: Array, other: Array, what: str, others: str) -> None:
    """Raise `InvalidInput` for arrays of two libraries."""
    try:
        namespace(x, other)
    except InvalidInput as error:
        raise InvalidInput(f"{what} and {others}: {error}") from None


def require_fitting(x: Array, other: Array, what: str, others: str) -> None:
    """Raise `InvalidInput` for arrays of two libraries or devices, and for two dtypes of PyTorch outside `autocast`."""
    if isinstance(x, np.ndarray) and isinstance(other, np.ndarray):
        return
    require_one_library(x, other, what, others)
    require_one_device(x, other, what, others)
    if is_torch(x) and x.dtype != other.dtype and not sys.modules["torch"].is_autocast_enabled(x.device.type):
        raise InvalidInput(f"{what}: {x.dtype} do not fit {others} of {other.dtype}; convert one of them")


def in_numbers_of(x: Array, array: Array) -> Array:
    """An array in the library, dtype and device of x; one of the library of x keeps its derivative.

    Raises `InvalidInput` for an array of another library that is not NumPy's.
    """
    if not isinstance(array, np.ndarray):
        return namespace(x, array).astype(array, x.dtype, copy=False)
    if isinstance(x, np.ndarray):
        return array.astype(x.dtype, copy=False)
    return namespace(x).asarray(array, dtype=x.dtype, device=device_of(x))


def entries(x: Array, numbers: Sequence[int] | np.ndarray, axis: int) -> Array:
    """The entries of these numbers along an axis, in their order."""
    if isinstance(x, np.ndarray):
        return np.take(x, np.asarray(numbers, dtype=np.int64), axis=axis)
    xp = namespace(x)
    return xp.take(x, xp.asarray(list(numbers), dtype=xp.int64, device=device_of(x)), axis=axis)


def widened(x: Array) -> Array:
    """An array of half precision in single, so that sums of many entries keep their size; otherwise unchanged."""
    if isinstance(x, np.ndarray):
        return x if x.dtype.itemsize >= 4 else x.astype(np.float32)
    xp = namespace(x)
    return xp.astype(x, xp.float32) if xp.finfo(x.dtype).bits < 32 else x


def is_half(x: Array) -> bool:
    """Whether an array of floating-point numbers has fewer than 32 bits an entry."""
    if isinstance(x, np.ndarray):
        return bool(x.dtype.itemsize < 4)
    return bool(namespace(x).finfo(x.dtype).bits < 32)


def narrowed(result: Array, *arrays: Array) -> Array:
    """What was computed in single precision, in the half precision of the arrays where all have it; else unchanged."""
    dtype = arrays[0].dtype
    return result if result.dtype == dtype or not all(map(is_half, arrays)) else namespace(result).astype(result, dtype)


def tolerance(dtype: Any, xp: Any = np) -> float:
    """The largest difference at which two iterates count as equal: ε^¾, 1.8e-12 in float64, 6.4e-6 in float32."""
    return float(xp.finfo(dtype).eps ** 0.75)


def require_finite(array: Array, what: str, most: float = math.inf) -> None:
    """Raise `InvalidInput` for a NaN, an infinity, or an entry beyond ±most; the message names the first such row.

    Numbers that are not known yet, while a library traces a function, are not looked at. A device is asked once for
    all rows, which stay there.
    """
    xp = namespace(array)
    rows = array if array.ndim > 1 else array[None, ...]
    starts = range(0, rows.shape[0], 4096)  # in blocks: rows that lie in a file may be larger than the memory

    def within(start: int) -> Array:
        block = rows[start : min(start + 4096, rows.shape[0]), ...]
        return xp.isfinite(block) if math.isinf(most) else xp.abs(block) <= most

    if not starts or not known_true(~xp.all(flags := xp.stack([xp.all(within(start)) for start in starts]))):
        return
    start = starts[_first(~flags)[0]]
    bad = ~(xp.all(within(start), axis=-1) if array.ndim else within(start))
    row, *others = _first(bad)
    where, numbers = f"row {first_true(bad, start)} " if array.ndim > 1 else "", rows[(start + row, *others, ...)]
    if not bool(xp.all(xp.isfinite(numbers))):
        raise InvalidInput(f"{what}: {where}holds a NaN or an infinity; expected finite numbers")
    largest = f"holds a number of size {float(xp.max(xp.abs(numbers))):.3g}; expected at most {most:.3g}"
    raise InvalidInput(f"{what}: {where}{largest}, so that products can be summed")


def max_safe_entry(array: Array) -> float:
    """The largest |entry| of vectors `(…, dim)` with which sums of their products do not overflow: √(largest / dim).

    Half precision is multiplied in single precision; where no number of it is too large, the bound is infinite.
    """
    xp = namespace(array)
    bound = (float(xp.finfo(xp.float32 if is_half(array) else array.dtype).max) / array.shape[-1]) ** 0.5
    return bound if bound < float(xp.finfo(array.dtype).max) else math.inf


@dataclass(eq=False)
class Fit:
    """The arrays of one call, of one library, whose axes of one name have one length.

    first: the name of the first array and the array, with which the others must fit; None before it comes. like: such a
    pair for the first array of the call, which must be of its library, but of any dtype. sizes: the length of each
    axis, and the array that has it. leads: the leading axes of each array that has some.
    """

    first: tuple[str, Array] | None = None
    like: tuple[str, Array] | None = None
    sizes: Sizes = field(default_factory=dict)
    leads: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __call__(self, value: Any, what: str, axes: Of) -> Array:
        """The value as an array that fits the others; raises `InvalidInput` where its lengths differ from theirs."""
        first, pair = self.first, self.first or self.like
        of_numpy = type(value) is np.ndarray and value.dtype.kind == "f"
        array = value if of_numpy else as_float(value, what, None if pair is None else pair[1])
        if first is None:
            if self.like is not None:
                require_one_library(array, self.like[1], what, self.like[0])
            self.first = what, array
        elif not (isinstance(array, np.ndarray) and isinstance(first[1], np.ndarray)):
            require_fitting(array, first[1], what, first[0])
        if axes.leading and array.ndim > len(axes.names):
            self.leads[what] = tuple(array.shape[: array.ndim - len(axes.names)])
        shape, names, sizes = array.shape, axes.names, self.sizes
        if axes.optional and len(shape) < len(names):
            names = names[1:]
        lengths = shape[len(shape) - len(names) :] if axes.leading else shape
        if len(lengths) != len(names) or 0 in lengths:
            raise axes.refusal(tuple(shape), names, what, sizes)
        for name, length in zip(names, lengths, strict=True):
            if sizes.setdefault(name, (length, what))[0] != length:
                raise axes.refusal(tuple(shape), names, what, sizes)
        if axes.finite:
            require_finite(array, what)
        return array

    def require_common(self) -> None:
        """Raise `InvalidInput` unless the leading axes broadcast."""
        common_axes(", ".join(self.leads), *self.leads.values())


def shaped(
    values: Any, what: str, axes: str, *, like: tuple[str, Array] | None = None, **lengths: int | tuple[int, str]
) -> Array:
    """The values as a floating-point array with these axes, each of at least one entry.

    axes: their names; a `…` before them stands for any leading axes. lengths: of an axis, by its name, perhaps with the
    name of the array that has it. like: the name of an array and the array, whose library lists and numbers take; an
    array must be one of it. Raises `InvalidInput` for another shape, library, device or dtype.

    >>> shaped([[1, 2]], "cues", "… dim", dim=2)
    array([[1., 2.]])
    >>> shaped([1, 2, 3], "cues", "… dim", dim=2)
    Traceback (most recent call last):
        ...
    hopattn.foundation.errors.InvalidInput: cues: got shape (3,); expected (…, dim) with dim = 2
    """
    fit = Fit(like)
    fit.sizes |= {name: length if isinstance(length, tuple) else (length, "") for name, length in lengths.items()}
    return fit(values, what, Of(axes))


def stored_rows(values: Any, what: str, multiplied: bool = False) -> Array:
    """Vectors to store, `(n_patterns, dim)`; raises `InvalidInput` if there are none or an entry is not finite.

    multiplied: whether an entry so large that sums of its products overflow is refused too. A NumPy array of at most
    `COPIED` bytes is copied, so that a later change of the caller's array changes nothing. A larger one, an array in a
    file and an array of another library are kept as they are: do not change them.
    """
    rows = shaped(values, what, "n_patterns dim")
    require_finite(rows, what, max_safe_entry(rows) if multiplied else math.inf)
    if type(rows) is np.ndarray and rows.nbytes <= COPIED and (rows.flags.writeable or rows.base is not None):
        rows = rows.copy()
        rows.flags.writeable = False
    return rows


def require_finite_energy(energy: np.ndarray, cure: str) -> None:
    """Raise `InvalidInput` for an energy that is not finite; the message names the row of the first such cue.

    cure: what to use, or smaller vectors.
    """
    bad = ~np.isfinite(energy)
    if np.any(bad):
        where = "" if energy.ndim == 0 else f" (row {first_true(bad)})"
        raise InvalidInput(f"energy: beyond the numbers of {energy.dtype}{where}; use smaller vectors, or {cure}")


def first_true(flags: Array, offset: int = 0) -> str:
    """The index of the first True as text: `3`, or `1, 3` with two axes. offset: added to the index of the row."""
    row, *indices = _first(flags)
    return ", ".join(map(str, (offset + row, *indices)))


def _first(flags: Array) -> tuple[int, ...]:
    xp = namespace(flags)
    flat = int(xp.argmax(xp.astype(xp.reshape(flags, (-1,)), xp.int8)))
    return tuple(map(int, np.unravel_index(flat, tuple(flags.shape))))
