"""The tables of a scenario file: the types of their values, and how a refusal of what they build gets its place.

Every type is strict: a text is never a number, a number never a truth value. Each table is closed: an unknown key is an
error. A table builds objects of the core. What the core refuses is the message, and the name of the argument in front
of it is the key.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from datetime import date, time
from functools import partial
from pathlib import Path as FilePath
from types import TracebackType
from typing import Annotated, Any, ClassVar, Literal, Self, Union

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PrivateAttr,
    Tag,
    TypeAdapter,
    create_model,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.foundation.registry import Entry, Registry, is_path, unknown_in
from hopattn.foundation.writing import in_sentence
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.syntax_faults import comma_hint

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
VectorOrMatrix = Annotated[
    Annotated[Vector, Tag("vector")] | Annotated[Matrix, Tag("matrix")],
    Discriminator(
        lambda value: "vector" if isinstance(value, list) and not (value and isinstance(value[0], list)) else "matrix"
    ),
]
"""A list of numbers, or of rows of numbers."""


PoolEntry = str | dict[str, Any] | list[Any]
"""A pool of [practice] as a file writes it: a name, a table with the name and parameters, or a list of values."""


@dataclass(frozen=True)
class Told:
    """Annotation of a key that the sheets of practice tell; a problem that needs any other key is refused.

    by: the texts of a language, such as "mask", that have a sentence for each of its values; by default the key has
    sentences of its own, and the keys of its table say for themselves whether they are told. pools: those from
    which a first table [practice] draws it anew, the narrowest first; of a table of vectors, each vector is drawn by
    itself, and the first pool is for vectors that are all of its sort.
    """

    by: str = ""
    pools: tuple[PoolEntry, ...] = ()


class Table(BaseModel):
    """A TOML table with a fixed set of keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    arguments: ClassVar[Mapping[str, str]] = {}
    """The keys that the core calls otherwise, by the name of its argument."""

    @classmethod
    def key_of(cls, argument: str) -> str | None:
        """The key that an argument of the core has here; None where there is none."""
        name = cls.arguments.get(argument, argument)
        return (cls.model_fields[name].alias or name) if name in cls.model_fields else None


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


class Refused(InvalidInput):
    """What the tables of a file say, and the core or another table refuses, each with its place in the file."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(problem.message for problem in problems))
        self.problems = problems

    def below(self, path: Path) -> "Refused":
        """The same, of a table that stands at a place."""
        return Refused(*(Problem((*path, *problem.path), problem.message) for problem in self.problems))


@contextmanager
def at(*path: str | int, table: Table | type[Table] | None = None) -> Iterator[None]:
    """Give a place in the file to whatever is refused inside.

    table: what is built inside. A message that begins with one of its arguments, as those of the core do, has the place
    of that key.
    """
    try:
        yield
    except Refused as refused:
        raise refused.below(path) from None
    except InvalidInput as error:
        argument, colon, rest = str(error).partition(": ")
        if colon and table is not None and (key := table.key_of(argument)):
            raise Refused(Problem((*path, key), rest)) from None
        raise Refused(Problem(path, str(error))) from None


@contextmanager
def unnamed(argument: str) -> Iterator[None]:
    """Leave the name of an argument out at the start of a message, where the place in the file says it already."""
    try:
        yield
    except Refused:
        raise
    except InvalidInput as error:
        raise InvalidInput(str(error).removeprefix(f"{argument}: ")) from None


class Parts:
    """The parts of a table that do not need each other: what is refused in them is told together.

    >>> with Parts() as parts:
    ...     for i, number in enumerate([1, -1, -2]):
    ...         with parts.at("numbers", i):
    ...             need(number > 0, (), f"{number} is not positive")
    Traceback (most recent call last):
        ...
    hopattn.scenario.language.table.Refused: -1 is not positive
    -2 is not positive
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    @contextmanager
    def at(self, *path: str | int, table: Table | type[Table] | None = None) -> Iterator[None]:
        """As `at`, and what follows goes on."""
        try:
            with at(*path, table=table):
                yield
        except Refused as refused:
            self.problems += refused.problems

    def end(self) -> None:
        """Raise `Refused` with all that was refused so far; what follows needs every part."""
        if self.problems:
            raise Refused(*self.problems)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, InvalidInput):
            with self.at():
                raise error
        if kind is None or isinstance(error, InvalidInput):
            self.end()


def refusal(path: Path | str, message: str) -> Refused:
    """The error for what stands at a place."""
    return Refused(Problem((path,) if isinstance(path, str) else path, message))


def need(fits: object, path: Path | str, message: str | Callable[[], str]) -> None:
    """Refuse unless something fits: the way in which a table states a rule that the core does not have."""
    if not fits:
        raise refusal(path, message if isinstance(message, str) else message())


def need_known(word: str, words: Collection[str], *path: str | int) -> None:
    """Refuse a word that is not among others."""
    need(word in words, path, lambda: unknown(word, words))


def need_different(entries: Collection[str | float], path: Path = (), advice: str = "") -> None:
    """Refuse a name or a number that occurs in a list more than once; advice: the end of the message."""
    for entry, count in Counter(entries).items():
        if count > 1:
            message = f"'{shortened(entry)}'" if isinstance(entry, str) else f"{entry:g}"
            raise refusal(path, f"{message} is given {count} times{advice}")


def need_one_of(table: "Table", *keys: str) -> None:
    """Refuse none or several of the keys of which a table needs one."""
    given = [f"`{key}`" for key in keys if getattr(table, key) is not None]
    message = f"{in_sentence(given)} are given" if given else "none is given"
    need(len(given) == 1, (), f"needs one of {in_sentence([f'`{key}`' for key in keys])}; {message}")


def need_unused(table: "Table", keys: Collection[str], reason: str) -> None:
    """Refuse keys that the file gives although nothing uses them; reason: the message."""
    with Parts() as parts:
        for key in keys:
            with parts.at(key):
                need(key not in table.model_fields_set, (), reason)


def need_room(numbers: int, path: Path = (), what: str = "") -> None:
    """Refuse arrays of more than `MAX_NUMBERS` numbers, before any memory is asked for. what: what takes so many."""
    took = f"{numbers * 8 // 2**30 + 1:,} GiB"
    need(numbers <= MAX_NUMBERS, path, f"{what}{' ' * bool(what)}would take about {took}; a scenario may take 1 GiB")


def fitting(
    values: Any,
    path: Path | str,
    columns: tuple[int, str],
    rows: tuple[int, str] | None = None,
    *,
    right: bool | None = None,
) -> Any:
    """A vector or a matrix of a file as an array; None for None. Refuses one of another shape.

    columns, rows: the number, and what each is for; rows None where any number is right. right: whether the file writes
    the W of x·W, whose rows are the columns of the array; None for a matrix that no file writes so.

    >>> fitting([[1, 0], [0.5]], "query", (2, "one for each element that is read"))
    Traceback (most recent call last):
        ...
    hopattn.scenario.language.table.Refused: every row needs 2 numbers, one for each element that is read
    >>> fitting([[1, 2, 3], [4, 5, 6]], "query", (2, "one for each element that is read"), right=True).tolist()
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """
    if values is None:
        return None
    matrix = isinstance(values[0], list)
    across, down = (rows, columns) if right else (columns, rows)
    size, reason = across or (len(values[0]), "as many as the first")
    cure = "" if right is None else _transposed(values, across, down, right)
    if any(len(row) != size for row in (values if matrix else [values])):
        every, rest = ("every row ", "") if matrix else ("", f", not {len(values)}")
        raise refusal(path, f"{every}needs {size} numbers, {reason}{rest}{cure or comma_hint(values, size)}")
    if down is not None:
        need(len(values) == down[0], path, f"needs {down[0]} rows, {down[1]}, not {len(values)}{cure}")
    array = np.array(values, dtype=float)
    return np.ascontiguousarray(array.T) if right else array


def _transposed(
    values: Sequence[Sequence[float]], across: tuple[int, str] | None, down: tuple[int, str] | None, right: bool
) -> str:
    """The cure for a matrix that fits once its columns are its rows; empty for any other."""
    lengths = {len(row) for row in values}
    fits = all(one is None or one[0] == n for one, n in ((across, len(values)), (down, max(lengths))))
    word = 'leave matrices = "right" out' if right else 'write matrices = "right"'
    return f"; transpose it, or {word}" if fits and len(lengths) == 1 else ""


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
    _tables: dict[Any, type[Table]] = field(default_factory=dict, init=False, repr=False)

    @property
    def annotation(self) -> Any:
        """A union with a table for each entry of now; the keys of a table are `name` and the entry's parameters."""
        return Annotated[Union[tuple(map(self._table, self.registry))], Discriminator("name")]  # noqa: UP007

    def _table(self, name: str) -> type[Table]:
        """The table of an entry, made when a file first asks for it: most files ask for few."""
        entry = self.registry[name]
        if entry not in self._tables:
            parameters: Any = {key: each for key, each in self.parameters(entry).items() if key not in self.without}
            parameters["name"] = (Literal[name], ...)
            title = "".join(word.capitalize() for word in name.replace("-", "_").split("_"))
            made = create_model(f"{title}{self.suffix}", __base__=Table, __doc__=entry.__doc__, **parameters)
            self._tables[entry] = made
        return self._tables[entry]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema of the union; `name` selects the table."""

        def read(name: str, value: Any) -> Table:
            return self._table(name).model_validate(value)

        entries: dict[Any, CoreSchema] = {
            name: core_schema.no_info_plain_validator_function(partial(read, name)) for name in self.registry
        }

        def checked(value: Any, check: Callable[[Any], Any]) -> Any:
            name = value.get("name") if isinstance(value, dict) else None
            if isinstance(name, str):
                _require_entry(name, self.registry)
                return check(value) if name in entries else read(name, value)  # a class that was registered later
            return check(value)

        written = core_schema.plain_serializer_function_ser_schema(BaseModel.model_dump)
        union = core_schema.tagged_union_schema(entries, "name")
        return core_schema.no_info_wrap_validator_function(checked, union, serialization=written)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The tables of all entries."""
        return handler(TypeAdapter(self.annotation).core_schema)


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
