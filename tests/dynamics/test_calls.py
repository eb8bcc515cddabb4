"""The budget of own calls in a step, a recall and a layer: what a reader who walks through them meets.

A call more for each step of a recall is noticed here; a change that needs fewer lowers the budget. They are counted in
a process of its own, in which nothing else has been imported, registered or collected.
"""

import pytest

from tests.processes import forked

START = """
import sys
from pathlib import Path
import numpy as np
import hopattn as ha
from hopattn.networks import Dense, Layer, Network

ROOT = str(Path(ha.__file__).parent)
patterns = np.sign(np.random.default_rng(0).standard_normal((16, 64)))
text = np.random.default_rng(1).standard_normal((10, 64))
memory, flat = ha.Memory(patterns, beta=0.2), ha.Memory(ha.unit(patterns), beta=1.2)
layers = Layer("v", 64, "tanh", beta=2), Layer("h", 16, "softmax", beta=4)
network = Network(layers, [Dense(ha.unit(patterns)).on("h", "v")])
state = network.join({"v": np.tanh(text[0])})

def own_calls(work):
    "The number of Python functions of the package that a call of `work` enters, when nothing is new to it."
    work()
    calls = 0
    def counted(frame, event, _):
        nonlocal calls
        calls += event == "call" and frame.f_code.co_filename.startswith(ROOT)
    sys.setprofile(counted)
    work()
    sys.setprofile(None)
    return calls
"""
BUDGETS = {
    "memory.step(patterns[0])": 31,
    "memory.energy(patterns[0])": 34,
    "flat.recall(text[0], tol=0, max_steps=10)": 510,
    "ha.attention(text, text, text, mask='causal')": 66,
    "network.step(state)": 43,
    "network.recall(state, tol=0, max_steps=10)": 865,
}


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    ends = forked(tmp_path_factory.mktemp("calls"), START, [f"print(own_calls(lambda: {work}))" for work in BUDGETS])
    return {work: int(output) for work, (_, output, _) in zip(BUDGETS, ends, strict=True)}


@pytest.mark.parametrize("work", BUDGETS)
def test_a_call_stays_within_its_budget_of_own_calls(calls, work):
    assert 0 < calls[work] <= BUDGETS[work]
