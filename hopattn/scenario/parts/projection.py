"""Queries, keys and values as a scenario writes them: a part of the vector, rotated, scaled, or mapped by a matrix."""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import shortened, unknown
from hopattn.scenario.language.decimal_commas import comma_hint
from hopattn.scenario.language.fields import Angle, Matrix, Number, Problem, Table
from hopattn.scenario.language.lines import Path
from hopattn.scenario.words.positions import POSITION
from hopattn.scenario.words.vocabulary import Encoding


class Projection(Table):
    """The map from a vector to its query, key or value: read a part, multiply by a matrix, rotate, scale."""

    source: Annotated[str | None, Field(alias="from")] = None
    """The part that is read; by default the whole vector."""
    target: Annotated[str | None, Field(alias="to")] = None
    """The part that a value is written to; by default the part that it was read from."""
    rotate: Angle = 0.0
    """The number of positions by which it is moved: 1 moves position p to p + 1."""
    scale: Number = 1.0
    """A number that it is multiplied by."""
    matrix: Matrix | None = None
    """A matrix, (out, in), that it is multiplied by."""

    def problems(self, encoding: Encoding, path: Path, role: str, *, mapped: bool = False) -> Iterator[Problem]:
        """The problems of the projection: unknown parts, a rotation of a part that is not a position, sizes that do not
        fit.

        role: "query", "key" or "value". mapped: whether an output matrix of the layer maps the values back to a vector;
        they may then have any number of elements.
        """
        for part, key in ((self.source, "from"), (self.target, "to")):
            if part is not None and part not in encoding.parts:
                combined = part == POSITION and encoding.positions is not None
                message = f"there is no part 'position' where positions are joined by {encoding.joined}"
                yield Problem((*path, key), message if combined else unknown(part, encoding.parts))
                return
        if self.target is not None and role != "value":
            yield Problem((*path, "to"), f"a {role} is compared, not written anywhere; only a value has `to`")
        elif self.target is not None and mapped:
            yield Problem(
                (*path, "to"), "the layer's `output` says where the values are written; leave one of them out"
            )
        if self.rotate and self.source != POSITION:
            yield Problem((*path, "rotate"), 'rotates positions: it needs from = "position"')
        elif self.rotate and encoding.positions is not None and encoding.positions.table is not None:
            yield Problem((*path, "rotate"), "no rotation moves the positions of a learned table; give a matrix")
        if self.matrix is not None:
            yield from self._matrix_problems(encoding, (*path, "matrix"), "mapped value" if mapped else role)
        elif role == "value" and not mapped and encoding.size(self.source) != encoding.size(self.target or self.source):
            parts = [shortened(part or "the vector") for part in (self.target, self.source)]
            yield Problem((*path, "to"), f"the part '{parts[0]}' has not as many elements as '{parts[1]}'")

    def _matrix_problems(self, encoding: Encoding, path: Path, role: str) -> Iterator[Problem]:
        matrix = self.matrix or []
        columns, rows = encoding.size(self.source), encoding.size(self.target or self.source)
        if any(len(row) != columns for row in matrix):
            needed = f"every row needs {columns} numbers, one for each element that is read"
            yield Problem(path, needed + comma_hint(matrix, columns))
        if role == "value" and len(matrix) != rows:
            yield Problem(path, f"needs {rows} rows, one for each element that is written, not {len(matrix)}")

    def array(self, encoding: Encoding) -> np.ndarray:
        """The matrix W of y = W x for a query or key, `(size, dim)`; size: of the part, or the rows of `matrix`."""
        columns = encoding.parts[self.source] if self.source else slice(0, encoding.dim)
        result: Any = np.eye(encoding.dim)[columns]
        if self.matrix is not None:
            result = np.array(self.matrix, dtype=float) @ result
        if self.rotate:
            result = encoding.offset(self.rotate) @ result
        scaled: np.ndarray = self.scale * result
        return scaled

    def value_array(self, encoding: Encoding) -> np.ndarray:
        """The matrix W of y = W x for a value, `(dim, dim)`: the value is written to its part of the vector."""
        part = self.target or self.source
        rows = encoding.parts[part] if part else slice(0, encoding.dim)
        placed: np.ndarray = np.eye(encoding.dim)[:, rows] @ self.array(encoding)
        return placed
