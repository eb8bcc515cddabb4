"""The result of a sweep depends neither on its workers nor on interruptions; its intervals are those of SciPy."""

import json
import os
import runpy
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import hopattn as ha
from hopattn.experiments.sweep.checkpoint import read_checkpoint
from hopattn.experiments.sweep.plan import Plan, key_of
from hopattn.experiments.sweep.table import Sweep, load_sweep
from hopattn.foundation.errors import CannotDo, InvalidInput
from tests.counts import count
from tests.each import each
from tests.on_workers import noisy

AXES = {"x": (0, 1, 2), "y": (0.5, 1.5)}


def same(one, other):
    return all(np.array_equal(one.values[name], other.values[name], equal_nan=True) for name in one.values)


def test_the_result_is_the_same_for_any_number_of_workers():
    alone = ha.sweep(noisy, AXES, trials=3, workers=1)
    assert alone.values["value"].shape == (3, 2, 3)
    for workers in count((2, 3), (2,)):
        assert same(alone, ha.sweep(noisy, AXES, trials=3, workers=workers))


def test_an_axis_may_be_a_text_or_an_array():
    reported = [ha.sweep(noisy, {"x": x, "y": (0.5,)}, workers=1) for x in ((1, 2, 3), "1:3:3", np.arange(1, 4))]
    assert (
        [one.axes["x"] for one in reported] == [(1, 2, 3)] * 3
        and same(reported[0], reported[1])
        and same(reported[0], reported[2])
    )


def test_each_trial_has_numbers_of_its_own_and_another_seed_gives_others():
    found = ha.sweep(noisy, AXES, trials=5, workers=1)
    assert len(np.unique(found.values["second"])) == 3 * 2 * 5
    other = ha.sweep(noisy, AXES, trials=5, rng=1, workers=1)
    assert not np.isin(other.values["second"], found.values["second"]).any()


def test_a_point_does_not_depend_on_the_other_points():
    found = ha.sweep(noisy, AXES, trials=2, workers=1)
    alone = ha.sweep(noisy, {"x": (1,), "y": (1.5,)}, trials=2, workers=1)
    assert np.array_equal(alone.values["value"][0, 0], found.values["value"][1, 1])


def test_keys_tell_points_seeds_and_functions_apart():
    plans = [Plan(AXES), Plan(AXES, seed=1), Plan(AXES, about={"of": "this"})]
    keys = [key_of(plan, point) for plan in plans for point in plan.points]
    assert len(set(keys)) == len(keys) == 3 * 6


def test_a_finished_sweep_is_given_more_trials(tmp_path):
    """The later trials are those that more trials from the beginning would have had; the earlier ones stay."""
    file, calls = tmp_path / "points.jsonl", []

    def counted(point, seed):
        calls.append(dict(point))
        return noisy(point, seed)

    ha.sweep(counted, AXES, trials=2, workers=1, file=file)
    more = ha.sweep(counted, AXES, trials=5, workers=1, file=file)
    assert len(calls) == 5 * 6
    assert same(more, ha.sweep(noisy, AXES, trials=5, workers=1))
    assert same(more, load_sweep(file)) and len(read_checkpoint(file)[1]) == 6
    assert same(ha.sweep(counted, AXES, trials=3, workers=1, file=file), ha.sweep(noisy, AXES, trials=3, workers=1))
    assert len(calls) == 5 * 6


def test_points_with_fewer_trials_have_gaps(tmp_path):
    file = tmp_path / "points.jsonl"
    ha.sweep(noisy, {"x": (1, 2), "y": (1,)}, trials=1, workers=1, file=file)
    line = file.read_text().splitlines()
    entry = json.loads(line[1])
    entry["found"]["numbers"] = {name: [*rows, 7.0] for name, rows in entry["found"]["numbers"].items()}
    file.write_text("\n".join([line[0], json.dumps(entry), line[2]]) + "\n")
    values = load_sweep(file).values["value"]
    assert values.shape == (2, 1, 2) and np.isnan(values).sum() == 1 and 7.0 in values


def test_what_is_finished_is_not_computed_again(tmp_path):
    file, calls, most = tmp_path / "points.jsonl", [], [4]

    def counted(point, seed):
        if len(calls) == most[0]:
            raise InvalidInput("no more")
        calls.append(dict(point))
        return noisy(point, seed)

    with pytest.raises(InvalidInput, match=r"x = 2, y = 0\.5: no more"):
        ha.sweep(counted, AXES, workers=1, file=file)
    assert len(read_checkpoint(file)[1]) == 4
    partial = load_sweep(file)
    assert np.isnan(partial.values["value"]).sum() == 2
    most[0] = 6
    found = ha.sweep(counted, AXES, workers=1, file=file)
    assert calls[4:] == [{"x": 2, "y": 0.5}, {"x": 2, "y": 1.5}]
    assert same(found, ha.sweep(noisy, AXES, workers=1)) and same(found, load_sweep(file))
    again = ha.sweep(counted, AXES, workers=1, file=file)
    assert again.to_csv() == found.to_csv() and again.to_npz() == found.to_npz() and len(calls) == 6


def test_the_file_of_another_function_is_refused_and_a_start_that_failed_is_none(tmp_path):
    file = tmp_path / "points.jsonl"

    def mistaken(point, seed):
        return {"value": point["z"]}

    with pytest.raises(KeyError):
        ha.sweep(mistaken, AXES, workers=1, file=file)
    assert file.read_bytes() == b""
    ha.sweep(noisy, AXES, workers=1, file=file)
    before = file.read_bytes()
    with pytest.raises(InvalidInput, match=r'another sweep \(function: "noisy" there'):
        ha.sweep(mistaken, AXES, workers=1, file=file)
    assert file.read_bytes() == before


SLOW = """
import sys, time
import numpy as np
import hopattn as ha
def slow(point, seed):
    time.sleep(0.1)
    return {"value": np.random.default_rng(seed).normal() + point["x"]}
def swept(**kept):
    return ha.sweep(slow, {"x": tuple(range(12))}, workers=1, **kept).to_csv()
if __name__ == "__main__":
    swept(file=sys.argv[1])
"""


@pytest.mark.quick(0)
def test_a_killed_sweep_goes_on_and_comes_to_the_same_bytes(tmp_path):
    script, file = tmp_path / "slow.py", tmp_path / "points.jsonl"
    script.write_text(SLOW)
    for n in count((2, 5), (3,)):
        killed = subprocess.Popen([sys.executable, script, file], start_new_session=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (not file.exists() or file.read_bytes().count(b"\n") <= n):
            time.sleep(0.02)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        assert n <= len(read_checkpoint(file)[1]) < 12
    swept = runpy.run_path(script)["swept"]
    assert swept(file=file) == swept()


def test_an_incomplete_line_is_reported(tmp_path):
    file, notes = tmp_path / "points.jsonl", []
    ha.sweep(noisy, AXES, workers=1, file=file)
    file.write_bytes(file.read_bytes()[:-10])
    ha.sweep(noisy, AXES, workers=1, file=file, note=notes.append)
    assert notes == [f"{file}: the last line was incomplete; its point is computed again"]


def test_progress_is_reported():
    calls = []
    ha.sweep(noisy, AXES, workers=1, report=lambda done, total: calls.append((done, total)))
    assert calls == [(done, 6) for done in range(7)]


# Two worker processes start.
@pytest.mark.quick(0)
def test_a_worker_that_ends_is_reported():
    def ends(point, seed):
        if point["x"] == 2:
            os._exit(1)
        return {"value": 1.0}

    with pytest.raises(CannotDo, match="a worker ended before its work was done"):
        ha.sweep(ends, {"x": (1, 2)}, workers=2)


def test_blas_has_one_thread_in_a_trial_and_its_own_number_again_after():
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def threads(point, seed):
        return {"most": max(one["num_threads"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas")}

    with threadpoolctl.threadpool_limits(2):
        assert ha.sweep(threads, {"x": (1,)}, workers=1).mean("most") == 1
        assert threads({}, None) == {"most": 2}


LATER = """
import threadpoolctl
from hopattn.foundation.threads import single_threaded
def threads():
    return [one["num_threads"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]
with single_threaded():
    import scipy.linalg
with single_threaded():
    print(threads())
"""


@pytest.mark.quick(0)
def test_a_blas_that_is_loaded_later_has_one_thread_too():
    """SciPy brings its own BLAS, which a first search for NumPy's did not find."""
    pytest.importorskip("threadpoolctl")
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    printed = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=True, env=environment)
    assert set(json.loads(printed.stdout)) == {1}


@each(
    ("axes", "message"),
    [
        ({}, "nothing to go over"),
        ({"x": ()}, "x: is empty"),
        ({"x": (2, 1)}, "1 comes after 2"),
        ({"x": (1, 1)}, "is given twice"),
        ({"x": (1, float("nan"))}, "is not a finite number"),
        ({"x": ("a", 1)}, "is not a finite number"),
        ({"x": range(10_000), "y": range(1000)}, "the grid has 10,000,000 points; at most 1,000,000"),
    ],
)
def test_wrong_axes_are_refused(axes, message):
    with pytest.raises(InvalidInput, match=message):
        ha.sweep(noisy, axes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"trials": 0}, "trials"),
        ({"trials": 10**9}, "trials"),
        ({"rng": -1}, "rng"),
        ({"workers": 0}, "workers"),
        ({"workers": 10**9}, "workers"),
    ],
)
def test_wrong_numbers_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=f"{message}: expected a (whole number|seed)"):
        ha.sweep(noisy, AXES, **arguments)


@each(
    ("arguments", "message"),
    [
        ({"about": 3}, "about: expected a mapping"),
        ({"about": {"x": object()}}, "about: expected texts and numbers by name"),
        ({"file": 3}, "file: expected the path of a file, not 3"),
        ({"report": 3}, "report: expected a function, not 3"),
        ({"note": None}, "note: expected a function, not None"),
        ({"scheduler": np.zeros(2)}, "cluster: expected the address of a scheduler"),
        ({"trial": "noisy"}, "trial: expected a function, not 'noisy'"),
        ({"trial": print}, "x = 0, y = 0.5: the result of the trial: expected numbers by name, not None"),
        ({"trial": lambda point, seed: {"a": "b"}}, "x = 0, y = 0.5: 'a': expected a number, not 'b'"),
    ],
)
def test_arguments_of_another_sort_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        ha.sweep(**{"trial": noisy, "axes": AXES, "workers": 1} | arguments)


def test_a_trial_gives_the_same_names_everywhere_and_no_infinity():
    with pytest.raises(InvalidInput, match=r"x = 1: gives \['b'\] now and \['a'\] before"):
        names = iter("ab")
        ha.sweep(lambda point, seed: {next(names): 1.0}, {"x": (1,)}, trials=2, workers=1)
    with pytest.raises(InvalidInput, match="one point gives"):
        ha.sweep(lambda point, seed: {f"v{point['x']}": 1.0}, {"x": (1, 2)}, workers=1)
    with pytest.raises(InvalidInput, match="x = 1: 'a' is infinite"):
        ha.sweep(lambda point, seed: {"a": float("inf")}, {"x": (1,)}, workers=1)
    with pytest.raises(InvalidInput, match="'x' is the name of an axis"):
        ha.sweep(lambda point, seed: {"x": 1.0}, {"x": (1,)}, workers=1)


NUMBERS = st.lists(st.floats(-1e3, 1e3) | st.none(), min_size=1, max_size=12)


@given(NUMBERS)
def test_means_and_intervals_are_those_of_student(numbers):
    found = Sweep.of({"x": (1,)}, len(numbers), [{"a": numbers}])
    known = np.array([number for number in numbers if number is not None])
    (row,) = found.table()
    if not known.size:
        assert row == {"x": 1, "a": None, "a_ci95": None}
        return
    assert row["a"] == pytest.approx(known.mean(), abs=1e-9)
    if known.size == 1:
        assert row["a_ci95"] is None
    else:
        expected = stats.t.ppf(0.975, known.size - 1) * stats.sem(known)
        assert row["a_ci95"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_intervals_hold_the_true_mean_as_often_as_they_say():
    """1,000 intervals of 8 normal trials: 95 % hold it, with a standard error of 0.7 %."""
    found = ha.sweep(
        lambda point, seed: {"a": np.random.default_rng(seed).normal()}, {"x": tuple(range(1000))}, trials=8, workers=1
    )
    held = np.mean(np.abs(found.mean("a")) <= found.error("a"))
    assert abs(held - 0.95) < 4 * 0.007


def test_the_table_is_written_as_csv_arrays_and_a_dataset():
    found = ha.sweep(noisy, AXES, trials=2, workers=1)
    lines = found.to_csv().splitlines()
    assert lines[0] == "x,y,value,value_ci95,second,second_ci95" and len(lines) == 7
    assert [line.split(",")[:2] for line in lines[1:3]] == [["0", "0.5"], ["0", "1.5"]]
    import io

    arrays = np.load(io.BytesIO(found.to_npz()))
    assert arrays["x"].tolist() == [0, 1, 2] and np.array_equal(arrays["value"], found.values["value"])
    xarray = pytest.importorskip("xarray", reason="xarray is an extra")
    assert isinstance(found.to_xarray(), xarray.Dataset)
    assert found.to_xarray()["value"].sel(x=2, y=1.5).values.tolist() == found.values["value"][2, 1].tolist()


def test_a_mistyped_measure_is_reported():
    found = ha.sweep(noisy, AXES, workers=1)
    with pytest.raises(InvalidInput, match="'valu' is unknown; did you mean 'value'"):
        found.mean("valu")


def test_other_files_are_not_sweeps(tmp_path):
    file = tmp_path / "points.jsonl"
    file.write_text('{"sweep": 1}\n')
    with pytest.raises(InvalidInput, match="holds no points of a sweep"):
        load_sweep(file)
    with pytest.raises(InvalidInput, match="expected the path of a file, not None"):
        load_sweep(None)
