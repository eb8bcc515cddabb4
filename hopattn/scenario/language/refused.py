"""A document without the values that the schema refused."""

from collections.abc import Mapping
from typing import Any

from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.overrides import changed


def without(document: Mapping[str, Any], refused: list[Path]) -> dict[str, Any]:
    """The document without the values that the schema refused, so that the rest of it can be checked.

    A refused vector of a word is replaced by a valid one, since a missing word would cause further errors. If an
    expectation is refused, all are left out; they are then checked one by one.
    """
    repaired = changed(document, {})[0]
    for path in sorted(set(refused), key=_removal_order, reverse=True):
        if path[:1] == ("expect",):
            repaired.pop("expect", None)
        elif path[:2] == ("vocabulary", "words") and len(path) > 2:
            axes = repaired["vocabulary"].get("axes")
            repaired["vocabulary"]["words"][path[2]] = [1.0, *[0.0] * (len(axes) - 1 if isinstance(axes, list) else 0)]
        elif path:
            _remove(repaired, path)
    return repaired


def _removal_order(path: Path) -> list[tuple[bool, int, str]]:
    """A sort key of paths: removed from the last to the first, no entry moves the entries that are removed later."""
    return [(False, key, "") if isinstance(key, int) else (True, 0, key) for key in path]


def _remove(document: Any, path: Path) -> None:
    node: Any = document
    for key in path[:-1]:
        if isinstance(node, dict) and key not in node:
            return
        node = node[key]
    if isinstance(node, dict):
        node.pop(path[-1], None)
    elif isinstance(node, list) and isinstance(path[-1], int):
        del node[path[-1]]
