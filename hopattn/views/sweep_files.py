"""A sweep's table as files: CSV, arrays, JSON, a figure."""

from collections.abc import Callable, Iterable
from pathlib import Path

from hopattn.experiments.sweep.table import Sweep
from hopattn.figures.rendering import rendered
from hopattn.figures.sweep import draw_sweep
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.foundation.files import json_text, write_over

_TABLES: dict[str, Callable[[Sweep], bytes]] = {
    ".csv": lambda found: found.to_csv().encode(),
    ".npz": Sweep.to_npz,
    ".json": lambda found: f"{json_text(found.to_dict())}\n".encode(),
}
_FIGURES = (".svg", ".pdf", ".png")


def require_writable(files: Iterable[Path]) -> None:
    """Raise `InvalidInput` for a file whose ending says nothing that can be written, before any work is done."""
    for file in files:
        if file.suffix not in (*_TABLES, *_FIGURES):
            endings = ", ".join((*_TABLES, *_FIGURES))
            raise InvalidInput(f"{shortened(file)}: cannot tell what to write; expected a name that ends in {endings}")


def write_sweep(found: Sweep, file: Path, title: str = "") -> None:
    """Write the table, or draw it, as the file's ending says; a file of that name is replaced, whole or not at all.

    Raises `InvalidInput` for another ending, and for a figure of more than two axes; `CannotDo` where it cannot be
    written.
    """
    require_writable([file])
    if file.suffix in _TABLES:
        write_over(file, _TABLES[file.suffix](found))
    else:
        write_over(file, rendered(lambda figure: draw_sweep(figure, found, title), file.suffix[1:])[0])
