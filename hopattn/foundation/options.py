"""Options of a function that has many: typed by a `TypedDict`, checked by name, and shown with their defaults."""

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any, TypeVar, get_type_hints

from hopattn.foundation.errors import InvalidInput, unknown

Function = TypeVar("Function", bound=Callable[..., Any])


def shows_options(kinds: type, defaults: Mapping[str, Any]) -> Callable[[Function], Function]:
    """A decorator of a function with `**options: Unpack[kinds]`: `help` shows each option with its type and default.

    kinds: a `TypedDict` of the options. defaults: the default of each.
    """

    def decorated(function: Function) -> Function:
        plain, types = signature(function), get_type_hints(kinds)
        named = [one for one in plain.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        options = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=types[name])
            for name, default in defaults.items()
        ]
        function.__dict__["__signature__"] = plain.replace(parameters=[*named, *options])
        return function

    return decorated


def require_options(what: str, given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` for the first option that is not known; the message gives the nearest and all of them.

    >>> require_options("Head", {"betta": 2.0}, {"beta": 1.0, "mask": "causal"})
    Traceback (most recent call last):
        ...
    hopattn.foundation.errors.InvalidInput: Head: option 'betta' is unknown; did you mean 'beta'? (choices: beta, mask)
    """
    for name in given:
        if name not in known:
            raise InvalidInput(f"{what}: option {unknown(name, known)}")
