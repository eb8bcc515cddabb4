"""The plan of the house: imports go downwards only, names are lazy and loadable, importing stays light."""

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hopattn

ROOT = Path(__file__).parent.parent
PACKAGE = Path(hopattn.__file__).parent
PLAN = re.search(r"```house\n(.*?)```", (ROOT / "docs/architecture.md").read_text(), re.DOTALL)[1]
ROOMS = [line.split()[0] for line in PLAN.splitlines()]
FILES = sorted(
    path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py"
)
EMPTY = {file for file in FILES if len(ast.parse((PACKAGE / file).read_text()).body) == 1}  # a docstring alone
REFEREE = "systems/plain_attention.py"
GATHERS = {file for file in FILES if file.endswith("__init__.py")}


def room(file):
    """The place of a file in the plan: its own line, or that of the longest folder it lies in."""
    if file in ROOMS:
        return ROOMS.index(file)
    folders = [folder for folder in ROOMS if folder.endswith("/") and file.startswith(folder)]
    return ROOMS.index(max(folders, key=len)) if folders else None


def imports(file):
    """The files of the package that a file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse((PACKAGE / file).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("hopattn"):
            for module in [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]:
                yield from as_file(module)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield from as_file(alias.name)


def as_file(module):
    path = module.removeprefix("hopattn").lstrip(".").replace(".", "/")
    yield from (file for file in (f"{path}.py", f"{path}/__init__.py") if file in FILES)


@pytest.mark.parametrize("file", [file for file in FILES if file not in EMPTY])
def test_every_file_has_its_room_and_imports_downwards_only(file):
    assert room(file) is not None, f"{file} is not in the plan"
    for other in imports(file):
        gathers = file in GATHERS and room(other) == room(file)
        base = other.endswith("/base.py") and other.rpartition("/")[0] == file.rpartition("/")[0]
        assert room(other) < room(file) or gathers or base, f"{file} imports {other}, which is not below it"


def test_every_room_of_the_plan_is_there():
    assert [line for line in ROOMS if not (PACKAGE / line).exists()] == []


def test_public_names_are_loadable_and_the_type_checker_sees_the_same():
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    branch = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {(node.module, alias.name) for node in branch.body for alias in node.names}
    named = {(module, name) for module, names in hopattn._NAMES.items() for name in names}
    assert typed == named | {("hopattn", room) for room in hopattn._ROOMS}
    for name in hopattn.__all__:
        assert getattr(hopattn, name) is not None
    assert set(hopattn.__all__) <= set(dir(hopattn))


def test_no_public_name_is_also_a_module():
    modules = {module.name for module in pkgutil.iter_modules(hopattn.__path__)}
    assert modules.isdisjoint(hopattn.__all__)


def test_a_mistyped_public_name_names_the_nearest():
    with pytest.raises(AttributeError, match="'Memoryy' is unknown; did you mean 'Memory'"):
        hopattn.Memoryy  # noqa: B018


def loaded_by(code):
    script = f"import sys; {code}; print(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


HEAVY = {"numpy", "scipy", "pydantic", "rich", "matplotlib", "networkx", "array_api_compat", "tomllib"}


def test_importing_the_package_loads_nothing():
    assert loaded_by("import hopattn").isdisjoint(HEAVY | {"click"})


def test_the_help_loads_nothing_heavier_than_click():
    code = "import hopattn.cli as c; c.cli.main(['--help'], standalone_mode=False)"
    assert loaded_by(code).isdisjoint(HEAVY)


def test_a_scenario_runs_without_what_only_others_need():
    unneeded = {"PIL", "scipy", "matplotlib", "networkx", "array_api_compat", "torch", "jax"}
    assert loaded_by("import hopattn as ha; ha.run(ha.load('bank'))").isdisjoint(unneeded)


@pytest.mark.parametrize("module", ["torch", "jax"])
def test_extras_are_imported_nowhere_in_the_package_but_by_the_referee(module):
    own = [file for file in FILES if file != REFEREE]
    found = [file for file in own if re.search(rf"^\s*(import|from) {module}\b", (PACKAGE / file).read_text(), re.M)]
    assert found == []


def test_files_and_functions_stay_short():
    for file in FILES:
        source = (PACKAGE / file).read_text()
        assert source.count("\n") <= 300, f"{file} is long: are there two ideas in it?"
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                doc = ast.get_docstring(node, clean=False) or ""
                length = node.end_lineno - node.lineno + 1 - doc.count("\n")
                assert length <= 40, f"{file}: {node.name} has {length} lines"


def test_every_module_says_what_it_is_for():
    for file in FILES:
        name = "hopattn." + file.removesuffix(".py").replace("/__init__", "").replace("/", ".")
        assert importlib.import_module(name).__doc__
