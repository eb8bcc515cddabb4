"""What hypothesis draws from: scores, patterns, masks."""

from dataclasses import fields

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hopattn.retrieval.activation import activations
from hopattn.retrieval.masks import PositionRule, mask_rules


def count(full, quick):
    """A count of the profile of Hypothesis: `full`, as in `make test-all`, or `quick`, as everywhere else."""
    return full if settings.get_current_profile_name() == "full" else quick


numbers = st.floats(-8, 8, allow_nan=False, width=64).map(lambda x: round(x, 6))
betas = st.floats(0.01, 20).map(lambda x: round(x, 4))
sizes = st.integers(1, count(6, 4))
DTYPES = ["float64", "float32"]


def in_dtypes(entries):
    """Every entry, a tuple, with one of the dtypes as its last part, in turn; with both where counts are full."""
    return [(*entry, dtype) for i, entry in enumerate(entries) for dtype in count(DTYPES, [DTYPES[i % 2]])]


def near(dtype, in_float64=1e-12):
    """A tolerance in float64 as the same multiple of ε in another dtype."""
    return in_float64 * float(np.finfo(dtype).eps / np.finfo(np.float64).eps)


def arrays(shape):
    return hnp.arrays(np.float64, shape, elements=numbers)


@st.composite
def stores(draw, values=False):
    """Keys, cues and a mask that fit each other: (n_patterns, dim), (n_cues, dim), (n_cues, n_patterns)."""
    n, m, dim = draw(sizes), draw(sizes), draw(sizes)
    keys, cues = draw(arrays((m, dim))), draw(arrays((n, dim)))
    mask = draw(hnp.arrays(np.bool_, (n, m)))
    return keys, cues, mask


def spins(shape):
    return hnp.arrays(np.float64, shape, elements=st.sampled_from([-1.0, 1.0]))


def domain(activation, cues):
    """The cues, moved into the domain of the activation: a cue outside becomes the state that it gives as a field."""
    made = activations.make(activation)
    answers = made(cues + np.asarray(1e-3, cues.dtype))  # a field of 0 may decide nothing
    rows = [cue if made.why_outside_domain(cue) == "" else own for cue, own in zip(cues, answers, strict=True)]
    return np.stack(rows) if rows else cues


def masks_for(n, m):
    """Every mask rule of the registry that n queries and m keys can have, made with 2 for each of its parameters."""
    made = [rule(**{field.name: 2 for field in fields(rule)}) for rule in mask_rules.values()]
    return [rule for rule in made if n <= m or not isinstance(rule, PositionRule)]
