"""The table of a sweep as a file: CSV, arrays, JSON or a figure."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.files import write_picture
from hopattn.figures.sweep import sweep_sheet
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.results.files import json_text, require_regular, require_replaceable, write_over

_TABLES: dict[str, Callable[[Sweep], bytes]] = {
    ".csv": lambda sweep: sweep.to_csv().encode(),
    ".npz": Sweep.to_npz,
    ".json": lambda sweep: f"{json_text(sweep.to_dict())}\n".encode(),
}
_FIGURES = (".svg", ".pdf", ".png")


def require_writable(files: Iterable[Path]) -> None:
    """Raise `InvalidInput` for a file whose ending names no format, and for a device or a folder.

    Call it before the work.
    """
    for file in files:
        if file.suffix not in (*_TABLES, *_FIGURES):
            endings = ", ".join((*_TABLES, *_FIGURES))
            raise InvalidInput(f"{shortened(file)}: cannot tell what to write; expected a name that ends in {endings}")
        require_regular(file)
        require_replaceable(file)


def write_sweep(sweep: Sweep, file: Path, title: str | None = None) -> tuple[str, ...]:
    """Write the table of a sweep to a file, or draw it, in the format that the file's ending names.

    A file of the same name is replaced completely, or stays as it was; gives notes on the figure. title: above a
    figure; by default that of the scenario. Raises `InvalidInput` for another ending and for a sweep that cannot be
    drawn, and `CannotDo` if the file cannot be written.
    """
    require_writable([file])
    if file.suffix in _TABLES:
        write_over(file, _TABLES[file.suffix](sweep))
        return ()
    sheet = sweep_sheet(sweep)
    return write_picture(sheet if title is None else replace(sheet, title=title), file)
