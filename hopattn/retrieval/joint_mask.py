"""Several masks at once: a query may attend to a key where all of them allow it."""

from dataclasses import dataclass
from typing import Any

from hopattn.foundation.arrays import Array
from hopattn.retrieval.masks import MaskRule, NoMask, Rounding, as_mask, resolve


@dataclass(frozen=True, eq=False)
class AllOf(MaskRule):
    """The masks, of which each is a rule or a boolean array `(…, n_queries, n_keys)`. Blocks are made of each alone."""

    masks: tuple[Any, ...]

    def __post_init__(self) -> None:
        by_pairs = all(mask.by_pairs for mask in self.masks if isinstance(mask, MaskRule))
        object.__setattr__(self, "by_pairs", by_pairs)

    def allowed(self, scores: Array, rounding: Rounding) -> Array:
        allowed: Array = True
        for mask in self.masks:
            allowed = allowed & resolve(mask, scores, rounding)
        return allowed


def joint(*masks: Any) -> Any:
    """The masks as one: a rule, or a boolean array. Each is a name, a rule, an array, or None for no mask.

    Raises `InvalidInput` as `as_mask` does.

    >>> joint("causal", None)
    Causal()
    """
    parts: list[Any] = []
    for mask in map(as_mask, masks):
        parts.extend(mask.masks if isinstance(mask, AllOf) else () if isinstance(mask, NoMask) else (mask,))
    return AllOf(tuple(parts)) if len(parts) > 1 else parts[0] if parts else NoMask()


def masks_of(mask: Any) -> tuple[Any, ...]:
    """The masks that a mask is made of: those of `AllOf`, or the mask alone."""
    return mask.masks if isinstance(mask, AllOf) else (mask,)
