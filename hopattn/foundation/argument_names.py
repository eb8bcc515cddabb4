"""The names of the arguments that a call takes; any other is refused with the nearest one, or with our word for it.

The functions and methods that do so are `boundary.public`. A class does so where it becomes public, by its name in a
room or in a registry.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.shown import always_shown
from hopattn.foundation.shown_types import declared, show_methods, show_types
from hopattn.foundation.torch_words import TORCH_WORDS, WITHOUT

Kind = TypeVar("Kind", bound=type[Any])
PLACED = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


class ArgumentNames:
    """The names of the arguments that a call takes."""

    def __init__(self, call: Callable[..., Any], signature: inspect.Signature, name: str = "") -> None:
        parameters = signature.parameters.values()
        kinds = {parameter.kind for parameter in parameters}
        self.name = name or call.__qualname__.removesuffix(".__call__").removesuffix(".__init__")
        self.method = next(iter(signature.parameters), "") in ("self", "cls")
        self.placed = [parameter.name for parameter in parameters if parameter.kind in PLACED]
        self.keywords = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
        self.names = {*self.placed, *self.keywords}
        self.any_name = inspect.Parameter.VAR_KEYWORD in kinds
        self.most = sys.maxsize if inspect.Parameter.VAR_POSITIONAL in kinds else len(self.placed)

    def require_taken(self, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        """Raise `InvalidInput` for a keyword, or for more arguments by position, than the call takes."""
        for name in options:
            if name not in self.names and not self.any_name:
                raise InvalidInput(f"{self._call(args)}: option {self._cure(name)}")
        if len(args) <= self.most:
            return
        placed = ", ".join(name for name in self.placed if name != "self") or "nothing"
        keywords = ", ".join(f"{name}=" for name in self.keywords)
        cure = f"write {keywords} by name" if keywords else "there are no others"
        n = len(args) - self.method
        raise InvalidInput(f"{self._call(args)}: got {n} arguments by position; expected only {placed}; {cure}")

    def _call(self, args: tuple[Any, ...]) -> str:
        """The name of the call; that of a method begins with the class of its object, which may inherit it."""
        if not (self.method and args):
            return self.name
        kind = args[0] if isinstance(args[0], type) else type(args[0])
        _, dot, method = self.name.partition(".")
        return f"{kind.__name__}{dot}{method}"

    def _cure(self, name: str) -> str:
        """What to write in the place of a keyword that the call lacks."""
        for word, value in TORCH_WORDS.get(name, {}).items():
            if word in self.names:
                bias = "; bias= for numbers that are added" * (name == "attn_mask" and "bias" in self.names)
                return f"'{name}' is PyTorch's word; write {word}={value}{bias}"
        if name in WITHOUT and {"q", "x", "w_query"} & self.names:
            return f"'{name}' is PyTorch's word; {WITHOUT[name]}"
        return unknown(name, self.names - {"self"})


_PUBLIC = set[Any]()
"""The classes that are public already."""


def public_class(kind: Kind) -> Kind:
    """The class, whose constructor refuses an argument that it does not take.

    Its objects are always shown, and its signatures have words for their types.
    """
    if kind in _PUBLIC:
        return kind
    construct: Any = kind.__init__
    arguments = declared(construct)
    names = ArgumentNames(construct, arguments, kind.__name__)

    @wraps(construct)
    def constructor(self: Any, *args: Any, **options: Any) -> None:
        try:
            construct(self, *args, **options)
        except TypeError as error:
            reason = error
        else:
            return
        names.require_taken((self, *args), options)  # here, so that no other error stands before the message
        raise reason

    if not names.any_name:  # not `object.__init__`, which looks at its arguments itself
        kind.__init__ = constructor
        show_types(constructor, lambda: arguments.replace(return_annotation=arguments.empty))
    show_methods(kind)
    _PUBLIC.add(kind)
    return always_shown(kind)
