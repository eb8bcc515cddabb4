"""What hypothesis draws from: scores, patterns, masks."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.counts import count

numbers = st.floats(-8, 8, allow_nan=False, width=64).map(lambda x: round(x, 6))
betas = st.floats(0.01, 20).map(lambda x: round(x, 4))
sizes = st.integers(1, count(6, 4))


def arrays(shape):
    return hnp.arrays(np.float64, shape, elements=numbers)


@st.composite
def stores(draw, values=False):
    """Keys, cues and a mask that fit one another: (n_patterns, dim), (n_cues, dim), (n_cues, n_patterns)."""
    n, m, dim = draw(sizes), draw(sizes), draw(sizes)
    keys, cues = draw(arrays((m, dim))), draw(arrays((n, dim)))
    mask = draw(hnp.arrays(np.bool_, (n, m)))
    return keys, cues, mask


def spins(shape):
    return hnp.arrays(np.float64, shape, elements=st.sampled_from([-1.0, 1.0]))


def domain(activation, cues):
    """The cues, moved into the domain of the activation."""
    if activation == "sign":
        return np.where(cues >= 0, 1.0, -1.0)
    if activation == "layer_norm":
        cues = cues - cues.mean(axis=-1, keepdims=True)
    return cues if activation == "identity" else cues / 64
