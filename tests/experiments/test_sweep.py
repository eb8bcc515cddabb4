"""The result of a sweep depends neither on its workers nor on interruptions; its intervals are those of SciPy."""

import hashlib
import io
import json
import os
import re
import runpy
import signal
import subprocess
import sys
import time
from functools import partial, wraps
from inspect import getsource
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import hopattn as ha
from tests.draws import count
from tests.on_workers import noisy
from tests.refusal import refused

AXES = {"x": (0, 1, 2), "y": (0.5, 1.5)}


def same(one, other):
    return one.axes == other.axes and all(
        np.array_equal(rows, other.values[name], equal_nan=True) for name, rows in one.values.items()
    )


def swept(axes=AXES, trial=noisy, **more):
    return ha.sweep(trial, axes, **{"workers": 1, "rng": 0, **more})


def counting(calls, most=(99,)):
    """The trial `noisy`, which keeps its points and refuses after so many."""

    def counted(point, seed):
        if len(calls) >= most[0]:
            raise ha.InvalidInput("no more")
        calls.append(dict(point))
        return noisy(point, seed)

    return counted


def test_the_result_is_the_same_for_any_number_of_workers():
    reports = []
    alone = swept(trials=3, report=lambda *done: reports.append(done))
    assert reports == [(done, 6) for done in range(7)]
    assert alone.values["value"].shape == (3, 2, 3) and alone.trials == 3
    for workers in count((2, 3), (2,)):
        assert same(alone, swept(trials=3, workers=workers))


def test_an_axis_may_be_a_text_or_an_array():
    one, *others = (swept({"x": x, "y": (0.5,)}) for x in ((1, 2, 3), "1:3:3", np.arange(1, 4)))
    assert one.axes == {"x": (1, 2, 3), "y": (0.5,)} and all(same(one, other) for other in others)


def test_each_trial_has_numbers_of_its_own_whatever_the_other_points_are_and_another_seed_gives_others():
    whole = swept(trials=5)
    assert len(np.unique(whole.values["second"])) == 3 * 2 * 5
    assert not np.isin(swept(trials=5, rng=1).values["second"], whole.values["second"]).any()
    alone = swept({"x": (1,), "y": (1.5,)}, trials=2)
    assert np.array_equal(alone.values["value"][0, 0], whole.values["value"][1, 1, :2])
    assert same(swept(), swept(rng=0, trials=1, about=None, file=None, report=None, scheduler=""))
    drawn, again = (swept(rng=np.random.default_rng(3)) for _ in range(2))
    assert same(drawn, again) and not same(drawn, swept())


def seeds(axes, **more):
    """The seeds that the trials of a sweep are given, by point and trial."""
    given = {}

    def kept(point, seed):
        given[tuple(sorted(point.items())), seed.spawn_key[-1]] = seed.entropy, *seed.spawn_key
        return {"value": 1.0}

    swept(axes, kept, **more)
    return given


def test_the_seed_of_a_trial_is_that_of_the_sweep_the_hash_of_the_point_and_the_number_of_the_trial():
    """The words are those of `sha256sum`: printf '{"rule": "hebb", "x": [1, 2]}' | sha256sum."""
    text = b'{"rule": "hebb", "x": [1, 2]}'
    digest = hashlib.sha256(text).hexdigest()
    words = [int(digest[i : i + 8], 16) for i in (0, 8, 16, 24)]
    assert words == [281804870, 1311447983, 4111698502, 700109272]
    found = seeds({"x": (0.5,), "rule": ("hebb",)}, rng=7, trials=2)
    assert [*found.values()] == [(7, *words, 0), (7, *words, 1)]


def test_a_seed_depends_on_the_values_of_the_point_alone(monkeypatch):
    alone = seeds({"x": (0, 1, 2), "y": (0.5, 3)})
    axes = [
        {"y": (0.5, 3), "x": (0, 1, 2)},
        {"x": (0.0, 1.0, 2.0), "y": (0.5, 3.0)},
        {"x": np.arange(3), "y": np.array([0.5, 3], np.float32)},
        {"x": [-0.0, np.int8(1), np.float16(2)], "y": "0.5,3"},
    ]
    assert all(seeds(one) == alone for one in axes)
    assert seeds(AXES | {"y": (0.5, 3)}, about={"of": "this"}) == alone
    monkeypatch.setattr(np, "__version__", "9.9")
    assert seeds(AXES | {"y": (0.5, 3)}) == alone and len({*alone.values()}) == 6


def test_what_is_finished_is_not_computed_again(tmp_path):
    file, calls, most = tmp_path / "new" / "points.jsonl", [], [4]
    refused(lambda: swept(trial=counting(calls, most), file=file), "x = 2, y = 0.5", "no more")
    partial_ = ha.load(file)
    assert np.isnan(partial_.values["value"]).sum() == 2 and len(calls) == 4
    reports, most[0] = [], 99
    result = swept(trial=counting(calls, most), file=file, report=lambda *done: reports.append(done), about=None)
    assert calls[4:] == [{"x": 2, "y": 0.5}, {"x": 2, "y": 1.5}] and reports == [(4, 6), (5, 6), (6, 6)]
    assert same(result, swept()) and same(result, ha.load(file))
    again = swept(trial=counting(calls, most), file=file)
    assert again.to_csv() == result.to_csv() and again.to_npz() == result.to_npz() and len(calls) == 6


def test_a_finished_sweep_is_given_more_trials(tmp_path):
    """The later trials are those that more trials from the beginning would have had; the earlier ones stay."""
    file, calls = tmp_path / "points.jsonl", []
    swept(trial=counting(calls), trials=2, file=file)
    more = swept(trial=counting(calls), trials=5, file=file)
    assert same(more, swept(trials=5)) and same(more, ha.load(file)) and len(calls) == 5 * 6
    assert same(swept(trial=counting(calls), trials=3, file=file), swept(trials=3)) and len(calls) == 5 * 6

    names = ["else"]
    call = partial(swept, {"x": (1,)}, lambda point, seed: {names[0]: 1.0}, file=tmp_path / "other")
    call()
    names[0] = "other"
    refused(partial(call, trials=2), "x = 1", "['other'] now", "['else'] before")


def test_points_with_fewer_trials_have_gaps(tmp_path):
    file, axes, trial = tmp_path / "points.jsonl", {"x": (1, 2), "y": (1,)}, counting([], [3])
    swept(axes, trial, file=file)
    refused(lambda: swept(axes, trial, trials=2, file=file), "x = 2, y = 1", "no more")
    values = ha.load(file).values["value"]
    assert values.shape == (2, 1, 2) and np.isnan(values).tolist() == [[[False, False]], [[False, True]]]
    assert values[0, 0, 1] == swept(axes, trials=2).values["value"][0, 0, 1]


@settings(max_examples=count(40, 15))
@given(st.data())
def test_a_file_that_is_cut_anywhere_keeps_its_whole_lines(tmp_path_factory, data):
    file, notes, calls = tmp_path_factory.mktemp("cut") / "points.jsonl", [], []
    whole = swept(trial=counting([]), file=file)
    text = file.read_bytes()
    cut = data.draw(st.integers(0, len(text)))
    file.write_bytes(text[:cut])
    kept = text[:cut].count(b"\n") - 1
    if cut and kept < 0:
        refused(
            lambda: swept(trial=counting(calls), file=file), f"{file}:1: ", "the points of a sweep", "left as it is"
        )
        assert file.read_bytes() == text[:cut]
        return
    kept = max(kept, 0)
    if kept:
        assert np.isfinite(ha.load(file).values["value"]).sum() == kept
    assert same(swept(trial=counting(calls), file=file, note=notes.append), whole)
    assert file.read_bytes() == text and len(calls) == 6 - kept
    incomplete = cut > 0 and text[cut - 1 : cut] != b"\n"
    assert notes == [f"{file}: the last line was incomplete; its point is computed again"] * incomplete


def foreign(data, text):
    """The content of a file of points, changed in one of many ways: values, entries, bytes, whole lines."""
    lines = text.splitlines(keepends=True)
    i = data.draw(st.integers(0, len(lines) - 1))
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(lines[i]))] * 2)))
    others = data.draw(st.permutations(lines))
    some = [
        b"",
        b"{",
        b"[]",
        b"NaN",
        b"Infinity",
        b"-1e999",
        b"9" * 5000,
        b"null",
        b"true",
        b'"a"',
        b"[" * 2000,
        b"\xff",
    ]
    numbers = [*re.finditer(rb"[0-9.]+|\[.*?\]|\"\w+\"", lines[i])]
    place = data.draw(st.sampled_from(numbers))
    changed = {
        "a value": lines[i][: place.start()] + data.draw(st.sampled_from(some)) + lines[i][place.end() :],
        "bytes": lines[i][:start] + data.draw(st.binary(max_size=5)) + lines[i][end:],
        "a line": data.draw(st.sampled_from(some)) + b"\n",
        "a blank": b"\n" + lines[i],
        "no end": lines[i].rstrip(b"\n"),
        "an entry": json.dumps(
            {**json.loads(lines[i]), "point": data.draw(st.sampled_from([{"x": 9}, 1, {"x": []}]))}
        ).encode(),
    }
    kind = data.draw(st.sampled_from([*changed, "order", "missing", "twice", "carriage returns", "more"]))
    match kind:
        case "order":
            return b"".join(others)
        case "missing":
            return b"".join(lines[:i] + lines[i + 1 :])
        case "twice":
            return b"".join([*lines, *others])
        case "carriage returns":
            return text.replace(b"\n", b"\r\n")
        case "more":
            return text + data.draw(st.sampled_from(some))
    return b"".join([*lines[:i], changed[kind], *lines[i + 1 :]])


@settings(max_examples=count(1000, 100))
@given(st.data())
def test_a_changed_file_gives_the_same_results_or_is_refused_with_its_line_and_left_as_it_is(tmp_path_factory, data):
    file = tmp_path_factory.getbasetemp() / "changed.jsonl"
    file.unlink(missing_ok=True)
    whole = swept(file=file)
    file.write_bytes(content := foreign(data, file.read_bytes()))
    complete = content[: content.rfind(b"\n") + 1]
    read, again = partial(ha.load, file), partial(swept, file=file)
    for call in (read, again):
        try:
            table = call()
        except ha.InvalidInput as error:
            assert re.match(rf"{re.escape(str(file))}:[0-9]+: ", str(error)) and "the file is left as it is" in str(
                error
            )
            assert file.read_bytes() == content
        else:
            assert table.axes == whole.axes
            for name, rows in table.values.items():
                assert np.all(np.isnan(rows) | (rows == whole.values[name]))
            if call is again:
                assert same(table, whole) and file.read_bytes().startswith(complete)


@pytest.mark.parametrize("line", range(6))
def test_a_damaged_point_is_computed_again_once_its_line_is_deleted(tmp_path, line):
    file = tmp_path / "points.jsonl"
    whole = swept(file=file)
    lines = file.read_text().splitlines(keepends=True)
    damaged = re.sub(r"(?<=\[)0\.", "1.", lines[line + 1], count=1)
    file.write_text("".join([*lines[: line + 1], damaged, *lines[line + 2 :]]))
    refused(lambda: swept(file=file), f"{file}:{line + 2}: ", "checksum", f"delete line {line + 2}")
    file.write_text("".join([*lines[: line + 1], *lines[line + 2 :]]))
    assert same(swept(file=file), whole)


def test_the_points_of_another_sweep_are_not_taken_for_those_of_this_one(tmp_path):
    """Two sweeps of one grid, whose files differ in the seed alone."""
    one, other = tmp_path / "one", tmp_path / "other"
    swept(file=one)
    swept(file=other, rng=1)
    head, *_ = one.read_bytes().splitlines(keepends=True)
    one.write_bytes(before := head + b"".join(other.read_bytes().splitlines(keepends=True)[1:]))
    refused(lambda: swept(file=one), f"{one}:2: ")
    assert one.read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rng": 4}, ["seed: 0 there, 4 here"]),
        ({"about": {"scenario": "induction"}}, ['scenario: "bank" there, "induction" here']),
        ({"about": {"scenario": "bank", "more": 1}}, ["more: nothing there, 1 here"]),
        ({"axes": {"x": (0, 1, 2, 3), "y": (0.5, 1.5)}}, ["x: [0, 1, 2] there, [0, 1, 2, 3] here"]),
        ({"trial": lambda point, seed: noisy(point, seed)}, ['function: "noisy" there']),
    ],
)
def test_the_file_of_another_sweep_is_refused_and_left_as_it_is(tmp_path, changes, words):
    file = tmp_path / "points.jsonl"
    swept(file=file, about={"scenario": "bank"})
    file.write_bytes(before := file.read_bytes() + b'{"poi')
    call = partial(swept, **{"file": file, "about": {"scenario": "bank"}, **changes})
    refused(call, f"{file}:1: holds another sweep", *words, "left as it is")
    assert file.read_bytes() == before


def test_a_start_that_failed_leaves_a_file_for_any_sweep_and_two_cannot_write_one_file(tmp_path):
    file = tmp_path / "points.jsonl"
    with pytest.raises(KeyError):
        swept(trial=lambda point, seed: {"value": point["z"]}, file=file)
    assert file.read_bytes() == b""
    refused(lambda: swept(file=file, report=lambda *done: swept(file=file)), str(file), "another sweep")
    assert same(swept(file=file), swept())
    (tmp_path / "link").symlink_to(file)
    assert same(ha.load(tmp_path / "link"), swept())


FULL = """
import resource, signal, sys
import hopattn as ha
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
try:
    ha.sweep(lambda point, seed: {"value": 1.0}, {"x": range(100)}, workers=1, file=sys.argv[1])
except ha.HopattnError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_full_disk_takes_no_earlier_point(tmp_path):
    file = tmp_path / "points.jsonl"
    message = subprocess.run([sys.executable, "-c", FULL, file], capture_output=True, text=True, check=True).stdout
    kept = int(np.isfinite(ha.load(file).values["value"]).sum())
    assert kept > 1 and f"{file}: cannot be written" in message and f"the {kept} points before are kept" in message
    assert file.read_bytes().endswith(b"\n") and file.stat().st_size <= 1500


SLOW = """
import sys, time
import numpy as np
import hopattn as ha
def slow(point, seed):
    time.sleep(0.1)
    return {"value": np.random.default_rng(seed).normal() + (point["x"] in {*"abcdef", "one", "two", 3})}
def swept(**kept):
    return ha.sweep(slow, {"x": tuple(range(12))}, workers=1, rng=0, **kept).to_csv()
if __name__ == "__main__":
    swept(file=sys.argv[1])
"""


@pytest.mark.slow
def test_a_killed_sweep_goes_on_and_comes_to_the_same_bytes(tmp_path):
    """The hash of the code of its function is that of any process: the order of a set is not."""
    script, file = tmp_path / "slow.py", tmp_path / "points.jsonl"
    script.write_text(SLOW)
    for n in count((2, 5), (3,)):
        environment = {**os.environ, "PYTHONHASHSEED": str(n)}
        killed = subprocess.Popen([sys.executable, script, file], start_new_session=True, env=environment)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (not file.exists() or file.read_bytes().count(b"\n") <= n):
            time.sleep(0.02)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        assert n <= np.isfinite(ha.load(file).values["value"]).sum() < 12
    again = runpy.run_path(script)["swept"]
    assert again(file=file) == again()


@pytest.mark.slow
def test_what_goes_wrong_on_two_processes_is_raised_here_and_the_next_sweep_is_as_before():
    def ends(point, seed):
        return os._exit(1) if point["x"] == 2 else {"value": 1.0}

    def fails(point, seed):
        raise ValueError(f"of {point['x']}")

    def stops(done, total):
        if done:
            raise KeyboardInterrupt

    refused(lambda: swept({"x": (1, 2)}, ends, workers=2), "a worker ended before its work was done", "fewer workers")
    with pytest.raises(ValueError, match="of 1"):
        swept({"x": (1,)}, fails, workers=2)
    for _ in range(count(20, 3)):
        with pytest.raises(KeyboardInterrupt):
            swept({"x": range(50), "y": (1,)}, report=stops, workers=2)
    assert same(swept(workers=2), swept())


THREADS = """
import numpy, threadpoolctl, hopattn as ha
def trial(point, seed):
    if point["x"] == 1:
        import scipy.linalg
    return {"most": max(one["num_threads"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas")}
print([trial({"x": 0}, 0), *ha.sweep(trial, {"x": (0, 1, 2)}, workers=1).mean("most").tolist(), trial({"x": 0}, 0)])
"""


@pytest.mark.slow
def test_blas_has_one_thread_in_a_trial_though_it_is_loaded_later_and_its_own_number_again_after():
    """SciPy brings its own BLAS, which a first search for NumPy's did not find."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    command = [sys.executable, "-c", THREADS]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    before, first, _, last, after = eval(printed)
    assert (before, first, last, after) == ({"most": 2}, 1, 1, {"most": 2})


NUMBERS = st.lists(st.floats(-1e3, 1e3) | st.none(), min_size=1, max_size=12)


@given(NUMBERS)
def test_means_and_intervals_are_those_of_student(numbers):
    left = iter([np.nan if number is None else number for number in numbers])
    table = swept({"x": (1,)}, lambda point, seed: {"a": next(left)}, trials=len(numbers))
    known = np.array([number for number in numbers if number is not None])
    (row,) = table.table()
    assert [*row] == ["x", "a", "a_low", "a_high"]
    assert row["a"] == (pytest.approx(known.mean(), abs=1e-9) if known.size else None)
    if known.size < 2 or stats.sem(known) <= 1e-14 * abs(known.mean()):
        assert row["a_low"] is row["a_high"] is None and np.isnan(table.interval("a")).all()
    else:
        expected = stats.t.interval(0.95, known.size - 1, known.mean(), stats.sem(known))
        assert (row["a_low"], row["a_high"]) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_shares_have_wilsons_interval_and_six_that_agree_are_not_certain(tmp_path):
    file, ends = tmp_path / "points.jsonl", stats.binomtest(6, 6).proportion_ci(0.95, method="wilson")
    options = {"trials": 6, "rng": 0, "workers": 1, "file": file}
    table = ha.sweep(lambda point, seed: {"kept": 1.0, "steps": 2.0}, {"x": (1,)}, shares=["kept"], **options)
    for one in (table, ha.load(file)):
        assert one.table() == [
            {"x": 1, "kept": 1.0, "kept_low": pytest.approx(ends.low), "kept_high": 1.0}
            | {"steps": 2.0, "steps_low": None, "steps_high": None}
        ]
        assert one.interval_name == one.to_dict()["intervals"]
        assert one.interval_name == "95 % interval (Wilson for shares, Student's t for means) of 6 trials"
    assert "1 [.6097, 1]" in ha.html(table)


def test_a_share_that_no_trial_gives_is_refused_at_the_first_point():
    done = []
    with pytest.raises(ha.InvalidInput, match="shares: 'kpet' is unknown; did you mean 'kept'"):
        ha.sweep(lambda point, seed: {"kept": done.append(point) or 1.0}, {"x": (1, 2)}, shares=["kpet"], workers=1)
    assert len(done) == 1


def test_intervals_hold_the_true_mean_as_often_as_they_say():
    """1,000 intervals of 8 normal trials: 95 % hold it, with a standard error of 0.7 %."""
    normal = swept({"x": range(1000)}, lambda point, seed: {"a": np.random.default_rng(seed).normal()}, trials=8)
    held = np.mean(np.prod(normal.interval("a"), axis=0) <= 0)
    assert abs(held - 0.95) < 4 * 0.007
    alike = swept({"x": (1,)}, lambda point, seed: {"a": 0.1 + 2.0**-56 * seed.spawn_key[-1]}, trials=3)
    assert np.ptp(alike.values["a"]) > 0 and np.isnan(alike.interval("a")).all()  # they differ by rounding alone


def test_the_table_is_written_as_csv_arrays_and_a_dataset():
    table = swept(trials=2)
    lines = table.to_csv().splitlines()
    assert lines[0] == "x,y,value,value_low,value_high,second,second_low,second_high" and len(lines) == 7
    assert [line.split(",")[:2] for line in lines[1:4]] == [["0", "0.5"], ["0", "1.5"], ["1", "0.5"]]
    assert [float(line.split(",")[2]) for line in lines[1:]] == table.mean("value").ravel().tolist()
    arrays = np.load(io.BytesIO(table.to_npz()))
    assert arrays["x"].tolist() == [0, 1, 2] and np.array_equal(arrays["value"], table.values["value"])
    whole = {"axes": {"x": [0, 1, 2], "y": [0.5, 1.5]}, "trials": 2, "points": table.table(), "shares": []}
    assert table.to_dict() == whole | {"intervals": "95 % interval (Student's t) of 2 trials", **table.about}
    shown = "over x 0 to 2 (3), y 0.5 to 1.5 (2); {}; .table() has the numbers)"
    assert repr(table) == "Sweep(value, second " + shown.format("2 trials")
    assert repr(swept()).endswith(shown.format("1 trial"))
    xarray = pytest.importorskip("xarray", reason="xarray is an extra")
    assert isinstance(table.to_xarray(), xarray.Dataset)
    assert table.to_xarray()["value"].sel(x=2, y=1.5).values.tolist() == table.values["value"][2, 1].tolist()


def squared(point, seed):
    return {"value": point["x"] ** 2 if point["x"] in {"one", "two", 3} else 0}


def scaled(factor, power=2, more=()):
    def trial(point, seed, power=power, *, more=more):
        return {"value": (factor if isinstance(factor, int) else 1) * point["x"] ** power}

    return trial


def logged(function):
    @wraps(function)
    def inner(point, seed):
        return function(point, seed)

    return inner


class Trial:
    def __call__(self, point, seed):
        return {"value": point["x"]}

    def method(self, point, seed):
        return {"value": point["x"]}


def again(function):
    """The same function from a text with comments, at another place of another file."""
    text = "# a comment\n\n" + getsource(function).replace("\n", "  # another\n", 1)
    exec(compile(text, "elsewhere.py", "exec"), names := {})
    return names[function.__name__]


def test_a_file_goes_on_with_a_function_that_computes_the_same_and_with_no_other(tmp_path):
    functions = [
        [squared, again(squared), logged(squared), logged(again(squared))],
        [again(scaled)(3), scaled(3), scaled(3, 2)],
        [scaled(4)],
        [scaled(3, 4)],
        [scaled(3, more=("a",))],
        [partial(scaled(3), power=3), partial(again(scaled)(3), power=3)],
        [partial(scaled(3), power=4)],
        [lambda point, seed: {"value": point["x"] ** 2}, lambda point, seed: {"value": point["x"] ** 2}],
        [lambda point, seed: {"value": point["x"] ** 3}],
        [lambda point, seed: {"value": point["y"] ** 2}],
        [lambda point, seed: {"value": sum(x**2 for x in point.values())}],
        [lambda point, seed: {"value": sum(x**4 for x in point.values())}],
        [Trial(), Trial()],
        [Trial().method],
        [scaled(squared)],
        [scaled(logged(Trial()))],
    ]
    axes = {"x": (3,), "y": (1,)}
    for i, (one, *alike) in enumerate(functions):
        swept(axes, one, file=tmp_path / f"{i}")
        for other in alike:
            swept(axes, other, file=tmp_path / f"{i}")
    for i, j in permutations(range(len(functions)), 2):
        refused(partial(swept, axes, functions[i][-1], file=tmp_path / f"{j}"), str(tmp_path), "holds another sweep")
