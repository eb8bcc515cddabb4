"""The names that a public call or object has; any other is refused with the nearest one, or with our word for it.

Functions that do so are `boundary.public`; methods and attributes are those of a `PublicObject`. A constructor does so
where its class becomes public, by its name in a room or in a registry.
"""

import inspect
import sys
from abc import ABCMeta
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.other_words import ARGUMENTS, ATTRIBUTES, clause_of
from hopattn.foundation.shown import always_shown
from hopattn.foundation.shown_types import declared, show_methods, show_types, spelled_out
from hopattn.foundation.torch_words import TORCH_WORDS, WITHOUT

Kind = TypeVar("Kind", bound=type[Any])
Method = TypeVar("Method", bound=Callable[..., Any])
PLACED = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


class ArgumentNames:
    """The names of the arguments that a call takes."""

    def __init__(self, call: Callable[..., Any], signature: inspect.Signature, name: str = "") -> None:
        parameters = spelled_out(signature).parameters.values()
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
        placed = ", ".join(name for name in self.placed if name not in ("self", "cls"))
        expected = f"expected only {placed}" if placed else "expected none"
        keywords = ", ".join(f"{name}=" for name in self.keywords)
        others = "write all others by name" if self.any_name else "there are no others"
        cure = f"write {keywords} by name" if keywords else others
        n = len(args) - self.method
        raise InvalidInput(f"{self._call(args)}: got {n} argument{'s' * (n != 1)} by position; {expected}; {cure}")

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
        if clause := clause_of(ARGUMENTS, name, self.names.__contains__, "write {}="):
            return f"'{name}' is unknown; {clause}"
        return unknown(name, self.names - {"self", "cls"})


_PUBLIC = set[Any]()
"""The classes that are public already."""
_REFUSING, _IN_LOOPS = set[Any](), set[Any]()
"""The calls that refuse an argument themselves, and the methods that loops call."""


def refusing(call: Method) -> Method:
    """A call that refuses an argument that it does not take."""
    _REFUSING.add(call)
    return call


def in_loops(method: Method) -> Method:
    """A method that loops call at every step, where a call more would be felt: Python alone refuses its arguments.

    This holds for the methods of subclasses that replace it, too.
    """
    _IN_LOOPS.add(method)
    return method


def public_class(kind: Kind) -> Kind:
    """The class, whose constructor refuses an argument that it does not take.

    Its objects are always shown, and its signatures have words for their types.
    """
    if kind in _PUBLIC:
        return kind
    construct: Any = kind.__init__
    if construct is not object.__init__:  # which looks at its arguments itself
        kind.__init__ = _guarded(construct, kind.__name__)
        show_types(kind.__init__, lambda: declared(construct).replace(return_annotation=inspect.Signature.empty))
    show_methods(kind)
    _PUBLIC.add(kind)
    return always_shown(kind)


def _guarded(call: Any, name: str = "") -> Any:
    """The call, which refuses an argument that it does not take; name: that of the call in a message."""

    @wraps(call)
    def guarded(*args: Any, **options: Any) -> Any:
        try:
            return call(*args, **options)
        except TypeError as error:
            reason = error
        ArgumentNames(call, inspect.signature(call), name).require_taken(args, options)  # no error stands before this
        raise reason

    return refusing(guarded)


class PublicObject:
    """The base of the public classes: a method refuses an argument, and an object an attribute, with our word for it.

    >>> class Row(PublicObject):
    ...     couplings = 3
    >>> Row().weights
    Traceback (most recent call last):
        ...
    AttributeError: 'Row' object has no attribute 'weights'; write .couplings
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls.__module__.startswith("hopattn."):
            return
        for name, member in list(vars(cls).items()):
            bound = isinstance(member, (classmethod, staticmethod))
            method = member.__func__ if bound else member
            hidden = name.startswith("_") and name != "__call__"
            if hidden or not inspect.isfunction(method) or method in _REFUSING:
                continue
            replaced = (vars(base).get(name) for base in cls.__mro__)
            if not any(inspect.isfunction(one) and one in _IN_LOOPS for one in replaced):
                setattr(cls, name, type(member)(_guarded(method)) if bound else _guarded(method))

    if not TYPE_CHECKING:  # type checkers know the names already

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name):  # a property that raised an error: its own is the one to see
                return object.__getattribute__(self, name)
            raise _lacking(self, f"'{type(self).__name__}' object", name)


class OtherWords(ABCMeta):
    """The class of public classes that refuse an attribute of their own, such as `ha.Memory.load`, in this way too."""

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            raise _lacking(cls, f"type object '{cls.__name__}'", name)


def _lacking(thing: Any, what: str, name: str) -> AttributeError:
    """The error for an attribute that an object or a class lacks; without our word, Python adds the nearest one."""
    clause = "" if name.startswith("_") else clause_of(ATTRIBUTES, name, partial(hasattr, thing), "write .{}")
    return AttributeError(f"{what} has no attribute '{name}'{'; ' * bool(clause)}{clause}")
