"""The cost of a comparison: it is known from the sizes, and too high a cost is refused before a number is read."""

import json
import re
import struct
import tracemalloc

import numpy as np
import pytest

import hopattn as ha
from hopattn.experiments.comparison import compare as comparing
from hopattn.experiments.comparison import cost, measuring, sampling
from hopattn.experiments.comparison.contenders import contenders
from hopattn.experiments.comparison.cost import (
    AT_ONCE,
    HELD,
    LEAST_HELD,
    OF_DIFFERENCES,
    PER_NUMBER,
    PER_PAIR,
    PER_RECALL,
    Size,
    in_words,
    require_time,
)
from hopattn.experiments.comparison.problem import checked_problem
from hopattn.foundation import array_headers, checks
from hopattn.foundation.errors import InvalidInput


@pytest.fixture
def unread(monkeypatch):
    """Any reading of numbers, instead of headers, fails the test."""

    def fail(array):
        pytest.fail(f"the numbers of {array.name} were read")

    monkeypatch.setattr(array_headers.StoredArray, "read", fail)


@pytest.fixture
def a_machine_of(monkeypatch):
    """A machine with so many bytes of memory."""
    return lambda size: monkeypatch.setattr(checks.os, "sysconf", {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": size}.get)


def sparse(file, **shapes):
    """A `.safetensors` of arrays of int8, whose numbers are a hole in the file."""
    header, end = {}, 0
    for name, shape in shapes.items():
        start, end = end, end + int(np.prod(shape))
        header[name] = {"dtype": "I8", "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    with file.open("wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        stream.truncate(8 + len(text) + end)


def test_the_time_is_that_of_the_stated_formula():
    assert Size(1000, 100, 50).seconds == pytest.approx(PER_RECALL + 1000 * 100 * (PER_PAIR + 50 * PER_NUMBER))
    assert [in_words(seconds) for seconds in (700, 25_000, 500_000, 1e12)] == [
        *("12 minutes", "7 hours", "6 days", "31,688 years")
    ]


def test_a_long_comparison_is_refused_with_the_estimate_and_begun_anyway(a_machine_of):
    a_machine_of(2**40)
    sizes = [Size(10_000, 100, 8), Size(8_388_608, 100, 1)]
    seconds = 120 * sum(size.seconds for size in sizes)
    message = (
        "compare: 8,388,608 keys × 100 cues of dim 1, the largest of 2 problems, × 120 recalls would take about "
        f"{seconds / 3600:.0f} hours and 37.9 GiB; take fewer rows, trials or memories, or begin it with --anyway"
    )
    with pytest.raises(InvalidInput, match=re.escape(message)):
        require_time(sizes, 120)
    require_time(sizes, 120, anyway=True)
    require_time(sizes[:1], 120)


def test_many_small_recalls_are_announced_with_their_time(hopattn, monkeypatch):
    message = []
    require_time([Size(20, 10, 8)], 1_000, note=message.append)
    require_time([Size(20, 10, 8)], 18_000, note=message.append)
    assert message == ["compare: 18,000 recalls take about 3 minutes"]
    monkeypatch.setattr(cost, "REPORTED_SECONDS", 0.01)
    code, _, err = hopattn("compare", "--dim", "8", "--trials", "2", "--memories", "nearest")
    assert code == 0 and err.startswith("compare: 2 recalls take about 0 seconds")


def test_what_no_memory_has_room_for_is_refused_whatever_is_said(a_machine_of):
    size = Size(100_000, 10_000, 1)
    a_machine_of(8 * size.numbers(HELD) - 1)
    with pytest.raises(InvalidInput, match=r"^compare: 100,000 keys × 10,000 cues of dim 1 would take 45\.1 GiB"):
        require_time([size], 1)
    require_time([size], 1, anyway=True)
    a_machine_of(8 * size.numbers(LEAST_HELD) - 1)
    with pytest.raises(InvalidInput, match=r"would take 14\.9 GiB; this machine has"):
        require_time([size], 1, anyway=True)


def test_the_room_counts_differences_by_blocks_and_all_draws():
    size = Size(100_000, 100, 64)
    assert size.numbers() == HELD * 10**7 + OF_DIFFERENCES * AT_ONCE + 64 * 100_100
    assert size._replace(draws=20).numbers() - size.numbers() == 19 * 64 * 100_100
    assert Size(100, 10, 8).numbers() == HELD * 1000 + OF_DIFFERENCES * 8000 + 8 * 110
    assert size.numbers(LEAST_HELD) == LEAST_HELD * 10**7 + 64 * 100_100


def test_a_comparison_by_distance_does_not_hold_all_differences(monkeypatch):
    monkeypatch.setattr(measuring, "AT_ONCE", 2**16)
    keys = np.sign(np.random.default_rng(0).normal(size=(3000, 32)))
    problem = checked_problem(keys, keys[:60], targets=np.arange(60))
    tracemalloc.start()
    weights = measuring._normalised_weights(contenders["nearest"].reader(keys, None, 1.0), problem, {})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 60 * 3000 * 32 / 3, "the differences of all pairs, 46 MB, at once"
    assert weights.argmax(axis=1).tolist() == [*range(60)]


def test_in_python_the_room_is_asked_before_anything_is_computed(a_machine_of, monkeypatch):
    a_machine_of(2**30)
    monkeypatch.setattr(comparing, "measure", lambda *arguments: pytest.fail("it was computed"))
    with pytest.raises(InvalidInput, match=r"compare: 20,000 keys × 20,000 cues of dim 1 would take 6\.0 GiB"):
        ha.compare(np.ones((20_000, 1)), np.ones((20_000, 1)))


def test_a_file_of_patterns_is_refused_by_its_header(hopattn, tmp_path, unread, a_machine_of):
    a_machine_of(2**40)
    np.savez_compressed(tmp_path / "wide.npz", patterns=np.ones((8_388_608, 1), dtype=np.int8))
    sparse(tmp_path / "wide.safetensors", patterns=(8_388_608, 1))
    for name in ("wide.npz", "wide.safetensors"):
        code, out, err = hopattn("compare", name)
        assert (code, out) == (2, "")
        assert err.startswith("compare: 8,388,608 keys × 100 cues of dim 1 × 120 recalls would take about 7 hours and")


def test_a_file_of_eight_gigabytes_is_refused_by_its_header(hopattn, tmp_path, unread):
    sparse(tmp_path / "huge.safetensors", patterns=(2**27, 64))
    assert (tmp_path / "huge.safetensors").stat().st_size > 8 * 10**9
    code, _, err = hopattn("compare", "huge.safetensors")
    assert (code, err) == (
        2,
        "'huge.safetensors': 'patterns' holds 8,589,934,592 numbers; at most 8,388,608 can be read\n",
    )


def test_heads_are_refused_before_the_first_of_their_arrays_is_read(hopattn, tmp_path, unread, a_machine_of):
    a_machine_of(2**40)
    sparse(tmp_path / "heads.safetensors", q=(2, 2000, 4), k=(2, 1_000_000, 4), v=(2, 1_000_000, 4))
    code, _, err = hopattn("compare", "heads.safetensors", "--memories", "nearest")
    assert code == 2
    assert "compare: 1,000,000 keys × 2,000 cues of dim 4, the largest of 2 problems, × 1 recall would take" in err
    sparse(tmp_path / "far.safetensors", q=(2, 4, 4), k=(2, 4, 4), v=(2**30, 4))
    assert "'v' holds 4,294,967,296 numbers" in hopattn("compare", "far.safetensors")[2]


def test_random_patterns_are_refused_before_they_are_drawn(hopattn, monkeypatch):
    monkeypatch.setattr(sampling, "random_patterns", lambda *one: pytest.fail("drawn"))
    code, _, err = hopattn("compare", "--dim", "2000", "--n-patterns", "20000")
    assert code == 2
    assert err.startswith("compare: 20,000 keys × 100 cues of dim 2,000 × 120 recalls would take about 2 hours")


def test_with_anyway_a_long_comparison_is_begun(hopattn, monkeypatch):
    plain = hopattn("compare", "--trials", "2", "--dim", "16")
    monkeypatch.setattr(cost, "MOST_SECONDS", 0.0)
    assert hopattn("compare", "--trials", "2", "--dim", "16")[0] == 2
    assert hopattn("compare", "--trials", "2", "--dim", "16", "--anyway") == plain


def test_each_recall_is_reported_and_those_of_a_memory_that_cannot_take_part():
    reports = []
    report = lambda *counts: reports.append(counts)  # noqa: E731
    ha.experiments.compare_patterns([[1.0, 0.5], [0.5, 1.0]], trials=2, memories=["hopfield", "linear"], report=report)
    assert reports == [(2, 4), (3, 4), (4, 4)]
    ha.compare([[1.0, 0.5]], [[1.0, 0.5]], memories=["linear"], beta=[1.0, 2.0], report=report)
    assert reports[3:] == [(1, 2), (2, 2)]
