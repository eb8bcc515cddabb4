"""The boundary of the package: the signature of a public call says what it takes, and one decorator checks it.

    @public
    def hebb(patterns: Rows, self_coupling: Flag = False) -> Array: ...

    @dataclass(frozen=True)
    class Affine(Declared):
        weight: Annotated[Array, Of("out in")]

        @public
        def __call__(self, x: Annotated[Array, Of("… in")]) -> Array: ...

* The annotation of a parameter, or of a field of a `Declared` class, holds a check. The check takes the value and its
  name; its result replaces the value. A class of this package is its own check. A value that is the default is not
  checked, so that None may stand for "not given".
* `Of` is the check of an array. Axes of one name have one length in all arrays of a call and of its object: above, x
  has as many entries as the weight has columns. An axis that bears the name of a whole number of the object has that
  length. Lists become arrays of the library of the others.
* A keyword that the call lacks is refused with the nearest one, or with our word for it. The constructors of all public
  classes, and their methods without a decorator, do so too: `argument_names.PublicObject`.
* `help()` shows the types of a call in words, not its checks: `shown_types.py`.
* A result that is not finite, although all arguments are, is refused with the argument that has the largest number.
"""

import inspect
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import partial, wraps
from typing import Annotated, Any, ClassVar, ParamSpec, TypeVar, get_args, get_origin, overload

import numpy as np

from hopattn.foundation.argument_names import ArgumentNames, PublicObject, refusing
from hopattn.foundation.arrays import PLAIN, Array, is_foreign_array, stored_rows
from hopattn.foundation.arrays import Fit as Fit
from hopattn.foundation.checks import flag, instance, moderate, positive, real, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.shapes import Of as Of
from hopattn.foundation.shown_types import declared, show_types

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Check = Callable[[Any, str], Any]
MayBe = Callable[[Any], Any]
"""A predicate of the numbers that a result may have; it gives a boolean array."""
NUMBERS = float, np.ndarray, Any
"""The annotations of a result whose numbers are checked: a number, an array of NumPy, an array of any library."""
finite = np.isfinite
FLOATS = np.ndarray, np.floating
OF_NUMPY = (*PLAIN, np.float64, float, int, bool, str, list, tuple, dict, type(None))
"""Classes that are surely no arrays of another library; most arguments have one of them."""


Positive = Annotated[float, positive]
Moderate = Annotated[float, moderate]
Real = Annotated[float, real]
Proportion = Annotated[float, partial(real, above=0.0, below=1.0)]
Count = Annotated[int, whole]
Flag = Annotated[bool, flag]
Rows = Annotated[Array, stored_rows, Of("n_patterns dim")]
Text = Annotated[Array, Of("… n dim")]


def check_of(annotation: Any) -> tuple[Check | None, Of | None]:
    """The check that an annotation declares, and the axes; None where it declares none.

    Raises `TypeError` for a check inside a union, which would never be called.
    """
    if isinstance(annotation, type) and annotation.__module__.startswith("hopattn."):
        return lambda value, what: instance(value, annotation, what), None
    if get_origin(annotation) is not Annotated:
        if any(check_of(part) != (None, None) for part in get_args(annotation) if get_origin(part) is Annotated):
            raise TypeError(f"{annotation}: write Annotated[kind | None, check], with the check outermost")
        return None, None
    entries = annotation.__metadata__
    return next(filter(callable, entries), None), next((entry for entry in entries if isinstance(entry, Of)), None)


class Owner(PublicObject):
    """The base of a class whose fields declare what they are: a check, the axes of an array, or both."""

    _declared: ClassVar[dict[str, tuple[Check | None, Of | None, Any]]] = {}
    """The check, the axes and the default of each such field; read once, so that PyTorch can trace a construction."""
    _lengths: ClassVar[tuple[tuple[str, str, int], ...]] = ()
    """The name of each axis, the field that has it, and its place from the end."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        inherited = (getattr(base, "_declared", {}) for base in reversed(cls.__bases__))
        cls._declared = {name: entry for entries in inherited for name, entry in entries.items()}
        for name, annotation in inspect.get_annotations(cls).items():
            check, axes = check_of(annotation)
            if check or axes:
                default = vars(cls).get(name, MISSING)
                cls._declared[name] = check, axes, default.default if isinstance(default, Field) else default
        arrays = [(name, axes) for name, (_, axes, _) in cls._declared.items() if axes]
        cls._lengths = tuple(
            (axis, name, i - len(axes.names)) for name, axes in arrays for i, axis in enumerate(axes.names)
        )

    def _require_fit(self) -> None:
        """Raise `InvalidInput` unless the arrays of the fields fit each other."""
        fit = Fit()
        for name, (_, axes, _) in self._declared.items():
            if axes:
                fit(getattr(self, name), name, axes)

    def _fit(self, axes: Collection[str]) -> Fit:
        """The lengths of these axes, as the fields have them; a class made of parts gives those of a part."""
        fit = Fit()
        for axis, name, place in self._lengths:
            if (array := getattr(self, name)) is None:
                continue
            fit.first = fit.first or (name, array)
            if axis in axes:
                fit.sizes.setdefault(axis, (array.shape[place], name))
        for axis in axes:
            if axis not in fit.sizes and type(length := getattr(self, axis, None)) is int:
                fit.sizes[axis] = length, ""
        return fit


class Declared(Owner):
    """The base of a frozen dataclass whose fields are checked when an object is made."""

    def __post_init__(self) -> None:
        fit = Fit()
        for name, (check, axes, default) in self._declared.items():
            if (value := getattr(self, name)) is not default:
                value = check(value, name) if check else value
                object.__setattr__(self, name, fit(value, name, axes) if axes else value)


class _Plan(ArgumentNames):
    """The checks that the signature of a call declares, read once."""

    def __init__(self, call: Callable[..., Any], parts: Callable[..., Any] | None) -> None:
        signature = inspect.signature(call)
        if parts is not None:
            arguments = [
                parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD
            ]
            options = declared(parts).parameters.values()
            keywords = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in options]
            signature = signature.replace(parameters=[*arguments, *keywords])
        super().__init__(call, signature)
        self.signature = signature
        self.has_owner = next(iter(signature.parameters), "") == "self" and call.__name__ != "__init__"
        places = {name: i for i, name in enumerate(self.placed)}
        declarations = [
            (places.get(parameter.name, sys.maxsize), parameter, *check_of(parameter.annotation))
            for parameter in signature.parameters.values()
        ]
        self.checks = [
            (i, parameter.name, check, parameter.default) for i, parameter, check, _ in declarations if check
        ]
        self.arrays = [(i, parameter.name, axes, parameter.default) for i, parameter, _, axes in declarations if axes]
        self.axes = {axis for *_, axes, _ in self.arrays for axis in axes.names}
        annotation = signature.return_annotation
        kinds = get_args(annotation) if get_origin(annotation) is tuple else (annotation,)
        plain = [get_args(kind)[0] if get_origin(kind) is Annotated else kind for kind in kinds if kind is not Ellipsis]
        self.gives_numbers = bool(kinds) and all(kind in NUMBERS for kind in plain)

    def arguments(self, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[list[Any], bool]:
        """The arguments by position after their checks, and whether any argument is an array of PyTorch or JAX.

        Arguments by name are put into `options`.
        """
        placed = list(args)
        for i, name, check, default in self.checks:
            if i < len(placed):
                if placed[i] is not default:
                    placed[i] = check(placed[i], name)
            elif options.get(name, default) is not default:
                options[name] = check(options[name], name)
        foreign = False
        for value in (*placed[self.method :], *options.values()):
            foreign = foreign or (type(value) not in OF_NUMPY and is_foreign_array(value))
        if not self.arrays:
            return placed, foreign
        owner = (placed[0] if placed else options.get("self")) if self.has_owner else None
        fit = owner._fit(self.axes) if isinstance(owner, Owner) else Fit()
        arrays = self.arrays
        if foreign and fit.first is None:  # lists follow an array of PyTorch or JAX
            values = {}
            for i, name, *_ in arrays:  # no comprehension: PyTorch's compiler may begin in the middle of one
                values[name] = placed[i] if i < len(placed) else options.get(name)
            arrays = sorted(arrays, key=lambda entry: not is_foreign_array(values[entry[1]]))
        for i, name, axes, default in arrays:
            if i < len(placed):
                if placed[i] is not default:
                    placed[i] = fit(placed[i], name, axes)
            elif options.get(name, default) is not default:
                options[name] = fit(options[name], name, axes)
        if len(fit.leads) > 1:
            fit.require_common()
        return placed, foreign


@overload
def public(call: Callable[Arguments, Result], /) -> Callable[Arguments, Result]: ...
@overload
def public(
    *, may_be: MayBe | None = ..., parts: Callable[..., Any] | None = None
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]: ...
def public(call: Any = None, /, *, may_be: Any = ..., parts: Callable[..., Any] | None = None) -> Any:
    """A function or a method that is called as its signature says; raises `InvalidInput` otherwise.

    may_be: the function that says which numbers the result may have; None for any. Without it, they must be finite
    where the annotation of the result is a number or an array (`Any` counts as an array). Arrays of PyTorch and JAX
    overflow as they do there. Where `np.errstate(over="ignore")` says that overflow is expected, results are unchanged.
    Only the result of the outermost call is checked, so that the message names that call. parts: the function that
    takes the options of `**parts`.
    """
    if call is None:
        return partial(public, may_be=may_be, parts=parts)
    plan = _Plan(call, parts)
    predicate = (finite if plan.gives_numbers else None) if may_be is ... else may_be

    @wraps(call)
    def checked(*args: Any, **options: Any) -> Any:
        if len(args) > plan.most or not (plan.any_name or options.keys() <= plan.names):
            plan.require_taken(args, options)
        placed, foreign = plan.arguments(args, options)
        if predicate is None or foreign or np.geterr()["over"] == "ignore":
            return call(*placed, **options)
        result: Any = None
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                result, no_result = call(*placed, **options), False
            except (OverflowError, np.linalg.LinAlgError):  # by numbers of Python, or by an array that is not finite
                no_result = True
        if isinstance(result, FLOATS) and result.dtype.kind == "f":  # most results: faster than `_arrays`
            if predicate(result).all():
                return result
        elif not no_result and all(predicate(array).all() for _, array in _arrays(result)):
            return result
        _refuse(plan, placed, options, no_result)
        return result

    show_types(checked, lambda: plan.signature)
    return refusing(checked)


def formula(call: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """As `public`, for a formula whose value may be infinite; it is NaN where the formula has no value."""
    return public(may_be=None)(call)


def not_minus_infinity(array: Any) -> Any:
    """Whether an energy may have these numbers: +∞ is that of an impossible state, −∞ an overflow."""
    return array > -np.inf


def _refuse(plan: _Plan, args: Any, options: dict[str, Any], no_result: bool) -> None:
    """Raise `InvalidInput` where there is no result, and where finite arguments give one that is not finite."""
    arguments = list(_arrays(plan.signature.bind(*args, **options).arguments))
    if not (no_result or (arguments and all(np.isfinite(array).all() for _, array in arguments))):
        return
    if not arguments:
        raise InvalidInput(f"{plan.name}: the result is beyond the numbers of float64; expected smaller arguments")
    largest = partial(max, key=lambda argument: float(np.abs(argument[1]).max()))
    numbers = [argument for argument in arguments if argument[1].ndim or "." not in argument[0]]
    name, array = largest(numbers or arguments)
    message = f"numbers of size {np.abs(array).max():.3g} give a result beyond those of {array.dtype}"
    parameter, value = largest(arguments)  # a parameter of a part, such as a power, has no dtype of its own
    cause = "" if parameter == name or value.ndim else f" with {parameter} = {value:g}"
    raise InvalidInput(f"{name}: {message}{cause}; expected smaller ones")


def _arrays(value: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """The arrays of numbers in a value, each with the name of the argument, or the path of the field, that holds it."""
    if isinstance(value, (np.ndarray, np.generic, float, int)):
        array = np.asarray(value)
        if array.dtype.kind in "iuf" and array.size:
            yield name, array
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _arrays(part, str(key))
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _arrays(part, name)
    elif is_dataclass(value):
        whole_name = type(value).__name__ if name in ("", "self") else name
        for field in fields(value):
            yield from _arrays(getattr(value, field.name), f"{whole_name}.{field.name}")
