"""The command line from outside: the text on standard output and standard error, and the exit code."""

import json
import re
import shlex
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from hopattn.cli.main import main
from hopattn.experiments import certificate
from hopattn.memories.models import named_memories
from hopattn.scenario.files import shipped
from hopattn.scenario.kinds import kinds
from tests.counts import count, some, spread
from tests.each import each
from tests.processes import forked
from tests.runs import scenario_of
from tests.texts import GOOD


def test_help_names_every_command(hopattn):
    code, out, _ = hopattn("--help")
    assert code == 0
    assert all(command in out for command in ("list", "run", "check", "schema")) and "Exit codes: 0" in out


def test_hopattn_alone_is_one_screen(hopattn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, err = hopattn()
    assert (out + err).count("\n") < 24 and "certify" in out + err


def test_list_long_shows_every_scenario_with_its_source(hopattn):
    code, out, _ = hopattn("list", "--long")
    assert code == 0
    assert [name for name in shipped() if name not in out] == []
    assert "LING3804 Lecture Notes" in out
    rows = {row["name"]: row for row in json.loads(hopattn("list", "--json")[1])}
    assert [*rows["bank"]] == ["name", "kind", "title", "source"] and len(rows) == len(shipped())
    for name in spread(shipped(), 12):
        spec = scenario_of(name).spec
        assert [*rows[name].values()] == [name, spec.kind, spec.title, spec.source]


def test_list_is_one_screen_of_groups_and_a_group_or_a_word_is_a_line_a_scenario(hopattn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = hopattn("list")[1].splitlines()
    assert len(lines) + 2 <= 24 and max(map(len, lines)) <= 80
    assert {path.parent.name for path in shipped().values()} <= {line.split(" ")[0] for line in lines if line}
    heading, *group = hopattn("list", "memories")[1].splitlines()
    assert heading == "Memories of the literature" and max(map(len, group)) <= 80 and "…" not in "".join(group)
    own = [name for name, path in shipped().items() if path.parent.name == "memories"]
    assert [line.split()[0] for line in group if line[0] != " "] == own
    assert hopattn("list", "capacity")[1].splitlines()[1].startswith("capacity  "), "the name itself is first"
    found = hopattn("list", "their", "dog")[1]
    assert "induction " in found and "bank" not in found
    assert "learned-positions" in hopattn("list", "Vaswani")[1], "where no title has the word, the sources count"
    assert [row["name"] for row in json.loads(hopattn("list", "phases", "--json")[1])] == ["phases"]


@each(
    ("arguments", "message"),
    [
        (("capcity",), "no scenario has 'capcity' in its name, title or source; did you mean 'capacity'?"),
        (("xyzzyx",), "no scenario has 'xyzzyx' in its name, title or source (`hopattn list` shows the groups)"),
        (("--memories", "modern"), "--memories: shows all memories; a word looks for scenarios"),
    ],
)
def test_list_says_that_nothing_is_found(hopattn, arguments, message):
    assert hopattn("list", *arguments) == (2, "", f"{message}\n")


def test_list_shows_the_named_memories_from_their_registry(hopattn):
    code, out, _ = hopattn("list", "--memories")
    assert code == 0
    assert all(name in out for name in named_memories)
    rows = {row["name"]: row for row in json.loads(hopattn("list", "--memories", "--json")[1])}
    assert {"async", "concave_convex", "graded", "sync"} <= set(rows["modern"]["descends_under"])
    assert "glauber" not in rows["modern"]["descends_under"]
    assert rows["bam"]["source"] == "Kosko 1988"
    assert list(rows) == sorted(named_memories)


def test_certify_shows_under_which_updates_the_energy_falls(hopattn, monkeypatch):
    monkeypatch.setattr(certificate, "PATIENCE", count(certificate.PATIENCE, 50))
    code, out, _ = hopattn("certify", "modern", "hopfield", "--count", count("100", "10"))
    assert code == 0
    assert "no claimed update raised the energy (float64)" in out
    single = json.loads(hopattn("certify", "modern", "--count", count("20", "5"), "--dtype", "float32", "--json")[1])
    assert {row["dtype"] for row in single} == {"float32"}
    rows = json.loads(hopattn("certify", "bam", "--count", count("100", "20"), "--json")[1])
    claimed = {row["update"] for row in rows if row["claimed"]}
    assert {"concave_convex", "sync"} <= claimed
    assert not {"async", "glauber", "graded"} & claimed
    code, _, err = hopattn("certify", "modrn")
    assert code == 2
    assert "memory: 'modrn' is unknown; did you mean 'modern'" in err


def test_run_shows_the_matrix_and_the_verdicts(hopattn):
    code, out, err = hopattn("run", "bank")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.split("\n")]
    assert ["banks", ".1", ".7", ".62", "·"] in lines and ["in", "·", "·", "·", "·"] in lines
    assert "4 of 4 expectations met" in out
    lines = [line.split() for line in hopattn("run", "bank", "--digits", "4")[1].split("\n")]
    assert ["banks", ".1", ".7", ".62", "·"] in lines and ["banks", ".2", "1.896", ".7", ".472"] in lines


def test_explain_writes_the_lectures_arithmetic(hopattn):
    assert "same → neuron: .8×.8 + .6×.6 = .64 + .36 = 1" in hopattn("run", "similarity", "--explain")[1]
    assert "cos 90° = 0, sin 90° = 1" in hopattn("run", "positions", "--explain")[1]
    assert "3^0 + 3^0 + 3^1 + 3^0 = 1 + 1 + 3 + 1 = 6" in hopattn("run", "aaba", "--explain")[1]
    assert "similarity to financial: .1×0 + .7×1 + .7×0 + .1×0" in hopattn("run", "bank", "--explain")[1]


def test_one_step_that_was_asked_for_is_explained_without_a_second_copy_of_its_picture(hopattn):
    out = hopattn("run", "nearest", "--explain")[1]
    assert out.count("  after 1 step, as asked\n") == 2 and out.count("  the new state:\n") == 2
    assert "max_steps" not in out and out.count("    ████████··\n") <= 1


def test_json_is_json_only(hopattn):
    checked = ("check", *count((), ("bank", "letters")), "--json")
    for arguments in (("run", "bank", "--json"), checked, ("run", "bank", "--explain", "--json")):
        code, out, err = hopattn(*arguments)
        assert code == 0
        assert json.loads(out)
        assert all(re.match(r"\d+ of \d+ scenarios", line) for line in err.splitlines()), err  # progress, if it is long


def test_set_and_seed(hopattn):
    code, out, _ = hopattn("run", "bank", "--set", "layer.head.separation=softmax")
    assert code == 1
    assert "MISSED" in out
    assert hopattn("run", "bank", "--set", 'input.tokens=["in", "muddy", "rivers", "banks"]')[0] == 1
    assert json.loads(hopattn("run", "random-features", "--seed", "3", "--json")[1])["seed"] == 3


def test_check_lists_all_as_met(hopattn):
    names = spread(shipped(), 9)
    code, out, _ = hopattn("check", *count(("--long",), names))
    assert code == 0
    assert all(name in out for name in names)
    assert f"{len(names)} scenarios" in out
    assert "MISSED" not in out


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


def test_check_on_several_processes_shows_what_one_process_shows(hopattn, tmp_path):
    (tmp_path / "bad.toml").write_text("schema = 1")
    file = str(tmp_path / "bad.toml")  # the processes may have started in another folder
    one, several = (hopattn("check", "letters", file, "bank", "--json", "--workers", n) for n in ("1", "2"))
    assert one == several
    assert (one[0], [row["name"] for row in json.loads(one[1])]) == (2, ["letters", "bank"])
    assert "bad.toml:1: 'kind' is missing" in one[2]


def test_many_scenarios_of_the_groups_are_shown_in_groups(hopattn, monkeypatch):
    monkeypatch.setattr("hopattn.cli.commands.check.MANY", 2)
    named = [str(shipped()[name]) for name in ("letters", "bank")]
    assert ["LING3804", "1", "of", "1"] in [
        line.split()[1:5] for line in hopattn("check", *named, "--workers", "1")[1].splitlines()
    ]


def test_check_says_how_far_it_is_if_that_takes_long(hopattn, monkeypatch):
    monkeypatch.setattr("hopattn.views.tables.monotonic", iter(range(0, 1000, 11)).__next__)
    code, out, err = hopattn("check", "bank", "similarity")
    assert code == 0 and "2 scenarios; " in out
    assert [line.split(",")[0] for line in err.splitlines()] == [f"{i} of 2 scenarios" for i in range(3)]


def test_a_file_and_standard_input(hopattn, tmp_path, monkeypatch):
    (tmp_path / "mine.toml").write_text(GOOD)
    assert hopattn("run", "mine.toml")[0] == 0
    with (tmp_path / "mine.toml").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert hopattn("run", "-")[0] == 0


def test_a_missed_expectation_is_1_and_check_shows_it(hopattn, tmp_path):
    (tmp_path / "mine.toml").write_text(GOOD.replace('nearest = "b"', 'nearest = "a"'))
    assert hopattn("run", "mine.toml")[0] == 1
    code, out, _ = hopattn("check", "mine.toml", "bank")
    assert code == 1
    assert "mine misses:" in out
    assert "2 scenarios; 4 of 5 expectations met" in out


@each(
    ("arguments", "message"),
    [
        (("run",), "name a scenario, such as `hopattn run bank`; `hopattn list` shows them"),
        (("sweep",), "name a scenario, such as `hopattn sweep capacity`; `hopattn list` shows them"),
        (("rnu",), "command 'rnu' is unknown; did you mean 'run'?"),
        (("bank",), "'bank' is a scenario: `hopattn run bank` runs it"),
        (("run", "their-dog"), "there is no scenario or file 'their-dog'; did you mean 'induction'?"),
        (("run", "bank", "--sed", "1"), "--seed"),
        (("run", "bank", "--seed", "-1"), "Invalid value for '--seed'"),
        (("run", "bank", "--seed", "x"), "not a valid integer"),
        (("run", "bnak"), "there is no scenario or file 'bnak'; did you mean 'bank'?"),
        (("run", "none.toml"), "none.toml: there is no such file"),
        (("run", "."), "is a folder; expected a scenario file"),
        (("run", "bank", "--set", "x"), "'x': expected KEY=VALUE"),
        (("run", "bank", "--set", "layer.head.mask=nine"), "--set layer.head.mask: 'nine' is unknown"),
        (("check", "bank", "bnak"), "did you mean 'bank'?"),
        (("run", "bad.toml"), "bad.toml:14: layer.1.head.1.separation: 'softmx' is unknown; did you mean 'softmax'?"),
        (("run", "/dev/null"), "/dev/null: is a device; expected a plain file"),
        (("run", "/dev/zero"), "/dev/zero: is a device; expected a plain file"),
    ],
)
def test_wrong_usage_and_input_is_2_with_a_message_on_standard_error(hopattn, arguments, message):
    Path("bad.toml").write_text(GOOD.replace('"softmax"', '"softmx"'))
    code, _, err = hopattn(*arguments)
    assert code == 2
    assert message in err
    assert "Traceback" not in err


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


def test_check_goes_on_after_a_bad_file(hopattn, tmp_path):
    (tmp_path / "bad.toml").write_text("schema = 1")
    code, out, err = hopattn("check", "bad.toml", "bank")
    assert code == 2
    assert "bank" in out
    assert "bad.toml:1: 'kind' is missing" in err


def test_a_fault_in_hopattn_is_3_and_never_1(hopattn, monkeypatch):
    monkeypatch.setattr("hopattn.scenario.running.run", lambda *_, **__: 1 / 0)
    code, _, err = hopattn("run", "bank")
    assert code == 3
    assert "a fault in hopattn itself: ZeroDivisionError" in err
    monkeypatch.setenv("HOPATTN_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(["run", "bank"])


@pytest.mark.parametrize(
    ("fault", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 3, "not enough memory"),
        (OSError(28, "No space left on device"), 3, "No space left on device"),
    ],
)
def test_an_interrupt_and_missing_resources_have_their_exit_codes(hopattn, monkeypatch, fault, code, message):
    def stop(*_, **__):
        raise fault

    monkeypatch.setattr("hopattn.scenario.running.run", stop)
    exit_code, _, err = hopattn("run", "bank")
    assert exit_code == code
    assert message in err


def test_text_from_a_file_cannot_control_the_terminal(hopattn, tmp_path):
    (tmp_path / "mine.toml").write_text(GOOD.replace('"a title"', r'"\u001b[31m[red]x[/red]"'))
    out = hopattn("run", "mine.toml")[1]
    assert "\x1b" not in out
    assert "[red]x[/red]" in out
    (tmp_path / "bad.toml").write_text(GOOD.replace('"softmax"', r'"\u001b[31m"'))
    assert "\x1b" not in hopattn("run", "bad.toml")[2]


PYTHON = shlex.quote(sys.executable)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("arguments", "code"),
    spread([("completion bash", 141), ("run bank --json --set layer.head.separation=softmax", 141), ("rnu", 2)], 2),
)
def test_output_that_nobody_reads_is_neither_met_nor_missed(arguments, code):
    command = f"{PYTHON} -m hopattn {arguments}"
    for script in (f"{command} >&-; echo $? >&3", f"(sleep .2; {command}; echo $? >&3) | true"):
        process = subprocess.run(["bash", "-c", f"{{ {script}; }} 3>&1"], capture_output=True, check=False)
        assert process.stdout == f"{code}\n".encode()
        assert code == 2 or process.stderr == b""


@pytest.mark.quick(0)
def test_the_lines_before_the_reader_leaves_are_written():
    script = f"{PYTHON} -u -m hopattn list --memories | head -1"
    process = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert process.stdout.startswith(b"name ") and process.stderr == b""


@pytest.mark.quick(1)
@pytest.mark.parametrize("command", ["run bank", "completion bash"])
def test_a_full_disk_is_said_once_with_the_code_3(command):
    script = f"{PYTHON} -m hopattn {command} > /dev/full; echo $?"
    process = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    assert process.stdout == b"3\n"
    assert process.stderr == b"output: No space left on device\n"


def test_pictures_are_side_by_side(hopattn):
    code, out, err = hopattn("run", "letters")
    assert (code, err) == (0, "")
    assert "half of R: R, left half hidden\n????████··   ████████··\n" in out
    assert "recalls R, converged after 2 steps" in out
    assert "elements" not in hopattn("run", "letters", "--explain")[1]


def test_no_color_is_honoured(hopattn, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[32m" in hopattn("run", "bank")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    printed = hopattn("run", "bank")[1]
    assert "met" in printed and "\x1b[32m" not in printed


@pytest.mark.parametrize("kind", kinds)
def test_new_writes_a_scenario_that_runs_and_never_over_another(hopattn, tmp_path, kind):
    assert hopattn("new", kind, "mine.toml") == (0, "", "")
    code, out, _ = hopattn("run", "mine.toml")
    assert code == 0
    assert "MISSED" not in out
    (tmp_path / "mine.toml").write_text("mine")
    code, _, err = hopattn("new", kind, "mine.toml")
    assert code == 2
    assert "is left as it is" in err
    assert (tmp_path / "mine.toml").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_new_begins_with_a_shipped_scenario_too(hopattn, tmp_path):
    for name in ("positions", "induction", "bank"):
        assert hopattn("new", name, f"{name}-mine.toml") == (0, "", "")
        code, out, _ = hopattn("run", f"{name}-mine.toml")
        assert (code, "MISSED" in out) == (0, False)
        lines = (tmp_path / f"{name}-mine.toml").read_text(encoding="utf-8").split("\n")
        assert [line[:9] for line in lines[:2]] == ["#:schema ", "schema = "]
    code, _, err = hopattn("new", "inducton", "other.toml")
    assert (code, "did you mean 'induction'?" in err, (tmp_path / "other.toml").exists()) == (2, True, False), err


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


def test_new_names_the_schema_for_editors(hopattn):
    code, out, _ = hopattn("new")
    assert code == 0
    assert out.startswith("#:schema ")
    assert Path(out.split("\n")[0].removeprefix("#:schema ")).is_file()
    assert hopattn("new", "atention")[0] == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(hopattn, shell):
    code, out, _ = hopattn("completion", shell)
    assert code == 0
    assert "_HOPATTN_COMPLETE" in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("hopattn run bank-l", {"bank-layers"}),
        ("hopattn check pract", {"practice-7-1", "practice-7-2", "practice-7-3"}),
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
    ("MPLBACKEND", "nonsense", "figures neuron"),
    ("SOURCE_DATE_EPOCH", "today", "figures neuron"),
    ("SOURCE_DATE_EPOCH", "9" * 30, "figures neuron --format pdf"),
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


def test_a_variable_that_others_cannot_read_is_named(tmp_path):
    """In processes that have imported none of the others: these read their variables when they are imported."""
    cases = some(UNREADABLE, 5)
    scripts = [f"os.environ[{name!r}] = {value!r}; main({command.split()})" for name, value, command in cases]
    ends = zip(cases, forked(tmp_path, IMPORTED, scripts), strict=True)
    wrong = [(case, end) for case, end in ends if end[0] != 2 or f"{case[0]}={case[1]!r}: " not in end[2]]
    assert wrong == []


@each("separation", ["identity", "softmax"])
def test_few_calls_lie_between_the_command_and_the_formula(hopattn, separation):
    """Whoever follows `hopattn run bank` from `main` to the weights of a head reads at most 30 functions."""
    depths = []

    def called(frame, event, _):
        if event == "call" and "separation" in Path(frame.f_code.co_filename).parts:
            stack = [one.f_code for one, _ in traceback.walk_stack(frame)]
            if main.__code__ in stack:
                depths.append(stack.index(main.__code__) + 1)

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        hopattn("run", "bank", "--set", f"layer.head.separation={separation}")
    finally:
        sys.setprofile(before)
    assert 0 < max(depths) <= 30
