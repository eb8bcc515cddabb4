"""Numbers that a person reads or writes count from 1, in files and on the terminal; in Python they count from 0."""

from functools import partial

import numpy as np
import pytest

import hopattn as ha
from tests.refusal import refused

ROWS = np.random.default_rng(0).choice([-1.0, 1.0], size=(5, 12))
BAD = {"a NaN": np.nan, "a row of zeros": 0.0, "-1": -1.0, "the first again": ROWS[0]}
READERS = {
    "Memory": (ha.Memory, ["a NaN"]),
    "modern": (ha.memories.modern, ["a NaN", "a row of zeros"]),
    "hopfield": (ha.memories.hopfield, ["a NaN", "a row of zeros"]),
    "hopfield of 0 and 1": (partial(ha.memories.hopfield, rule="covariance", activation="step"), ["-1"]),
    "pseudo_inverse": (partial(ha.memories.hopfield, rule="pseudo_inverse"), ["the first again"]),
}


@pytest.mark.parametrize(
    ("reader", "fault"), [(name, fault) for name, (_, faults) in READERS.items() for fault in faults]
)
def test_the_third_row_is_row_3_of_a_file_and_row_2_of_an_array(tmp_path, reader, fault):
    rows, file = np.abs(ROWS) if fault == "-1" else ROWS.copy(), tmp_path / "keys.npy"
    rows[2] = BAD[fault]
    np.save(file, rows)
    build, _ = READERS[reader]
    refused(lambda: build(str(file)), "'keys.npy': ", "row 3 ")
    refused(lambda: build(rows), "", "row 2 ")


def test_the_third_row_of_a_file_that_is_compared_is_row_3(hopattn, tmp_path):
    rows = ROWS.copy()
    rows[2] = 0
    np.save(tmp_path / "rows.npy", rows)
    code, _, error = hopattn("compare", str(tmp_path / "rows.npy"))
    assert code == 2 and "patterns: row 3 is zero" in error


FILE = """schema = 1
title = "an order"
source = "ours"
kind = "memory"
[pictures]
letters = "JX"
[memory]
patterns = ["J", "X"]
model = "hopfield"
max_steps = 1
update = { name = "async", order = ORDER }
[cue.torn]
of = "J"
flip = 0.3
"""
N = 35


def test_an_order_of_neurons_counts_from_1_in_a_file(tmp_path):
    file = tmp_path / "order.toml"
    order = np.random.default_rng(1).permutation(N)
    file.write_text(FILE.replace("ORDER", str((order + 1).tolist())), encoding="utf-8")
    arrays = ha.run(ha.load(file)).arrays
    network = ha.memories.hopfield(arrays["patterns"].values)
    found = network.recall(arrays["input"].values, update=ha.Asynchronous(tuple(order)), max_steps=1)
    np.testing.assert_array_equal(arrays["step 1 output"].values, found.state)
    for wrong in (list(range(N)), [1, 1], [1, 3], ["a", 1], [1.5]):
        file.write_text(FILE.replace("ORDER", str(wrong)), encoding="utf-8")
        refused(lambda: ha.load(file), f"{file}:11: memory.update.order:", "'sequence', 'random'", "counted from 1")
    refused(lambda: ha.Asynchronous((1, 2)), "order:", "counted from 0")
