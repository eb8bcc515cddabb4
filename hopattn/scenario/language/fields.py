"""The types of the values in a scenario file: tables, numbers, names from the registries, matrices.

Every type is strict: a text is never a number, a number never a truth value. Each table is closed: an unknown key is an
error.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import date, time
from functools import cached_property
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal, Union

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PrivateAttr,
    Tag,
    create_model,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from hopattn.foundation.registry import Entry, Registry, is_path, unknown_in
from hopattn.scenario.language.lines import Path

MAX_NUMBERS = 2**27
"""The largest number of elements that a scenario may ask for, all arrays of a run together: one gibibyte in float64."""

NOT_IMPORTED = "a file imports nothing: give your class to ha.register in Python, or name it by --set"
"""Why a file cannot name a class of the user's own by its path."""

Number = Annotated[float, Field(allow_inf_nan=False)]
PositiveNumber = Annotated[float, Field(allow_inf_nan=False, gt=0)]
Tolerance = Annotated[float, Field(allow_inf_nan=False, ge=0)]
Count = Annotated[int, Field(ge=1, le=10**12)]
Angle = Annotated[float, Field(ge=-1e6, le=1e6)]
Text = Annotated[str, Field(min_length=1)]
Vector = Annotated[list[Number], Field(min_length=1)]
Matrix = Annotated[list[Vector], Field(min_length=1)]


class Table(BaseModel):
    """A TOML table with a fixed set of keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class TableWithFiles(Table):
    """A table that names files, by their paths from the folder of the scenario."""

    _folder: FilePath = PrivateAttr(default=FilePath())

    def model_post_init(self, context: Any, /) -> None:
        """Keep the folder of the scenario."""
        if context is not None:
            self._folder = context["folder"]


@dataclass(frozen=True)
class Problem:
    """An error in a scenario: the path of the key, and a message for the user."""

    path: Path
    message: str


def toml_type(value: Any) -> str:
    """The type of a TOML value, as messages name it: table, array, text, truth value, number or date.

    >>> toml_type([1]), toml_type("a"), toml_type(1.5)
    ('array', 'text', 'number')
    """
    names = (
        (bool, "truth value"),
        ((BaseModel, dict), "table"),
        (list, "array"),
        (str, "text"),
        ((date, time), "date"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), "number")


ByTomlType = Discriminator(toml_type)
"""Selects a choice of a union by the type of the TOML value; the `Tag` of each choice is the name of its type."""

TextOrTexts = Annotated[
    Annotated[Text, Tag("text")] | Annotated[list[Text], Field(min_length=1), Tag("array")],
    ByTomlType,
]

Parameters = Callable[[Any], dict[str, tuple[Any, Any]]]
"""A function from a registry's entry to its parameters, name → (type, default); the default of a required parameter is
`...`."""


def own_fields(entry: Any) -> dict[str, tuple[Any, Any]]:
    """The fields of an entry that is a dataclass, as its parameters; none for any other entry."""
    return {
        field.name: (Number if field.type is float else field.type, ... if field.default is MISSING else field.default)
        for field in (fields(entry) if is_dataclass(entry) else ())
    }


@dataclass(frozen=True, eq=False)
class NameIn:
    """Annotation of a text that names an entry of a registry."""

    registry: Mapping[str, Any]
    parameters: Parameters = own_fields

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema of the text, followed by the check of the name."""
        return core_schema.no_info_after_validator_function(self._known, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The names as an enumeration, so that editors complete them."""
        return {"type": "string", "enum": self.names}

    @property
    def names(self) -> list[str]:
        """The entries that can be given by their name alone: they have no required parameter."""
        return [name for name, entry in self.registry.items() if not self._required(entry)]

    def _required(self, entry: Any) -> list[str]:
        return [name for name, (_, default) in self.parameters(entry).items() if default is ...]

    def _known(self, word: str) -> str:
        _require_entry(word, self.registry)
        if required := self._required(self.registry[word]):
            table = f'{{ name = "{word}", {", ".join(f"{name} = …" for name in required)} }}'
            raise PydanticCustomError("unknown_name", "{message}", {"message": f"'{word}' needs more: write {table}"})
        return word


@dataclass(frozen=True, eq=False)
class EntryIn:
    """Annotation of a table that gives an entry of a registry with its parameters: { name = "power", n = 3 }."""

    registry: Mapping[str, Any]
    without: tuple[str, ...] = ()
    """Parameters that are left out of the table, because another key of the file gives them."""
    parameters: Parameters = own_fields
    suffix: str = "Table"
    """The end of each table's name in the schema."""

    @cached_property
    def annotation(self) -> Any:
        """A union with one table for each entry; the keys of a table are `name` and the entry's parameters."""
        tables = tuple(self._table(name) for name in self._built)
        return Annotated[Union[tables], Discriminator("name")]  # noqa: UP007

    @cached_property
    def _built(self) -> tuple[str, ...]:
        return tuple(self.registry)

    def _table(self, name: str) -> type[Table]:
        entry = self.registry[name]
        parameters: Any = {
            key: definition for key, definition in self.parameters(entry).items() if key not in self.without
        }
        parameters["name"] = (Literal[name], ...)
        title = "".join(word.capitalize() for word in name.replace("-", "_").split("_"))
        return create_model(f"{title}{self.suffix}", __base__=Table, __doc__=entry.__doc__, **parameters)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema of the union; `name` selects the table. A class that was registered later has one of its own."""
        union = handler.generate_schema(self.annotation)
        written = core_schema.wrap_serializer_function_ser_schema(self._written, schema=union)
        return core_schema.no_info_wrap_validator_function(self._checked, union, serialization=written)

    def _checked(self, value: Any, check: Callable[[Any], Any]) -> Any:
        name = value.get("name") if isinstance(value, dict) else None
        if isinstance(name, str):
            _require_entry(name, self.registry)
        later = isinstance(name, str) and name in self.registry and name not in self._built
        return self._table(name).model_validate(value) if later and name else check(value)

    def _written(self, value: Any, write: Callable[[Any], Any]) -> Any:
        return write(value) if getattr(value, "name", None) in self._built else value.model_dump()


def _require_entry(name: str, registry: Mapping[str, Any]) -> None:
    """Raise `PydanticCustomError` for a name that a registry lacks, with our word for it or the nearest name."""
    if name not in registry:
        message = unknown_in(registry, name) + f"; {NOT_IMPORTED}" * is_path(name)
        raise PydanticCustomError("unknown_name", "{message}", {"message": message})


def registry_entry(registry: Registry[Entry], entry: Any, **parameters: Any) -> Entry:
    """The object that a scenario asks a registry for.

    entry: a name, or a checked table of `EntryIn`. parameters: further ones, which have keys of their own in the file.
    """
    if isinstance(entry, str):
        return registry.make(entry, **parameters)
    return registry.make(entry.name, **parameters, **entry.model_dump(exclude={"name"}))
