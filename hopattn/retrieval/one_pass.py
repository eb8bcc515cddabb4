"""The result of one pass over the keys."""

from dataclasses import dataclass
from typing import Any

from hopattn.foundation.arrays import Array


@dataclass(frozen=True, eq=False)
class Pass:
    """The result of one pass of cues over all keys, before the activation.

    field, factor: h = factor · field, `(…, n_cues, dim_out)`; the factor is a number, or one number for each cue. It
    stays apart because a directional activation does not need it, and because sums of whole numbers stay exact.
    potential: Ψ(s), `(…, n_cues)`. An entry that was not asked for is None.
    """

    field: Array | None
    factor: Any
    potential: Array | None
