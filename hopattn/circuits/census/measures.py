"""The measures of a head: their names, what they say, and where they come from. Add a measure by adding a row."""

from dataclasses import dataclass

PARTNER = "_with"
"""The end of the name of a column that names the earlier head of a composition."""
CHANCE = "_chance"
"""The end of the name of a column with the value by chance."""


@dataclass(frozen=True)
class Measure:
    """One column of the census.

    says: the number in words, with its range. chance: the origin of its chance value, or "" where it has none. ranked:
    whether the heads with the largest values are named. bounds: of the colours of a figure; None for the largest value.
    """

    says: str
    chance: str = ""
    ranked: bool = False
    bounds: tuple[float, float | None] = (0.0, None)


EVEN = "even attention: each visible key has the same weight"
OF_RANDOM = "random matrices"
SHARE = (0.0, 1.0)
MEASURES: dict[str, Measure] = {
    "previous_token": Measure("attention to the token before", EVEN, True, SHARE),
    "duplicate_token": Measure("attention to earlier copies of the token", EVEN, True, SHARE),
    "prefix_matching": Measure("attention to what followed earlier copies: induction", EVEN, True, SHARE),
    "copying": Measure("Σλ/Σ|λ| of the OV circuit, from −1 to 1", OF_RANDOM, True, (-1.0, 1.0)),
    "query_composition": Measure("the largest composition with an earlier head, through queries", OF_RANDOM, True),
    "key_composition": Measure("the same through keys", OF_RANDOM, True),
    "value_composition": Measure("the same through values", OF_RANDOM, True),
    "attention_sink": Measure("attention to the first token", EVEN, True, SHARE),
    "sink_by_norm": Measure("its share of the lengths of what the weighted values write", EVEN, True, SHARE),
    "null_weight": Measure("weight of the null pattern, where a head has a sink", "", False, SHARE),
    "energy": Measure("U = −p·s, the mean over queries", "", False, (0.0, None)),
    "entropy": Measure("S of the weights in nats, the mean over queries"),
    "free_energy": Measure("F = U − S/β, the mean over queries"),
    "effective_keys": Measure("e^H of the weights, the mean over queries", EVEN),
    "fixed_point_change": Measure("½Σ|p₁ − p*|: weights of one step and of the fixed point", "", True, SHARE),
    "fixed_point_keys": Measure("effective keys at the fixed point"),
    "fixed_point_reached": Measure("share of the followed queries that come to a fixed point", "", False, SHARE),
}
"""Each measure by its name; every one but the class of operation is a number."""
OPERATING_CLASS = "operating_class"
"""The name of the column with the operating class, I to IV, or an empty text."""
