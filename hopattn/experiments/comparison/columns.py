"""The columns of a comparison: the names that the table and the CSV share, and the meaning of each."""

from typing import NamedTuple

from hopattn.dynamics.likeness import MATCH


class Column(NamedTuple):
    """A measure of a row: the name of its field, the heading of its column, and its meaning in one sentence."""

    field: str
    heading: str
    meaning: str


PLACES = (
    Column("where", "of", "the part of the scenario or of the file that keys and cues come from"),
    Column("beta", "beta", "the inverse temperature of modern, sparse, entmax and normmax; the others do not use it"),
)
"""The columns that say where a row was measured."""

RECALL = (
    Column("recalled", "recalled", f"share of cues whose last answer is nearest to their own key, cosine ≥ {MATCH:g}"),
    Column("recalled_first", "in one step", "that share after the first step, in which all neurons change together"),
    Column("cosine", "cosine", "of the last answer with the value of the cue's own key, on average"),
    Column("at_rest", "at rest", "share of the cues that reached a fixed point"),
    Column("steps", "steps", "to the fixed point, with the step that finds it; on average over the cues at rest"),
    Column("energy_fall", "energy falls by", "from the cue to the fixed point, on average over the cues at rest"),
    Column("distance", "one step to end", "distance from the first answer to the last one, in lengths of a value"),
)
"""The measures of recall, in the order of the table."""

WEIGHTS = (
    Column(
        "operating_class", "class", "by the share of keys for 90 %: I above 1/2, II above 1/8, III above 1/32, or IV"
    ),
    Column("least_number", "keys for 90 %", "the fewest keys that hold nine tenths of a cue's weight (median)"),
    Column("entropy", "entropy", "of the weights of the cue, in nats: 0 if one key has all, log n if n have the same"),
    Column(
        "difference",
        "beside attention",
        "largest difference of the first step from attention that is computed independently",
    ),
)
"""The measures of the weights after the cue, in the order of the table."""

STORED = (
    Column("parameters", "stored numbers", "of the couplings, or of all patterns that are kept, with their values"),
    Column("recalled_per_number", "recalled per number", "numbers of the recalled patterns for each stored number"),
)
"""The measures of a memory's size, in the order of the table."""

HEADINGS = {
    "n_keys": "keys",
    "n_cues": "cues",
    "recalled_error": "recalled standard error",
    "cosine_first": "cosine in one step",
    "bound": "rounding",
    "is_attention": "is attention",
    **{column.field: column.heading for column in (*PLACES, *RECALL, *WEIGHTS, *STORED)},
}
"""The heading of each field of a row that is not called like its field."""
