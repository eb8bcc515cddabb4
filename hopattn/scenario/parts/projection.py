"""Queries, keys and values as a scenario writes them: a part of the vector, rotated, scaled, or mapped by a matrix."""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.errors import shortened, unknown
from hopattn.scenario.language.common_problems import matrix_problems
from hopattn.scenario.language.fields import Angle, ByTomlType, Matrix, Number, Problem, Table
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
            yield Problem((*path, "to"), "the layer's `output` says where values are written; leave one of them out")
        if self.rotate and self.source != POSITION:
            yield Problem((*path, "rotate"), 'rotates positions: it needs from = "position"')
        elif self.rotate and encoding.positions is not None and encoding.positions.table is not None:
            yield Problem((*path, "rotate"), "no rotation moves the positions of a learned table; give a matrix")
        if self.matrix is not None:
            columns = encoding.size(self.source), "one for each element that is read"
            rows = encoding.size(self.target or self.source), "one for each element that is written"
            placed = role == "value" and not mapped
            yield from matrix_problems(self.matrix, (*path, "matrix"), columns, rows if placed else None)
        elif role == "value" and not mapped and encoding.size(self.source) != encoding.size(self.target or self.source):
            parts = [shortened(part or "the vector") for part in (self.target, self.source)]
            yield Problem((*path, "to"), f"the part '{parts[0]}' has not as many elements as '{parts[1]}'")

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


ProjectionOrMatrix = Annotated[Annotated[Projection, Tag("table")] | Annotated[Matrix, Tag("array")], ByTomlType]
ROLES = ("query", "key", "value")


class ProjectionsTable(Table):
    """The base of the tables with a projection for each of `ROLES`."""

    def projection(self, role: str) -> Projection:
        """The projection for a role; by default the whole vector as it is."""
        given: Any = getattr(self, role)
        return Projection() if given is None else Projection(matrix=given) if isinstance(given, list) else given

    def projection_problems(self, encoding: Encoding, path: Path, *, mapped: bool = False) -> Iterator[Problem]:
        """The problems of the projections, and a query and a key with different numbers of elements.

        Problems of a matrix without a table are at the role, not at its `matrix`. mapped: as for `Projection.problems`.
        """
        found = [
            Problem((*path, role), problem.message) if isinstance(getattr(self, role), list) else problem
            for role in ROLES
            for problem in self.projection(role).problems(encoding, (*path, role), role, mapped=mapped)
        ]
        yield from found
        if not found:
            query, key = (len(self.projection(role).array(encoding)) for role in ("query", "key"))
            if query != key:
                yield Problem((*path, "key"), f"gives {key} numbers, but the query gives {query}")
