"""The files in `records/`, one for each paper, and their errors."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.papers.record import AnyRecord, Record, Source
from hopattn.scenario.files import read_text
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.lines import key_lines, line_of
from hopattn.scenario.language.messages import schema_problems

FOLDER = Path(__file__).parent / "records"
MOST_PROBLEMS = 200


class Paper(Source):
    """A file of records: a paper and its numbers."""

    record: Annotated[list[AnyRecord], Field(min_length=1)]

    def model_post_init(self, context: Any, /) -> None:
        """Tell each record its paper."""
        source = Source(**{name: getattr(self, name) for name in Source.model_fields})
        for record in self.record:
            record._source = source


@cache
def records(folder: Path = FOLDER) -> Mapping[str, Record]:
    """The records by their names, paper by paper in the order of their years.

    folder: of files NAME.toml. Raises `InvalidInput` with all errors of the files: file, line, key, the value found and
    the one expected.

    >>> records()["critical-load"].published
    0.138
    """
    found: dict[str, Record] = {}
    errors: list[str] = []
    files = [(file, *_read(file, errors)) for file in sorted(folder.glob("*.toml"))]
    for file, paper, lines in sorted(files, key=lambda one: one[1].year if one[1] else 0):
        for i, record in enumerate(paper.record if paper else ()):
            problems = [*record.problems()]
            if record.name in found:
                problems.append(Problem(("name",), f"'{record.name}' is the name of two records"))
            found[record.name] = record
            errors += (_message(file, lines, ("record", i, *one.path), one.message) for one in problems)
    for record in found.values():
        if (other := record.superseded_by) is not None and other not in found:
            errors.append(f"{record.name}: superseded_by: {unknown(other, found)}")
    if errors:
        raise InvalidInput("\n".join(errors))
    return found


def _read(file: Path, errors: list[str]) -> tuple[Paper | None, Any]:
    """The paper of a file and the lines of its keys; None for a file with errors, which are added."""
    text = read_text(file)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        errors.append(f"{file}: not TOML: {error}")
        return None, {}
    lines = key_lines(text)
    try:
        return Paper.model_validate(document), lines
    except ValidationError as error:
        problems = schema_problems(error, Paper, document, MOST_PROBLEMS)
        errors += (_message(file, lines, one.path, one.message) for one in problems)
        return None, lines


def _message(file: Path, lines: Any, path: tuple[str | int, ...], message: str) -> str:
    key = str(path[-1]) if path and isinstance(path[-1], str) else ""
    return f"{file}:{line_of(lines, path)}: {key}{': ' * bool(key)}{message}"
