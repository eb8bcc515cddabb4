"""Typing errors in the shipped files never lead to a traceback, a hang, or a message without a line number."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.counts import FULL, count
from tests.mutations import attempt, mutated


@settings(max_examples=count(120, 30))
@given(st.integers(0, 10**9))
def test_a_file_with_a_typing_error_runs_or_is_refused_with_a_line_number(seed):
    text, _ = mutated(random.Random(seed))
    assert attempt(text, simulate=FULL) in ("met", "missed", "refused")


def test_no_file_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed in range(count(20, 8)):
        attempt(mutated(random.Random(seed))[0], simulate=FULL)
    assert list(tmp_path.iterdir()) == []
