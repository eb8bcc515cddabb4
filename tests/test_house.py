"""Project conventions: names are lazy and loadable, importing stays light, signatures change on purpose only."""

import ast
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from enum import Enum
from importlib.util import find_spec
from pathlib import Path

import pytest

import hopattn
from hopattn.foundation import kernels, lazy
from hopattn.foundation.argument_names import PLACED
from tools import signatures

ROOT = Path(__file__).parent.parent
PACKAGE = Path(hopattn.__file__).parent
ABSENT = {room for room in ("jax", "torch") if find_spec(room) is None}
"""The rooms that have no names here: each needs the extra of its name."""


def test_public_names_are_loadable_and_the_type_checker_sees_the_same():
    """The stub that a type checker reads states each name once, as `from .file import name as name`."""
    for room in [hopattn, *(getattr(hopattn, room) for room in lazy.rooms(hopattn.__file__))]:
        if hasattr(room, "__path__"):
            stub = ast.parse(Path(room.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
            stated = [alias for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
            names = [] if room.__name__.split(".")[-1] in ABSENT else sorted(alias.name for alias in stated)
            assert names == sorted(room.__all__)
            assert all(alias.asname == alias.name for alias in stated)
            assert not [node for node in ast.walk(stub) if isinstance(node, ast.FunctionDef)]  # no `__getattr__`
        for name in room.__all__:
            assert getattr(room, name) is not None
        assert set(room.__all__) <= set(dir(room))


def test_no_public_name_is_also_a_module():
    """`from hopattn.transformer import attention` gives the function of that name or nothing."""
    names = lazy.rooms(hopattn.__file__)
    rooms = [hopattn, *(getattr(hopattn, name) for name in names)]
    public = {name for room in rooms for name in room.__all__} - {*names}
    for room in rooms:
        modules = {module.name for module in pkgutil.iter_modules(getattr(room, "__path__", ()))}
        assert modules & public <= {"certify"}  # which `python -m` runs; imported, it is the function
    assert set(names) <= {module.name for module in pkgutil.iter_modules(hopattn.__path__)}


def test_what_is_reached_by_two_ways_is_one_object():
    """But for the layers of PyTorch and JAX, which have the names that their users know."""
    for room in (getattr(hopattn, name) for name in lazy.rooms(hopattn.__file__) if name not in ("jax", "torch")):
        for name in {*room.__all__} & {*hopattn.__all__}:
            assert getattr(room, name) is getattr(hopattn, name)


def test_a_mistyped_public_name_names_the_nearest():
    with pytest.raises(AttributeError, match="'Memoryy' is unknown; did you mean 'Memory'"):
        hopattn.Memoryy  # noqa: B018


def test_names_parameters_and_defaults_are_those_that_are_written_down():
    """`make docs` writes the file; read the difference before you commit it."""
    written = (ROOT / "docs/reference/api.txt").read_text(encoding="utf-8").splitlines()
    absent = tuple(f"ha.{room}." for room in ABSENT)
    assert list(signatures.lines()) == [line for line in written if not line[12:].startswith(absent)]


FROZEN = """
Memory Memory.step Memory.recall Memory.energy Hopfield attention Head MultiHead Block Recall.state Recall.steps
Recall.status Recall.energies similarities separations activations updates Checkpoint Checkpoint.run unit cosine rope
Scenario load run InvalidInput memories.modern memories.hopfield memories.dense memories.worth
"""


def test_what_is_frozen_is_stable_and_each_name_that_may_change_is_there():
    lines = [(line[:10].strip(), line[12:]) for line in signatures.lines()]
    stable = {re.split(r"[(\[ ]", line)[0] for word, line in lines if word == "stable"}
    assert {f"ha.{name}" for name in FROZEN.split()} <= stable
    young = [line for word, line in lines if word == "may change"]
    assert not [line for line in young if line.startswith(("ha.memories", "ha.separations", "ha.updates", "ha.theory"))]
    for name in " ".join(signatures.MAY_CHANGE.values()).split():
        assert any(line.startswith(name) for line in young) or name.removeprefix("ha.") in ABSENT, name
    assert signatures.stability("ha.train_of_thought()") == signatures.stability("ha.circuits.training()") == "stable"


def public_calls():
    """Every public function, class, method and entry of a registry."""
    for name, public in signatures.public_names():
        if inspect.isclass(public) and issubclass(public, Enum | Exception):  # theirs are Python's own
            continue
        yield name, public
        if inspect.isclass(public):
            yield from ((f"{name}.{part}", getattr(public, part)) for part in signatures.members(public))
        elif isinstance(public, Mapping):
            yield from ((f"{name}[{entry!r}]", one) for entry, one in public.items())


def by_position(call):
    """The parameters that a call takes by position, without the object of a method."""
    parameters = inspect.signature(call).parameters.values() if callable(call) else ()
    return [one for one in parameters if one.kind in PLACED and one.name != "self"]


def test_at_most_three_arguments_and_no_flag_are_given_by_position():
    """No reader of `f(a, b, 3, 5)` or of `f(a, True)` could tell what the last ones are."""
    calls = {name: by_position(call) for name, call in public_calls()}
    assert len(calls) > 900
    many = {name: [str(one) for one in places] for name, places in calls.items() if len(places) > 3}
    flags = {name: one.name for name, places in calls.items() for one in places if isinstance(one.default, bool)}
    assert (many, flags) == ({}, {})


def test_the_constructor_of_a_result_is_not_written_down():
    """A call makes it; `ha.Recall` has a line, and its arguments have none."""
    lines = {line[12:] for line in signatures.lines()}
    assert {"ha.Recall", "ha.Sweep", "ha.landscapes.Returns"} < lines
    assert any(line.startswith("ha.circuits.Recipe(*, layers=2") for line in lines)


def test_the_names_of_all_keywords_are_written_down_and_values_are_no_calls():
    lines = {line[12:] for line in signatures.lines()}
    assert not [line for line in lines if "(…)" in line or ("**options" in line and "(self, " not in line)]
    assert {"ha.causal", "ha.strict"} < lines and "ha.plot(thing, name=None, *, ax=..., run=..., " in " ".join(lines)


def loaded_by(code):
    command = [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


HEAVY = {"numpy", "scipy", "pydantic", "rich", "matplotlib", "networkx", "array_api_compat", "tomllib", "numba"}
ONLY_OTHERS = {"PIL", "scipy", "numba", "matplotlib", "networkx", "array_api_compat", "torch", "jax"}


@pytest.mark.parametrize(
    ("code", "unneeded"),
    [
        ("import hopattn", HEAVY | {"click"}),
        ("import hopattn.cli.main as c; c.cli.main(['--help'], standalone_mode=False)", HEAVY),
        ("import hopattn as ha; ha.run(ha.load('bank'))", ONLY_OTHERS),
    ],
    ids=["import", "help", "run"],
)
def test_only_what_is_needed_is_loaded(code, unneeded):
    assert loaded_by(code).isdisjoint(unneeded)


def test_the_package_runs_as_the_command():
    ran = subprocess.run([sys.executable, "-m", "hopattn", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"hopattn, version {hopattn.__version__}; kernels: {kernels.in_words()}\n"


def written_by_repr(tree):
    """The values that a file writes as `{value!r}` outside of `__repr__` and of what becomes a `TypeError`."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    spared = [node for node in functions if node.name == "__repr__"]
    spared += [node for node in ast.walk(tree) if isinstance(node, ast.Raise) and "TypeError" in ast.unparse(node)]
    inner = {id(part) for node in spared for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.conversion == ord("r") and id(node) not in inner:
            yield f"{node.lineno}: {ast.unparse(node.value)}"


def test_a_message_quotes_a_value_through_the_function_that_shortens_it():
    """`{value!r}` has no end; `quoted(value)` of foundation/errors.py has one."""
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    long = {
        str(path): [*written_by_repr(ast.parse(text))] for path, text in texts.items() if "!r" in text or "=}" in text
    }
    assert {path: places for path, places in long.items() if places} == {}


def test_the_loops_refuse_what_is_older_than_the_least_numba():
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert stated["fast"] == [f"numba>={kernels.LEAST_NUMBA}"]
