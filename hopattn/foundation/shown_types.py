"""Signatures as a person reads them: `attention(q: Array[… n dim], …, mask: Mask | None = None) -> Array[… n dim_out]`.

The annotations of a public call hold its checks, and the paths of classes. `help()`, `inspect.signature` and a notebook
show the words of this file in their place; `declared` gives the annotations as they are written.
"""

import inspect
from collections.abc import Callable
from types import FunctionType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, Unpack, get_args, get_origin


class Word:
    """The word for a type: `Annotated[Any, Word("Mask")]` is shown as `Mask`."""

    def __init__(self, word: str) -> None:
        self.word = word


class Shown:
    """An annotation, which is written as its word. optional: whether None stands for "not given"."""

    def __init__(self, annotation: Any, optional: bool = False) -> None:
        self.annotation, self.optional = annotation, optional

    def __repr__(self) -> str:
        word = shown_type(self.annotation)
        return word + " | None" * (self.optional and not word.endswith(("None", "Any")))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shown) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(repr(self))


def shown_type(annotation: Any) -> str:
    """The type that an annotation stands for, as a person reads it.

    >>> shown_type(Annotated[float | None, abs]), shown_type(Annotated[Any | None, Word("Array[n dim]")])
    ('float | None', 'Array[n dim] | None')
    >>> shown_type(Callable[[int], Literal["a", "b"]] | tuple[Word, ...])
    "Callable[[int], 'a' | 'b'] | tuple[Word, ...]"
    """
    origin, entries = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        kind = entries[0]
        words = [entry.word for entry in entries if isinstance(entry, Word)]
        return words[-1] + " | None" * (NoneType in get_args(kind)) if words else shown_type(kind)
    if origin in (Union, UnionType):
        return " | ".join(sorted(dict.fromkeys(map(shown_type, entries)), key="None".__eq__))
    if origin is Literal:
        return " | ".join(map(repr, entries))
    if origin is Unpack:
        return shown_type(entries[0])
    if isinstance(annotation, str):
        return annotation
    if isinstance(annotation, list):
        return f"[{', '.join(map(shown_type, annotation))}]"
    if annotation is ...:
        return "..."
    if annotation in (None, NoneType):
        return "None"
    name = getattr(origin or annotation, "__name__", None) or repr(annotation)
    return f"{name}[{', '.join(map(shown_type, entries))}]" if entries else name


class ShownSignature(inspect.Signature):
    """A signature with words for its types; it is read when it is first looked at, so that imports stay fast."""

    def __getattr__(self, name: str) -> Any:  # of an attribute that `Signature.__init__` has not set yet
        if (read := vars(self).pop("read", None)) is None:
            raise AttributeError(name)
        written = read()
        parameters = [
            one if one.annotation is one.empty else one.replace(annotation=Shown(one.annotation, one.default is None))
            for one in written.parameters.values()
        ]
        result = written.return_annotation
        super().__init__(parameters, return_annotation=result if result is written.empty else Shown(result))
        return getattr(self, name)


def show_types(call: Any, read: Callable[[], inspect.Signature] | None = None) -> None:
    """Show the call with words for its types. read: gives the signature; by default, that of the call itself."""

    def of_call() -> inspect.Signature:
        shown = call.__signature__
        del call.__signature__
        signature = inspect.signature(call)
        call.__signature__ = shown
        return signature

    call.__signature__ = ShownSignature.__new__(ShownSignature)
    vars(call.__signature__)["read"] = read or of_call


def show_methods(kind: type) -> None:
    """Show the methods of a class, and those that it inherits in this package, with words for their types."""
    for base in kind.__mro__:
        if base.__module__.startswith("hopattn."):
            for name, member in vars(base).items():
                call = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
                hidden = name.startswith("_") and not name.endswith("__")
                if isinstance(call, FunctionType) and not hidden and "__signature__" not in vars(call):
                    show_types(call)


def declared(call: Callable[..., Any]) -> inspect.Signature:
    """The signature of a call with its annotations as they are written, not as they are shown."""
    signature = inspect.signature(call)
    parameters = [one.replace(annotation=_written(one.annotation)) for one in signature.parameters.values()]
    return inspect.Signature(parameters, return_annotation=_written(signature.return_annotation))


def spelled_out(signature: inspect.Signature) -> inspect.Signature:
    """The signature with each keyword of its `**options: Unpack[…]` as a parameter of its own, with the default `...`.

    >>> from typing import TypedDict
    >>> class Options(TypedDict, total=False):
    ...     beta: float
    >>> def call(x: float, **options: Unpack[Options]) -> None: ...
    >>> str(spelled_out(declared(call)))
    '(x: float, *, beta: float = Ellipsis) -> None'
    """
    parameters: list[inspect.Parameter] = []
    for one in signature.parameters.values():
        if one.kind is one.VAR_KEYWORD and get_origin(annotation := _written(one.annotation)) is Unpack:
            keywords = inspect.get_annotations(get_args(annotation)[0]).items()
            parameters += [
                one.replace(name=name, kind=one.KEYWORD_ONLY, default=..., annotation=kind) for name, kind in keywords
            ]
        else:
            parameters.append(one)
    return signature.replace(parameters=parameters)


def _written(annotation: Any) -> Any:
    return annotation.annotation if isinstance(annotation, Shown) else annotation
