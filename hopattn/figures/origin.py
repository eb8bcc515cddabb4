"""The scenario of a figure, kept in the metadata of its file, so that no other scenario's figure replaces it."""

import re
from pathlib import Path
from urllib.parse import quote, unquote

_ORIGIN = re.compile(rb"hopattn scenario ([\w.~%-]+)")


def origin(scenario: str) -> str:
    """The text that a file keeps of its scenario, or that it is a figure of hopattn's."""
    return f"hopattn scenario {quote(scenario, safe='')}" if scenario else "hopattn figure"


def scenario_of(file: Path) -> str:
    """The scenario of a figure that was drawn into a file; empty for any other file, and for one that is not there."""
    try:
        found = _ORIGIN.search(file.read_bytes()) if file.is_file() else None
    except OSError:  # to write it will fail too, and will say why
        return ""
    return unquote(found[1].decode()) if found else ""
