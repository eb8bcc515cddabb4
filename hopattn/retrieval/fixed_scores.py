"""Fixed scores: a table of scores in place of a similarity, for sources that print the scores without the vectors."""

from dataclasses import dataclass
from typing import ClassVar

from hopattn.foundation.arrays import Array
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.similarity import Similarity


@dataclass(frozen=True, eq=False)
class FixedScores(Similarity):
    """Scores from a table, whatever the cues and keys are.

    table: `(n_queries, n_keys)`. Raises `InvalidInput` for a table that does not fit the numbers of cues and keys.
    """

    table: Array
    by_pairs: ClassVar[bool] = False
    source: ClassVar[str] = "the table itself"

    def rounding(self, cues: Array, keys: Array) -> Array:
        """0: the table is exact."""
        return 0.0

    def __call__(self, cues: Array, keys: Array) -> Array:
        expected = (cues.shape[-2], keys.shape[-2])
        if tuple(self.table.shape) != expected:
            raise InvalidInput(
                f"scores: shape {tuple(self.table.shape)} does not fit {expected[0]} queries and {expected[1]} keys"
            )
        return self.table
