"""Project conventions: imports go downwards only, names are lazy and loadable, importing stays light."""

import ast
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hopattn
from hopattn.foundation import kernels, lazy
from tests import plan
from tests.each import each

ROOT = Path(__file__).parent.parent
PACKAGE = Path(hopattn.__file__).parent
PLAN = (ROOT / "docs/development/architecture.md").read_text(encoding="utf-8")
ORDER = re.search(r"```order\n(.*?)```", PLAN, re.DOTALL)[1]
FILES = plan.files_in(PACKAGE)
REFEREE = "transformer/plain_attention.py"
TRAINING = "circuits/emergence/training.py"
BESIDE_THE_ROOMS = "fuzz"
"""The folder of tests that give wrong input to all rooms."""


def test_every_room_lists_its_files_and_every_import_goes_downwards():
    assert plan.faults(PACKAGE, ORDER) == []


def test_the_rooms_are_on_few_levels():
    assert plan.levels(PACKAGE) <= 12


GROUND = {
    "__init__.py": "",
    "low/__init__.py": "Low.\n\n- `one.py`: the first\n- `two.py`: the second\n- `kinds/`: some\n",
    "low/one.py": "",
    "low/two.py": "from house.low.one import x",
    "low/kinds/__init__.py": "Kinds.\n\n- `base.py`: the form\n- `*.py`: one each\n",
    "low/kinds/base.py": "",
    "low/kinds/sum.py": "from house.low.kinds.base import Form",
    "low/kinds/mean.py": "import house.low.two",
    "high/__init__.py": "High.\n\n- `roof.py`: the roof\n",
    "high/roof.py": "from house.low import kinds",
}


@pytest.fixture
def faults(tmp_path):
    """Build a small house with some files changed, None for one that is missing; give its faults."""

    def build(changes=(), order="low < high"):
        house = tmp_path / str(len(list(tmp_path.iterdir()))) / "house"
        for file, text in {**GROUND, **dict(changes)}.items():
            path = house / file
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is not None:
                path.write_text(f'"""{text}"""' if file.endswith("__init__.py") and "import" not in text else text)
        return plan.faults(house, order)

    return build


def test_a_house_in_order_has_no_faults(faults):
    assert faults() == []


@each(
    ("file", "text"),
    [
        ("low/one.py", "from house.low.two import y"),
        ("low/one.py", "from . import two"),
        ("low/one.py", "from .two import y"),
        ("low/one.py", "def f():\n    import house.low.two as two"),
        ("low/one.py", "from house.high.roof import z"),
        ("low/two.py", "from importlib import import_module\nimport_module('house.high.roof')"),
        ("low/two.py", "import house"),
        ("low/two.py", "from house import anything"),
        ("low/two.py", "from .. import anything"),
        ("low/kinds/sum.py", "from house.low.kinds.mean import Mean"),
        ("low/kinds/sum.py", "from house.low.kinds import registry"),
        ("low/kinds/base.py", "from house.low.kinds.sum import Sum"),
    ],
)
def test_an_arrow_upwards_is_a_fault_in_any_form_of_import(faults, file, text):
    found = faults({file: text})
    assert len(found) == 1
    assert found[0].startswith(f"{file} imports ")


@each(
    ("changes", "message"),
    [
        ({"low/three.py": ""}, "low: does not list three.py"),
        ({"low/one.py": None, "low/two.py": ""}, "low: lists one.py, which is not there"),
        ({"attic/__init__.py": "Attic."}, ".: does not list attic/"),
    ],
)
def test_a_file_that_is_not_listed_and_one_that_is_not_there_are_faults(faults, changes, message):
    assert faults(changes) == [message]


def test_a_room_of_the_order_that_is_not_there_is_a_fault(faults):
    assert "cellar: is not a room" in faults(order="cellar < low < high")


def test_an_order_in_a_circle_is_refused():
    with pytest.raises(ValueError, match="is below itself"):
        plan.order_of("low < high\nhigh < low")


def test_public_names_are_loadable_and_the_type_checker_sees_the_same():
    """The stub that a type checker reads states each name once, as `from .file import name as name`."""
    for room in [hopattn, *(getattr(hopattn, room) for room in lazy.rooms(hopattn.__file__))]:
        if hasattr(room, "__path__"):
            stub = ast.parse(Path(room.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
            stated = [alias for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
            assert sorted(alias.name for alias in stated) == sorted(room.__all__)
            assert all(alias.asname == alias.name for alias in stated)
            assert not [node for node in ast.walk(stub) if isinstance(node, ast.FunctionDef)]  # no `__getattr__`
        for name in room.__all__:
            assert getattr(room, name) is not None
        assert set(room.__all__) <= set(dir(room))


def test_no_public_name_is_also_a_module():
    modules = {module.name for module in pkgutil.iter_modules(hopattn.__path__)}
    assert modules & set(hopattn.__all__) == set(lazy.rooms(hopattn.__file__)) & modules


def test_a_mistyped_public_name_names_the_nearest():
    with pytest.raises(AttributeError, match="'Memoryy' is unknown; did you mean 'Memory'"):
        hopattn.Memoryy  # noqa: B018


def loaded_by(code):
    script = f"import sys; {code}; print(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


HEAVY = {
    "numpy",
    "scipy",
    "pydantic",
    "rich",
    "matplotlib",
    "networkx",
    "array_api_compat",
    "tomllib",
    "numba",
    "llvmlite",
}


def test_importing_the_package_loads_nothing():
    assert loaded_by("import hopattn").isdisjoint(HEAVY | {"click"})


def test_the_help_loads_nothing_heavier_than_click():
    code = "import hopattn.cli.main as c; c.cli.main(['--help'], standalone_mode=False)"
    assert loaded_by(code).isdisjoint(HEAVY)


def test_a_scenario_runs_without_what_only_others_need():
    unneeded = {"PIL", "scipy", "numba", "matplotlib", "networkx", "array_api_compat", "torch", "jax"}
    assert loaded_by("import hopattn as ha; ha.run(ha.load('bank'))").isdisjoint(unneeded)


@each("module", ["torch", "jax"])
def test_extras_are_imported_nowhere_in_the_package_but_by_the_referee_and_the_training(module):
    own = [file for file in FILES if file not in (REFEREE, TRAINING)]
    found = [file for file in own if re.search(rf"^\s*(import|from) {module}\b", plan.text_of(PACKAGE, file), re.M)]
    assert found == []


def test_numba_is_known_to_the_compiled_loops_and_their_choice_alone():
    message = [file for file in FILES if re.search(r"\b(numba|llvmlite)\b", plan.text_of(PACKAGE, file))]
    assert [file for file in message if not re.match(r"foundation/(compiled/.*|kernels|__init__)\.py", file)] == []


def test_only_one_file_makes_consoles_which_let_no_sequence_of_a_text_through():
    assert [file for file in FILES if re.search(r"Console\(", plan.text_of(PACKAGE, file))] == ["views/consoles.py"]


def functions(file):
    return plan.nodes(PACKAGE, file, *plan.FUNCTIONS)


def test_files_functions_and_lists_of_parameters_stay_short():
    """A file of more than 500 lines has two ideas in it; so has a function of more than 60."""
    long = [file for file in FILES if plan.text_of(PACKAGE, file).count("\n") > 500]
    for file in FILES:
        for node in functions(file):
            doc = ast.get_docstring(node, clean=False) or ""
            lines = node.end_lineno - node.lineno + 1 - doc.count("\n")
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            parameters = len([one for one in given if one.arg not in ("self", "cls")])
            if lines > 60 or parameters > (10 if node.args.kwonlyargs else 8):  # a caller names the further ones
                long.append(f"{file}:{node.lineno}: {node.name} has {lines} lines and {parameters} parameters")
    assert long == []


def test_a_docstring_begins_with_its_subject():
    faults = []
    for file in FILES:
        module, *others = plan.nodes(PACKAGE, file, ast.Module, ast.ClassDef, *plan.FUNCTIONS)
        docs = [(1, ast.get_docstring(module) or "What is it?")]
        docs += [(node.lineno, ast.get_docstring(node) or "") for node in others]
        faults += [f"{file}:{line}" for line, doc in docs if doc.startswith("What ")]
    assert faults == []


def test_a_message_quotes_a_value_through_the_function_that_shortens_it():
    """`{value!r}` has no end; `quoted(value)` of foundation/errors.py has one."""
    faults = []
    for file in FILES:
        if not re.search(r"!r|=\s*\}", plan.text_of(PACKAGE, file)):
            continue
        raised = [node.exc for node in plan.nodes(PACKAGE, file, ast.Raise) if node.exc]
        message = [part for node in functions(file) if node.name != "__repr__" for part in ast.walk(node)]
        written = [part for part in message if isinstance(part, ast.FormattedValue) and part.conversion == ord("r")]
        own = [part for node in raised if "TypeError" in ast.unparse(node) for part in ast.walk(node)]
        faults += [f"{file}:{part.lineno}: {ast.unparse(part.value)}" for part in written if part not in own]
    assert faults == []


def test_tests_mirror_the_rooms_and_none_imports_another():
    tests = Path(__file__).parent
    rooms = {path.name for path in tests.iterdir() if (path / "__init__.py").exists()}
    assert rooms - {BESIDE_THE_ROOMS} == set(plan.order_of(ORDER))
    for path in tests.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) [\w.]*\btest_", text, re.MULTILINE), path


def test_the_package_runs_as_the_command():
    ran = subprocess.run([sys.executable, "-m", "hopattn", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"hopattn, version {hopattn.__version__}; kernels: {kernels.in_words()}\n"


def test_the_names_at_the_top_are_few():
    assert len(hopattn.__all__) <= 66
