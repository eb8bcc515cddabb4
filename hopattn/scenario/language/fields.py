"""The types that scenario files are made of: strict tables, numbers, names from the registries, matrices.

Everything is strict (a text is no number, a number no truth value) and closed (an unknown key is an error).
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import date, time
from functools import cached_property
from typing import Annotated, Any, Literal, Union

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Tag,
    create_model,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from hopattn.foundation.errors import unknown
from hopattn.foundation.registry import Entry, Registry
from hopattn.scenario.language.lines import Path

MAX_NUMBERS = 2**27
"""The most numbers that a scenario may ask for in one array family: one gibibyte in float64."""

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


@dataclass(frozen=True)
class Problem:
    """Something wrong in a scenario: at which path, and what."""

    path: Path
    message: str


def toml_sort(value: Any) -> str:
    """Which sort of TOML value this is: table, array, text, truth value or number.

    >>> toml_sort([1]), toml_sort("a"), toml_sort(1.5)
    ('array', 'text', 'number')
    """
    sorts = ((bool, "truth value"), (BaseModel, "table"), (dict, "table"), (list, "array"), (str, "text"))
    found = next((sort for kind, sort in sorts if isinstance(value, kind)), "number")
    return "date" if found == "number" and isinstance(value, (date, time)) else found


BySort = Discriminator(toml_sort)
"""Tells the choices of a union apart by the sort of the TOML value; each choice carries the sort as its `Tag`."""

TextOrTexts = Annotated[
    Annotated[Text, Tag("text")] | Annotated[list[Text], Field(min_length=1), Tag("array")],
    BySort,
]


Parameters = Callable[[Any], dict[str, tuple[Any, Any]]]
"""What gives the parameters of an entry: for each its type and its default, `...` where it has none."""


def own_fields(entry: Any) -> dict[str, tuple[Any, Any]]:
    """The parameters of an entry that is a dataclass: its fields."""
    found = fields(entry) if is_dataclass(entry) else ()
    return {
        field.name: (Number if field.type is float else field.type, ... if field.default is MISSING else field.default)
        for field in found
    }


@dataclass(frozen=True, eq=False)
class NameIn:
    """Marks a text as a name that a registry knows."""

    registry: Mapping[str, Any]
    parameters: Parameters = own_fields

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the name after the text."""
        return core_schema.no_info_after_validator_function(self._known, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The names as an enumeration, which editors complete."""
        return {"type": "string", "enum": self.names}

    @cached_property
    def names(self) -> list[str]:
        """The entries that need no parameter, so that their name alone says what is meant."""
        return [name for name, entry in self.registry.items() if not self._needed(entry)]

    def _needed(self, entry: Any) -> list[str]:
        return [name for name, (_, default) in self.parameters(entry).items() if default is ...]

    def _known(self, word: str) -> str:
        if word in self.registry and (needed := self._needed(self.registry[word])):
            table = f'{{ name = "{word}", {", ".join(f"{name} = …" for name in needed)} }}'
            raise PydanticCustomError("unknown_name", "{message}", {"message": f"'{word}' needs more: write {table}"})
        if word not in self.names:
            raise PydanticCustomError("unknown_name", "{message}", {"message": unknown(word, self.registry)})
        return word


@dataclass(frozen=True, eq=False)
class EntryIn:
    """Marks a table as a registry's entry: its name and its parameters, such as { name = "power", n = 3 }."""

    registry: Mapping[str, Any]
    without: tuple[str, ...] = ()
    """Parameters that have a key of their own elsewhere."""
    parameters: Parameters = own_fields
    suffix: str = "Table"
    """What the tables' names end in, in the schema."""

    @cached_property
    def annotation(self) -> Any:
        """The union of one table for each entry, made from the entries' own fields."""
        tables: list[Any] = []
        for name, entry in self.registry.items():
            parameters: Any = {key: told for key, told in self.parameters(entry).items() if key not in self.without}
            parameters["name"] = (Literal[name], ...)
            title = "".join(word.capitalize() for word in name.split("_"))
            tables.append(create_model(f"{title}{self.suffix}", __base__=Table, __doc__=entry.__doc__, **parameters))
        return Annotated[Union[tuple(tables)], Discriminator("name")]  # noqa: UP007

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the table as the entry that its name says."""
        return handler.generate_schema(self.annotation)


def chosen(registry: Registry[Entry], entry: Any, **parameters: Any) -> Entry:
    """The registry's entry that a scenario names, by its name alone or by a table with parameters."""
    if isinstance(entry, str):
        return registry.make(entry, **parameters)
    return registry.make(entry.name, **parameters, **entry.model_dump(exclude={"name"}))
