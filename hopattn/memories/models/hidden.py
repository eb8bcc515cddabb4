"""A hidden layer with a threshold: stored are parts, and the memories are the sums of some of them."""

from typing import Any, Literal

import numpy as np

from hopattn.foundation.arrays import on_host
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import instance, real
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.foundation.threads import blocks
from hopattn.foundation.vectors import unit
from hopattn.memories.memory import Memory, Stored
from hopattn.memories.models.card import named, real_patterns
from hopattn.retrieval.separation.elementwise import Threshold

Visible = Literal["identity", "sign"]
MOST_HIDDEN = 20
"""The largest number of hidden neurons of which all states are tried: about a million."""
STATES_TRIED = 4096
"""The number of hidden states that are tried at once."""


@named(source="Shafiei Kafraj et al. 2026", energy="Φ*(x) − Σ [k·x − θ]₊")
def threshold_layer(patterns: Stored, *, threshold: float = 0.5, activation: Visible = "identity") -> Memory:
    """A hidden layer with a threshold: h_μ = 1 where k_μ·x ≥ θ, else 0, and x⁺ = Σ_μ h_μ k_μ, a sum of parts.

    Parameters
    ----------
    patterns : the parts k_μ, `(n_hidden, N)`, scaled to unit magnitude, so that a part alone has the score 1.
    threshold : θ; at ½ a part is equally safe from being missed and from being added.
    activation
        of the visible neurons, "identity", or "sign" for spins x = sgn Σ_μ h_μ k_μ, for parts and a threshold to fit,
        such as √N/2 for few parts. Each of the 2^n_hidden hidden states is a memory if it is stable, which
        `ha.memories.stable_hidden_states` tells: with random parts of ±1, all of them are where N is large compared
        with n_hidden.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    Source: Shafiei Kafraj, Krotov & Latham (2026), arXiv:2601.00984 (their W is our Kᵀ, their hidden nonlinearity Θ(· −
    θ); visible neurons follow at once).

    Examples
    --------
    >>> import hopattn as ha, numpy as np
    >>> memory = ha.memories.threshold_layer(np.eye(3))
    >>> memory.recall([0.9, 0.8, 0.1]).state
    array([1., 1., 0.])
    """
    reject_unknown("activation", [activation], ("identity", "sign"))
    separation = Threshold(t=real(threshold, "threshold"))
    return Memory(unit(real_patterns(patterns)), separation=separation, activation=activation)


@public
def stable_hidden_states(memory: Any) -> np.ndarray:
    """The stable hidden states of a threshold layer: those h, 0 or 1, that its visible state gives again.

    Parameters
    ----------
    memory : from `ha.memories.threshold_layer`.

    Returns
    -------
    booleans `(n_stable, n_hidden)`, from all 2^n_hidden states; raises `InvalidInput` for another memory, and for more
    than 20 hidden neurons.

    Examples
    --------
    >>> import hopattn as ha, numpy as np
    >>> len(ha.memories.stable_hidden_states(ha.memories.threshold_layer(np.eye(3))))
    8
    """
    layer = instance(memory, Memory, "memory", "a memory from ha.memories.threshold_layer")
    if not isinstance(layer.separation, Threshold):
        raise InvalidInput(f"memory: got the separation {quoted(layer.separation)}; expected a threshold")
    if (n := layer.n_patterns) > MOST_HIDDEN:
        raise InvalidInput(f"memory: got {n} hidden neurons; all states are tried of at most {MOST_HIDDEN}")
    keys = on_host(layer.keys)
    parts = []
    for rows in blocks(2**n, STATES_TRIED):
        hidden = (np.arange(rows.start, rows.stop)[:, None] >> np.arange(n) & 1).astype(keys.dtype)
        scores = np.asarray(layer.activation(hidden @ keys)) @ keys.T
        parts.append(hidden[np.all(layer.separation.weights(scores) == hidden, axis=1)] == 1)
    return np.concatenate(parts)
