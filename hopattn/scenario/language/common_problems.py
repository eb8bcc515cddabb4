"""Problems that many tables have: none or several of some keys, sizes that do not fit, parts that cannot be made."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.foundation.writing import in_sentence
from hopattn.scenario.language.decimal_commas import comma_hint
from hopattn.scenario.language.fields import Problem, Table
from hopattn.scenario.language.lines import Path


def one_of_problems(table: Table, keys: Sequence[str], path: Path) -> Iterator[Problem]:
    """None or several of the keys of which a table needs one."""
    given = [f"`{key}`" for key in keys if getattr(table, key) is not None]
    if len(given) != 1:
        message = f"{in_sentence(given)} are given" if given else "none is given"
        yield Problem(path, f"needs one of {in_sentence([f'`{key}`' for key in keys])}; {message}")


def unused_problems(table: Table, keys: Sequence[str], path: Path, reason: str) -> Iterator[Problem]:
    """One problem for each of some keys that the file gives, although nothing uses them; reason: the message."""
    yield from (Problem((*path, key), reason) for key in keys if key in table.model_fields_set)


def refusals(path: Path, make: Callable[[], Any], start: str = "") -> Iterator[Problem]:
    """The reason why something cannot be made; none if it can.

    start: the beginning of the message of `InvalidInput` that names the argument; by default the last key of the path.
    """
    try:
        make()
    except InvalidInput as error:
        yield Problem(path, str(error).removeprefix(start or f"{path[-1]}: "))


def vector_problems(vector: Sequence[float] | None, path: Path, size: int, reason: str) -> Iterator[Problem]:
    """A vector with another number of elements; reason: what each of them is for. None has no problem."""
    if vector is not None and len(vector) != size:
        yield Problem(path, f"needs {size} numbers, {reason}, not {len(vector)}{comma_hint(vector, size)}")


def matrix_problems(
    matrix: Sequence[Sequence[float]], path: Path, columns: tuple[int, str], rows: tuple[int, str] | None = None
) -> Iterator[Problem]:
    """A matrix of another shape. columns, rows: the number, and what each is for; rows None if any number is right."""
    size, reason = columns
    if any(len(row) != size for row in matrix):
        yield Problem(path, f"every row needs {size} numbers, {reason}{comma_hint(matrix, size)}")
    if rows is not None and len(matrix) != rows[0]:
        yield Problem(path, f"needs {rows[0]} rows, {rows[1]}, not {len(matrix)}")


def duplicate_problems(entries: Sequence[str | float], path: Path, advice: str = "") -> Iterator[Problem]:
    """One problem for each name or number that occurs in a list more than once; advice: the end of the message."""
    for entry, count in Counter(entries).items():
        if count > 1:
            message = f"'{shortened(entry)}'" if isinstance(entry, str) else f"{entry:g}"
            yield Problem(path, f"{message} is given {count} times{advice}")
