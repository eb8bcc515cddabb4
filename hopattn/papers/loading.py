"""The files in `records/`, one for each paper, and their errors."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.papers.record import AnyRecord, Record, Source
from hopattn.scenario.checking import InvalidScenario
from hopattn.scenario.language.lines import KeyLines
from hopattn.scenario.language.table import Problem
from hopattn.scenario.loading import key_located, load_table

FOLDER = Path(__file__).parent / "records"


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

    folder: of files GROUP.toml, one for each paper. Raises `InvalidInput` with all errors of the files: file, line,
    key, the value found and the one expected.

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
            record._group = file.stem
            errors += (key_located(file, lines, Problem(("record", i, *one.path), one.message)) for one in problems)
    for record in found.values():
        if (other := record.superseded_by) is not None and other not in found:
            errors.append(f"{record.name}: superseded_by: {unknown(other, found)}")
    if errors:
        raise InvalidInput("\n".join(errors))
    return found


def _read(file: Path, errors: list[str]) -> tuple[Paper | None, KeyLines]:
    """The paper of a file and the lines of its keys; None for a file with errors, which are added."""
    try:
        return load_table(file, Paper)
    except InvalidScenario as error:
        errors += error.problems
        return None, KeyLines()
