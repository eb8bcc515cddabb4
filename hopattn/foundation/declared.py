"""Declared checks: the annotation of a parameter or a field says what it must be.

    @checked
    def hebb(patterns: Rows, self_coupling: Flag = False): ...

    @dataclass(frozen=True)
    class Entmax(Declared):
        alpha: Annotated[float, partial(real, above=1)] = 1.5

`checked` and `Declared` call the check of each annotation with the value and its name, and put in what it returns. A
value that is the default of its parameter is left as it is, so that None may stand for "not given".
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, dataclass
from functools import wraps
from typing import Annotated, Any, ClassVar, ParamSpec, TypeVar, get_origin

from hopattn.foundation.arrays import Array, stored_rows
from hopattn.foundation.arrays import shaped as shaped
from hopattn.foundation.checks import flag, positive, real, whole
from hopattn.foundation.errors import InvalidInput

Given = ParamSpec("Given")
Result = TypeVar("Result")
Check = Callable[[Any, str], Any]


@dataclass(frozen=True)
class Shape:
    """The check that an array has these axes, as `shaped` does it; an axis of one name has one length in a call."""

    axes: str

    def __call__(self, value: Any, what: str) -> Array:
        return shaped(value, what, self.axes)

    def lengths(self, array: Array) -> dict[str, int]:
        """The length of each named axis."""
        names = self.axes.removeprefix("…").split()
        return dict(zip(reversed(names), reversed(array.shape), strict=False))


Positive = Annotated[float, positive]
Real = Annotated[float, real]
Count = Annotated[int, whole]
Flag = Annotated[bool, flag]
Rows = Annotated[Any, stored_rows]
Vectors = Annotated[Any, Shape("… dim")]


def check_of(annotation: Any) -> Check | None:
    """The check that an annotation declares, or None."""
    declared = annotation.__metadata__ if get_origin(annotation) is Annotated else ()
    return next(filter(callable, declared), None)


def checked(call: Callable[Given, Result]) -> Callable[Given, Result]:
    """A function that checks its arguments as their annotations declare; raises `InvalidInput` for a wrong one."""
    parameters = list(inspect.signature(call).parameters.values())
    by_place = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    declared = [(one.name, check, one.default) for one in parameters if (check := check_of(one.annotation))]

    @wraps(call)
    def with_checks(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        given = dict(zip(by_place, args, strict=False))
        if not kwargs.keys().isdisjoint(given):
            return call(*args, **kwargs)  # Python says which argument is given twice
        given |= kwargs
        found = []
        for name, check, default in declared:
            if name in given and given[name] is not default:
                given[name] = check(given[name], name)
                found.append((name, check, given[name]))
        _require_equal_axes(found)
        places = [given.pop(name) for name in by_place[: len(args)]]
        return call(*places, *args[len(by_place) :], **given)  # type: ignore[arg-type]

    return with_checks


class Declared:
    """The base of a frozen dataclass whose fields declare their checks."""

    _checks: ClassVar[dict[str, tuple[Check, Any]]] = {}
    """The check of each field that has one, and its default; read once, so that PyTorch can trace the construction."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        inherited = [getattr(base, "_checks", {}) for base in reversed(cls.__bases__)]
        cls._checks = {name: one for checks in inherited for name, one in checks.items()}
        for name, annotation in inspect.get_annotations(cls).items():
            if check := check_of(annotation):
                default = vars(cls).get(name, MISSING)
                cls._checks[name] = check, default.default if isinstance(default, Field) else default

    def __post_init__(self) -> None:
        for name, (check, default) in self._checks.items():
            if (value := getattr(self, name)) is not default:
                object.__setattr__(self, name, check(value, name))
        _require_equal_axes((name, check, getattr(self, name)) for name, (check, _) in self._checks.items())


def _require_equal_axes(checked_values: Iterable[tuple[str, Check, Any]]) -> None:
    """Raise `InvalidInput` where two arrays have an axis of one name and different lengths."""
    seen: dict[str, tuple[str, int]] = {}
    for what, check, value in checked_values:
        if not isinstance(check, Shape) or value is None:
            continue
        for axis, n in check.lengths(value).items():
            other, length = seen.setdefault(axis, (what, n))
            if length != n:
                raise InvalidInput(f"{what}: got {axis} = {n}; expected {axis} = {length}, that of {other}")
