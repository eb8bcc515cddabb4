"""The command line as a whole: help, exit codes, streams, packages that are missing, kernels."""

import json
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hopattn.cli import commands
from hopattn.cli.blas_kernel import KERNEL, NEEDED, choose_kernel
from hopattn.cli.main import main
from hopattn.memories.models import named_memories
from hopattn.scenario.files import GROUPS, shipped
from hopattn.scenario.kinds import kinds
from hopattn.views.scenario_list import PRACTICE, QUESTIONS
from tests.draws import count
from tests.processes import forked
from tests.runs import scenario_of
from tests.texts import GOOD


def test_hopattn_alone_is_one_screen(hopattn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, err = hopattn()
    assert (out + err).count("\n") < 24 and "practice" in out + err


def test_the_help_begins_with_what_most_want_and_a_new_command_is_among_the_others(hopattn, monkeypatch, tmp_path):
    (tmp_path / "another.py").write_text("import click\ncommand = click.Command('another', short_help='Do it.')\n")
    monkeypatch.setattr("hopattn.cli.commands.__path__", [*commands.__path__, str(tmp_path)])
    out = hopattn("--help")[1]
    parts = out.split("Commands:")[1].split("Further commands:")
    first, others = (re.findall(r"(?m)^  ([a-z]+)  ", part) for part in parts)
    assert first == ["run", "new", "explore", "practice", "lint", "sweep", "list", "heads", "compare"]
    assert others == sorted(others) and {"check", "papers", "another"} <= {*others}
    assert sorted(first + others) == sorted(module.name for module in pkgutil.iter_modules(commands.__path__))


def test_list_long_shows_every_scenario_with_its_source(hopattn):
    code, out, _ = hopattn("list", "--long")
    assert code == 0
    assert [name for name in shipped() if name not in out] == []
    assert "LING3804 Lecture Notes" in out
    rows = {row["name"]: row for row in json.loads(hopattn("list", "--json")[1])}
    assert [*rows["bank"]] == ["name", "kind", "title", "source", "group", "question"] and len(rows) == len(shipped())
    for name in [*shipped()][::14]:
        spec = scenario_of(name).spec
        assert [*rows[name].values()][:4] == [name, spec.kind, spec.title, spec.source]


def test_list_is_one_screen_by_what_one_wants_to_see_and_has_each_scenario_once_in_a_line(hopattn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = hopattn("list")[1].splitlines()
    assert len(lines) + 2 <= 24 and max(map(len, lines)) <= 80
    counts = {key: int(n) for key, n in re.findall(r"(?m)^(\w+) +(\d+)  ", "\n".join(lines))}
    assert [*counts] == [*QUESTIONS]
    shown = []
    for key, number in counts.items():
        heading, *own = hopattn("list", key)[1].splitlines()
        assert len(own) == number and max(map(len, own)) <= 80, heading
        shown += [line.split()[0] for line in own]
    assert sorted(shown) == sorted(shipped())


def test_each_word_of_a_question_is_a_group_or_a_scenario_and_stands_once():
    words = [word for _, names in QUESTIONS.values() for word in names.split()]
    groups = {f"{path.parent.name}/" for path in shipped().values()}
    assert len(words) == len({*words}) and groups <= {*words} <= groups | {*shipped()}
    assert not QUESTIONS.keys() & {*GROUPS, PRACTICE}


def test_list_shows_a_group_the_worksheets_or_what_has_a_word(hopattn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    heading, *group = hopattn("list", "memories")[1].splitlines()
    own = [name for name, path in shipped().items() if path.parent.name == "memories"]
    assert heading == "Memories of the literature" and [line.split()[0] for line in group] == own
    drawn = {row["name"] for row in json.loads(hopattn("list", "practice", "--json")[1])}
    assert drawn == {name for name, path in shipped().items() if "\n[practice]" in path.read_text()}
    assert "hopattn practice NAME" in hopattn("list", "practice")[1].splitlines()[0]
    assert hopattn("list", "capacity")[1].splitlines()[1].startswith("capacity  "), "the name itself is first"
    found = hopattn("list", "their", "dog")[1]
    assert "induction " in found and "bank" not in found
    assert "learned-positions" in hopattn("list", "Vaswani")[1], "where no title has the word, the sources count"
    assert [row["name"] for row in json.loads(hopattn("list", "phases", "--json")[1])] == ["phases"]


def test_list_shows_the_named_memories_from_their_registry(hopattn):
    code, out, _ = hopattn("list", "--memories")
    assert code == 0
    assert all(name in out for name in named_memories)
    rows = {row["name"]: row for row in json.loads(hopattn("list", "--memories", "--json")[1])}
    assert {"async", "concave_convex", "graded", "sync"} <= set(rows["modern"]["descends_under"])
    assert "glauber" not in rows["modern"]["descends_under"]
    assert rows["bam"]["source"] == "Kosko 1988"
    assert list(rows) == sorted(named_memories)


def test_explain_writes_the_lectures_arithmetic(hopattn):
    assert "same → neuron: .8×.8 + .6×.6 = .64 + .36 = 1" in hopattn("run", "similarity", "--explain")[1]
    assert "cos 90° = 0, sin 90° = 1" in hopattn("run", "positions", "--explain")[1]
    assert "3^0 + 3^0 + 3^1 + 3^0 = 1 + 1 + 3 + 1 = 6" in hopattn("run", "aaba", "--explain")[1]
    assert "similarity to financial: .1×0 + .7×1 + .7×0 + .1×0" in hopattn("run", "bank", "--explain")[1]


def test_json_is_json_only(hopattn):
    checked = ("check", *count((), ("bank", "letters")), "--json")
    for arguments in (("run", "bank", "--json"), checked, ("run", "bank", "--explain", "--json")):
        code, out, err = hopattn(*arguments)
        assert code == 0
        assert json.loads(out)
        assert all(re.match(r"\d+ of \d+ scenarios", line) for line in err.splitlines()), err  # progress, if it is long


def test_check_of_all_is_a_line_for_each_source_and_what_is_missed(hopattn, tmp_path, monkeypatch):
    (tmp_path / "rasp").mkdir()
    (tmp_path / "rasp" / "mine.toml").write_text(GOOD.replace('nearest = "b"', 'nearest = "a"'))
    some = {name: shipped()[name] for name in ("bank", "similarity", "letters")}
    monkeypatch.setattr("hopattn.scenario.files.shipped", lambda: some)
    code, out, _ = hopattn("check")
    rows = [line.split() for line in out.splitlines()]
    assert code == 0 and "bank" not in out and "--long shows each" in out
    assert ["met", "LING3804", "2", "of", "2", "8", "of", "8"] in [row[:8] for row in rows]
    assert "LING3804 Lecture Notes 7, 7.2" in hopattn("check", "--long")[1]
    monkeypatch.setattr("hopattn.scenario.files.shipped", lambda: some | {"mine": tmp_path / "rasp" / "mine.toml"})
    code, out, _ = hopattn("check")
    assert code == 1 and "MISSED  Programs in heads (RASP)" in out and "mine misses:" in out


@pytest.mark.slow
def test_check_on_several_processes_shows_what_one_process_shows(hopattn, tmp_path):
    (tmp_path / "bad.toml").write_text("schema = 1")
    file = str(tmp_path / "bad.toml")  # the processes may have started in another folder
    one, several = (hopattn("check", "letters", file, "bank", "--json", "--workers", n) for n in ("1", "2"))
    assert one == several
    assert (one[0], [row["name"] for row in json.loads(one[1])]) == (2, ["letters", "bank"])
    assert "bad.toml:1: 'kind' is missing" in one[2]


def test_a_file_and_standard_input(hopattn, tmp_path, monkeypatch):
    (tmp_path / "mine.toml").write_text(GOOD)
    assert hopattn("run", "mine.toml")[0] == 0
    with (tmp_path / "mine.toml").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert hopattn("run", "-")[0] == 0


def test_check_tells_files_of_one_name_apart_by_their_paths(hopattn, tmp_path):
    for student, nearest in (("anna", "b"), ("ben", "a")):
        (tmp_path / student).mkdir()
        (tmp_path / student / "exercise.toml").write_text(GOOD.replace('nearest = "b"', f'nearest = "{nearest}"'))
    files = [str(Path(student) / "exercise.toml") for student in ("anna", "ben")]
    code, out, _ = hopattn("check", *files, "bank")
    assert (code, f"{files[1]} misses:" in out, f"{files[0]} misses:" in out) == (1, True, False)
    assert [any(word in line.split() for line in out.split("\n")) for word in (*files, "bank")] == [True] * 3
    _, out, _ = hopattn("check", "--json", *files)
    assert [(row["name"], row["ok"]) for row in json.loads(out)] == [(files[0], True), (files[1], False)]
    _, out, _ = hopattn("check", files[0])
    assert out.split()[out.split().index("exercise") - 1] == "met" and "1 scenario; " in out


def test_check_of_a_group_is_that_of_its_scenarios(hopattn):
    own = [name for name, file in shipped().items() if file.parent.name == "cs371n"]
    assert [row["name"] for row in json.loads(hopattn("check", "cs371n", "--json")[1])] == own
    (one,) = json.loads(hopattn("check", "positions", "--json")[1])
    assert one["name"] == "positions", "a scenario comes before a group of the same name"


def test_check_goes_on_after_a_bad_file(hopattn, tmp_path):
    (tmp_path / "bad.toml").write_text("schema = 1")
    code, out, err = hopattn("check", "bad.toml", "bank")
    assert code == 2
    assert "bank" in out
    assert "bad.toml:1: 'kind' is missing" in err


PYTHON = shlex.quote(sys.executable)


@pytest.mark.slow
def test_the_lines_before_the_reader_leaves_are_written():
    script = f"{PYTHON} -u -m hopattn list --memories | head -1"
    process = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert process.stdout.startswith(b"name ") and process.stderr == b""


def test_no_color_is_honoured(hopattn, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[32m" in hopattn("run", "bank")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    printed = hopattn("run", "bank")[1]
    assert "met" in printed and "\x1b[32m" not in printed


def test_new_copies_the_arrays_that_a_scenario_reads_and_never_over_others(hopattn, tmp_path):
    for name in ("one.toml", "two.toml"):
        assert hopattn("new", "pytorch-layer", name) == (0, "", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.toml", "torch-encoder-layer.npz", "two.toml"]
    assert hopattn("run", "two.toml")[0] == 0
    (tmp_path / "torch-encoder-layer.npz").write_text("mine")
    code, _, err = hopattn("new", "pytorch-layer", "three.toml")
    assert (code, "torch-encoder-layer.npz: is there already" in err) == (2, True), err
    assert (tmp_path / "torch-encoder-layer.npz").read_text() == "mine"
    assert not (tmp_path / "three.toml").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("hopattn run bank-l", {"bank-layers"}),
        ("hopattn check pract", {"practice-7-1", "practice-7-2", "practice-7-3", "practice-narrow", "practice-turns"}),
        ("hopattn check lin", {"linear", "linear-attention", "ling3804"}),
        ("hopattn run ling", {"ling"}),
        ("hopattn papers hopfield-19", {"hopfield-1982", "hopfield-1985"}),
        ("hopattn ch", {"check"}),
        ("hopattn run zi", {"zither.toml"}),
        ("hopattn run bank --ex", {"--explain"}),
        ("hopattn completion z", {"zsh"}),
    ],
)
def test_names_and_options_are_completed(hopattn, words, expected, tmp_path, monkeypatch):
    (tmp_path / "zither.toml").write_text("")
    asked = {"_HOPATTN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    assert {line.split(",")[1] for line in hopattn()[1].split()} == expected


ON_WORKERS = "sweep bank --workers 2 --over beta=1,2"
READ_BY_JOBLIB = ("LOKY_MAX_CPU_COUNT", "LOKY_PICKLER", "LOKY_MAX_DEPTH", "JOBLIB_START_METHOD")
UNREADABLE = [
    ("MPLBACKEND", "nonsense", "figures words"),
    ("SOURCE_DATE_EPOCH", "today", "figures words"),
    ("SOURCE_DATE_EPOCH", "9" * 30, "figures words --as pdf"),
    ("SOURCE_DATE_EPOCH", "", "list"),
    *(("_HOPATTN_COMPLETE", asked, "list") for asked in ("zsh_complete", "fish_complete", "bash_x", "nonsense")),
    *((name, "abc", ON_WORKERS) for name in READ_BY_JOBLIB),
    ("JOBLIB_MULTIPROCESSING", "0", ON_WORKERS),
]
IMPORTED = """
import os
import hopattn as ha
from hopattn.cli.main import main
ha.experiments.sweep_scenario(ha.load("bank"), {"beta": (1, 2)}, workers=1)
"""


@pytest.mark.slow
def test_a_variable_that_others_cannot_read_is_named(tmp_path):
    """In processes that have imported none of the others: these read their variables when they are imported."""
    cases = count(UNREADABLE, UNREADABLE[::3])
    scripts = [f"os.environ[{name!r}] = {value!r}; main({command.split()})" for name, value, command in cases]
    ends = zip(cases, forked(tmp_path, IMPORTED, scripts), strict=True)
    wrong = [(case, end) for case, end in ends if end[0] != 2 or f"{case[0]}={case[1]!r}: " not in end[2]]
    assert wrong == []


def test_run_shows_the_matrix_and_the_verdicts(hopattn):
    code, out, err = hopattn("run", "bank")
    lines = [line.split() for line in out.split("\n")]
    assert (code, err) == (0, "") and "4 of 4 expectations met" in out
    assert ["banks", ".1", ".7", ".62", "·"] in lines and ["in", "·", "·", "·", "·"] in lines
    lines = [line.split() for line in hopattn("run", "bank", "--digits", "4")[1].split("\n")]
    assert ["banks", ".1", ".7", ".62", "·"] in lines and ["banks", ".2", "1.896", ".7", ".472"] in lines
    out = hopattn("run", "letters")[1]
    assert "half of R: R, left half hidden\n????████··   ████████··\n" in out
    assert "recalls R, converged after 2 steps" in out


def test_changes_and_seeds_are_those_of_the_run_and_a_missed_expectation_is_1(hopattn, tmp_path):
    code, out, _ = hopattn("run", "bank", "--set", "layer.head.separation=softmax")
    assert code == 1 and "MISSED" in out
    assert hopattn("run", "bank", "--set", 'input.tokens=["in", "muddy", "rivers", "banks"]')[0] == 1
    assert json.loads(hopattn("run", "random-features", "--seed", "3", "--json")[1])["seed"] == 3
    (tmp_path / "mine.toml").write_text(GOOD.replace('nearest = "b"', 'nearest = "a"'))
    assert hopattn("run", "mine.toml")[0] == 1
    code, out, _ = hopattn("check", "mine.toml", "bank")
    assert code == 1 and "mine misses:" in out and "2 scenarios; 4 of 5 expectations met" in out


@pytest.mark.parametrize(
    ("fault", "code", "message"),
    [
        (ZeroDivisionError("x"), 3, "a fault in hopattn itself: ZeroDivisionError"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 3, "not enough memory"),
        (OSError(28, "No space left on device"), 3, "No space left on device"),
    ],
)
def test_what_stops_a_run_has_its_exit_code_and_is_never_a_verdict(hopattn, monkeypatch, fault, code, message):
    def stop(*_, **__):
        raise fault

    monkeypatch.setattr("hopattn.scenario.running.run", stop)
    ended, out, err = hopattn("run", "bank")
    assert (ended, out, message in err) == (code, "", True)
    monkeypatch.setenv("HOPATTN_TRACEBACK", "1")
    if isinstance(fault, ZeroDivisionError):
        with pytest.raises(ZeroDivisionError):
            main(["run", "bank"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("{} completion bash >&-", 141),
        ("(sleep .2; {} run bank --json --set layer.head.separation=softmax; echo $? >&3) | true", 141),
        ("{} rnu >&-", 2),
        ("{} run bank > /dev/full", 3),
        ("{} completion bash > /dev/full", 3),
    ],
)
def test_output_that_nobody_can_read_is_neither_met_nor_missed(script, code):
    script = script.format(f"{PYTHON} -m hopattn") + ("" if "echo" in script else "; echo $? >&3")
    process = subprocess.run(["bash", "-c", f"{{ {script}; }} 3>&1"], capture_output=True, check=False)
    assert process.stdout == f"{code}\n".encode()
    full = b"output: No space left on device\n"
    assert code == 2 or process.stderr == (full if code == 3 else b"")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(hopattn, shell):
    code, out, _ = hopattn("completion", shell)
    assert code == 0 and f"_HOPATTN_COMPLETE={shell}_complete" in out


@pytest.mark.parametrize("kind", [*kinds, "positions", "induction", "bank"])
def test_new_writes_a_scenario_that_runs_and_never_over_another(hopattn, tmp_path, kind):
    assert hopattn("new", kind, "mine.toml") == (0, "", "")
    code, out, _ = hopattn("run", "mine.toml")
    assert (code, "MISSED" in out) == (0, False)
    first = (tmp_path / "mine.toml").read_text(encoding="utf-8").split("\n")[0]
    assert not first.startswith("#:schema")  # it would name a folder of this machine
    assert hopattn("new", kind)[1].startswith(first)
    (tmp_path / "mine.toml").write_text("mine")
    code, _, err = hopattn("new", kind, "mine.toml")
    assert code == 2 and "is left as it is" in err
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("mine.toml", "mine")]


MISSING = {"click": "--help", "numpy": "run bank", "pydantic": "run bank", "rich": "run bank"}


def test_a_package_that_is_missing_is_named_with_the_command_that_installs_it(tmp_path):
    start = "import sys; from hopattn.__main__ import main"
    scripts = [
        f"sys.modules[{name!r}] = None; sys.argv[1:] = {words.split()}; main()" for name, words in MISSING.items()
    ]
    for name, (code, out, err) in zip(MISSING, forked(tmp_path, start, scripts), strict=True):
        assert (code, out) == (3, "")
        assert err.startswith(f"{sys.executable} has no package '{name}'")
        assert err.endswith(f"{sys.executable} -m pip install .\n")


ALL = "processor: 0\nflags\t\t: fpu sse " + " ".join(sorted(NEEDED)) + "\n"
WITHOUT = "flags\t\t: fpu sse " + " ".join(sorted(NEEDED)[1:]) + "\n"


@pytest.mark.parametrize("numpy_is_imported", [False, True])
@pytest.mark.parametrize(
    ("cpuinfo", "given", "chosen"),
    [
        (ALL, None, KERNEL),
        (WITHOUT + ALL, None, None),
        ("", None, None),
        (None, None, None),
        (ALL, "Haswell", "Haswell"),
    ],
)
def test_the_kernel_is_set_only_where_it_may_be(tmp_path, monkeypatch, numpy_is_imported, cpuinfo, given, chosen):
    environ, file = {} if given is None else {"OPENBLAS_CORETYPE": given}, tmp_path / "cpuinfo"
    if not numpy_is_imported:
        monkeypatch.delitem(sys.modules, "numpy")
    if cpuinfo is not None:
        file.write_text(cpuinfo)
    choose_kernel(environ, file)
    assert environ.get("OPENBLAS_CORETYPE") == (given if numpy_is_imported else chosen)


def test_importing_the_library_leaves_the_environment_alone():
    code = "import os; before = dict(os.environ); import hopattn as ha; ha.Memory([[1.0]]); assert before == os.environ"
    subprocess.run([sys.executable, "-c", code], check=True)
