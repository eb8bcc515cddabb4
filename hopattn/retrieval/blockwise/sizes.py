"""The sizes of blocks, and the number of scores from which blocks are worth their while."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.foundation.threads import l2_cache_size
from hopattn.retrieval.joint_mask import masks_of
from hopattn.retrieval.masks import MaskRule, PositionRule
from hopattn.retrieval.similarity import Similarity

ENOUGH = 2**20
"""The number of scores from which blocks are faster than one product of everything."""

TASKS = 8
"""The least number of parts that the work is divided into, so that every thread has some. It does not depend on the
number of threads, so that the threads change no result."""

LARGE_TEXT = 2**16
"""The least number of scores of one text for which several texts are computed in blocks, one text after the other."""

HELD = 2**20
"""The number of scores, or of differences of entries, held at once where more than one block of them is needed."""


@dataclass(frozen=True)
class Blocks:
    """The size of a block, in cues and keys, and the number of threads (None: as many as BLAS has).

    A product of 512 by 512 runs at full speed, and its scores are still in the cache when they become weights. With
    fewer keys, adding up the fields once for each block would cost too much. Twice as many cues save a little where
    their block takes no more than half of the core's own cache.
    """

    cues: int = 512
    keys: int = 512
    threads: int | None = None

    @classmethod
    def fitting(cls, dim: int, dtype: Any, loops: Any = None) -> "Blocks":
        """The sizes that fit this machine, for vectors of this dim, or the compiled loops, which add fields at once."""
        if loops is not None:
            return cls(512, loops.KEYS)
        return cls(cues=min(max(l2_cache_size() // 2 // (dim * np.dtype(dtype).itemsize), 512), 1024))


def worth_streaming(similarity: Similarity, cues: Any, keys: Any, mask: Any) -> bool:
    """Whether blocks are faster for cues `(…, n, dim)` or `(dim,)` and keys `(…, m, dim)`.

    They are for NumPy arrays with many scores, where scores and mask can be computed block by block.
    """
    if not (isinstance(cues, np.ndarray) and isinstance(keys, np.ndarray)):
        return False
    pairs = (cues.shape[-2] if cues.ndim > 1 else 1) * keys.shape[-2]
    scores = pairs * (keys.shape[-1] if similarity.by_entries else 1)
    if not similarity.by_pairs or scores < LARGE_TEXT:
        return False
    if scores * max(math.prod(cues.shape[:-2]), math.prod(keys.shape[:-2])) < ENOUGH:
        return False
    rules = [part for part in masks_of(mask) if isinstance(part, MaskRule)]
    return all(rule.by_pairs and (cues.ndim > 1 or not isinstance(rule, PositionRule)) for rule in rules)
