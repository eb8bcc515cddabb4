"""The budget of own calls in a step, a recall and a layer: what a reader who walks through them meets.

A call more for each step of a recall is noticed here; a change that needs fewer lowers the budget.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import hopattn as ha
from hopattn.networks import Dense, Layer, Network

ROOT = str(Path(ha.__file__).parent)
PATTERNS = np.sign(np.random.default_rng(0).standard_normal((16, 64)))
TEXT = np.random.default_rng(1).standard_normal((10, 64))
MEMORY, FLAT = ha.Memory(PATTERNS, beta=0.2), ha.Memory(ha.unit(PATTERNS), beta=1.2)
NETWORK = Network(
    (Layer("v", 64, "tanh", beta=2), Layer("h", 16, "softmax", beta=4)), [Dense(ha.unit(PATTERNS)).on("h", "v")]
)
STATE = NETWORK.join({"v": np.tanh(TEXT[0])})

BUDGETS = {
    "step": (lambda: MEMORY.step(PATTERNS[0]), 55),
    "energy": (lambda: MEMORY.energy(PATTERNS[0]), 56),
    "recall of 10 steps": (lambda: FLAT.recall(TEXT[0], tol=0, max_steps=10), 850),
    "attention": (lambda: ha.attention(TEXT, TEXT, TEXT, mask="causal"), 120),
    "step of a network": (lambda: NETWORK.step(STATE), 85),
    "recall of a network, 10 steps": (lambda: NETWORK.recall(STATE, tol=0, max_steps=10), 1750),
}


def own_calls(work):
    """The number of Python functions of the package that a call of `work` enters, when nothing is new to it."""
    work()
    calls = 0

    def counted(frame, event, _):
        nonlocal calls
        calls += event == "call" and frame.f_code.co_filename.startswith(ROOT)

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("name", BUDGETS)
def test_a_call_stays_within_its_budget_of_own_calls(name):
    work, budget = BUDGETS[name]
    assert 0 < own_calls(work) <= budget
