"""Queries, keys and values as a scenario writes them: a part of the vector, moved, scaled, or mapped by a matrix."""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import unknown
from hopattn.scenario.language.fields import Angle, Matrix, Number, Problem, Table
from hopattn.scenario.language.lines import Path
from hopattn.scenario.words.vocabulary import POSITION, Encoding


class Projection(Table):
    """Where a query, key or value is read in the vector, and what is done with it on the way."""

    source: Annotated[str | None, Field(alias="from")] = None
    """The part that is read; by default the whole vector."""
    target: Annotated[str | None, Field(alias="to")] = None
    """The part that a value is written to; by default the part that it was read from."""
    rotate: Angle = 0.0
    """By how many positions it is moved: 1 moves position p to p + 1."""
    scale: Number = 1.0
    """What it is multiplied by."""
    matrix: Matrix | None = None
    """A matrix, (out, in), that it is multiplied by."""

    def problems(self, encoding: Encoding, path: Path, role: str) -> Iterator[Problem]:
        """Parts that do not exist or do not fit, a rotation of something that is no position, a matrix of another
        size.
        """
        for part, key in ((self.source, "from"), (self.target, "to")):
            if part is not None and part not in encoding.parts:
                joined = part == POSITION and encoding.positions is not None
                how = f"there is no part 'position' where positions are joined by {encoding.joined}"
                yield Problem((*path, key), how if joined else unknown(part, encoding.parts))
                return
        if self.target is not None and role != "value":
            yield Problem((*path, "to"), f"a {role} is compared, not written anywhere; only a value has `to`")
        if self.rotate and self.source != POSITION:
            yield Problem((*path, "rotate"), 'rotates positions: it needs from = "position"')
        if self.matrix is not None:
            yield from self._matrix_problems(encoding, (*path, "matrix"), role)
        elif role == "value" and self._size(encoding, self.source) != self._size(encoding, self.target or self.source):
            yield Problem(
                (*path, "to"), f"the part '{self.target}' has not as many elements as '{self.source or 'the vector'}'"
            )

    def _matrix_problems(self, encoding: Encoding, path: Path, role: str) -> Iterator[Problem]:
        matrix = self.matrix or []
        columns, rows = self._size(encoding, self.source), self._size(encoding, self.target or self.source)
        if any(len(row) != columns for row in matrix):
            yield Problem(path, f"every row needs {columns} numbers, one for each element that is read")
        if role == "value" and len(matrix) != rows:
            yield Problem(path, f"needs {rows} rows, one for each element that is written, not {len(matrix)}")

    def array(self, encoding: Encoding) -> np.ndarray:
        """The matrix W of y = W x, `(size of what is read, dim)`."""
        columns = encoding.parts[self.source] if self.source else slice(0, encoding.dim)
        read: Any = np.eye(encoding.dim)[columns]
        if self.matrix is not None:
            read = np.array(self.matrix, dtype=float) @ read
        if self.rotate:
            read = encoding.offset(self.rotate) @ read
        scaled: np.ndarray = self.scale * read
        return scaled

    def written(self, encoding: Encoding) -> np.ndarray:
        """The matrix of a value, which is written into its part of the vector, `(dim, dim)`."""
        part = self.target or self.source
        rows = encoding.parts[part] if part else slice(0, encoding.dim)
        placed: np.ndarray = np.eye(encoding.dim)[:, rows] @ self.array(encoding)
        return placed

    @staticmethod
    def _size(encoding: Encoding, part: str | None) -> int:
        return encoding.dim if part is None else encoding.parts[part].stop - encoding.parts[part].start
