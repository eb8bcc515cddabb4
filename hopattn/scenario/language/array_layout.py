"""What a scenario will compute, known before it runs: so that an expectation's words are checked when the file is
read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from hopattn.foundation.errors import nearest, unknown
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.lines import Path


@dataclass(frozen=True, eq=False)
class Layout:
    """The labels of the rows, the words to compare with, the parts of a vector, and the name and shape of each
    array.
    """

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    words: Mapping[str, np.ndarray] = field(default_factory=dict)
    parts: Mapping[str, slice] = field(default_factory=dict)
    arrays: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    measures: tuple[str, ...] = ()

    def row_problem(self, label: str, path: Path, rows: tuple[str, ...] | None = None) -> Iterator[Problem]:
        """What is wrong with a token's label, such as `their` where it stands twice."""
        known = self.rows if rows is None else rows
        if label in known or (label.endswith("#1") and label[:-2] in known):
            return
        several = [row for row in known if row.rpartition("#")[0] == label]
        if several:
            yield Problem(path, f"'{label}' stands there {len(several)} times; write {' or '.join(several[:4])}")
        elif label in self.words:
            yield Problem(path, f"'{label}' is a word, but stands nowhere in this text ({', '.join(known[:20])})")
        else:
            yield Problem(path, unknown(label, dict.fromkeys(known)))

    def index(self, label: str, rows: tuple[str, ...] | None = None) -> int:
        """The row of a label whose problems have been looked for before."""
        known = self.rows if rows is None else rows
        return known.index(label if label in known else label[:-2])

    def find(self, what: str, layer: int | None = None, head: int | None = None) -> list[str]:
        """The names of the arrays of one sort, such as `weights`, in a layer and a head if these are given."""
        found = []
        for name in self.arrays:
            words = name.split()
            place = dict(zip(words[:-1:2], words[1::2], strict=False))
            if words[-1] == what and all(
                given is None or place.get(of) == str(given) for of, given in (("layer", layer), ("head", head))
            ):
                found.append(name)
        return found

    def array_problem(
        self, what: str, layer: int | None, head: int | None, path: Path, several: bool
    ) -> Iterator[Problem]:
        """What is wrong with a reference to an array; `several`: the last of many is meant, as for the state after
        all layers.
        """
        found = self.find(what, layer, head)
        if len(found) == 1 or (found and several):
            return
        if not self.find(what):
            near = nearest(what, {name.split()[-1] for name in self.arrays})
            hint = f"; did you mean '{near}'?" if near else ""
            yield Problem(path, f"there is no array '{what}' here{hint} (arrays: {', '.join(self.arrays)})")
        elif not found:
            yield Problem(path, f"there is no such layer or head (arrays: {', '.join(self.find(what))})")
        else:
            yield Problem(path, f"say which layer and head is meant (arrays: {', '.join(found)})")
