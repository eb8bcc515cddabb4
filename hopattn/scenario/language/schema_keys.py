"""The keys that the schema allows at a place of a file, found by following its annotations."""

import types
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag

from hopattn.scenario.language.fields import EntryIn


def known_keys(model: type[BaseModel], location: Sequence[str | int]) -> list[str]:
    """The keys that the schema allows in the table at a location."""
    tables = [table for annotation in annotations_at(model, location) for table in _models(annotation)]
    return sorted({field.alias or name for table in tables for name, field in table.model_fields.items()})


def annotations_at(model: type[BaseModel], location: Sequence[str | int]) -> list[Any]:
    """The annotations of what may stand at a location."""
    candidates: list[Any] = [model]
    for key in location:
        candidates = [inner for candidate in candidates for inner in _inside(candidate, key)]
    return candidates


def is_invented(model: type[BaseModel], path: Sequence[str]) -> bool:
    """Whether the last key of a path is a name that the author of the file chose, such as a word or a cue.

    path: keys only; the numbers of the entries of lists are left out.
    """
    tables: list[Any] = [model]
    for key in path[:-1]:
        tables = [inner for table in tables for annotation in _inside(table, key) for inner in _tables(annotation)]
    models = [table for table in tables if isinstance(table, type) and issubclass(table, BaseModel)]
    return not any((field.alias or name) == path[-1] for one in models for name, field in one.model_fields.items())


def _tables(annotation: Any) -> Iterator[Any]:
    """The tables among the choices of an annotation, also those in its lists: models, and tables with free keys."""
    for option, tag in options(annotation):
        if get_origin(option) is list:
            yield from _tables(get_args(option)[0])
        elif get_origin(option) is dict or (isinstance(option, type) and issubclass(option, BaseModel)):
            yield option
        elif tag is not None:
            yield from _tables(option)


def _inside(annotation: Any, key: str | int) -> Iterator[Any]:
    """The annotations one step further in a location.

    key: the key of a field, the index or key of an entry, or the tag of a choice of a union.
    """
    for option, tag in options(annotation):
        if tag is not None and tag == key:
            yield option
        elif isinstance(option, type) and issubclass(option, BaseModel):
            yield from (field.annotation for name, field in option.model_fields.items() if (field.alias or name) == key)
        elif get_origin(option) in (list, dict):
            yield get_args(option)[-1]


def options(annotation: Any) -> Iterator[tuple[Any, str | None]]:
    """The choices of an annotation, each with the tag by which a location names it; None if it has no tag."""
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        inner = next((extra.annotation for extra in extras if isinstance(extra, EntryIn)), inner)
        tag = next((extra.tag for extra in extras if isinstance(extra, Tag)), None)
        yield from options(inner) if tag is None else [(inner, tag)]
    elif get_origin(annotation) in (Union, types.UnionType):
        for option in get_args(annotation):
            yield from options(option)
    else:
        fields = getattr(annotation, "model_fields", {})
        yield annotation, next(iter(get_args(fields["name"].annotation)), None) if "name" in fields else None


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The tables among the choices of an annotation, those of nested unions too."""
    for option, tag in options(annotation):
        if isinstance(option, type) and issubclass(option, BaseModel):
            yield option
        elif tag is not None:
            yield from _models(option)
