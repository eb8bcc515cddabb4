"""Names that are loaded when they are first used: of the package, and of its rooms."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hopattn as ha
from hopattn.foundation import lazy
from tests.each import each

ROOT = Path(__file__).parents[2]


@each(
    ("room", "name", "message"),
    [
        ("", "Memoryy", "hopattn: 'Memoryy' is unknown; did you mean 'Memory'? (choices: "),
        ("", "modern", "hopattn: 'modern' is unknown; did you mean ha.memories.modern?"),
        ("", "moderm", "hopattn: 'moderm' is unknown; did you mean ha.memories.modern?"),
        ("", "delta", "hopattn: 'delta' is unknown; did you mean ha.memories.delta or ha.learning.delta?"),
        ("", "learnin", "hopattn: 'learnin' is unknown; did you mean 'learning'?"),
        ("memories", "moddern", "hopattn.memories: 'moddern' is unknown; did you mean 'modern'?"),
        ("learning", "heb", "hopattn.networks.learning: 'heb' is unknown; did you mean 'hebb'?"),
        ("positions", "rope", "hopattn.transformer.positions: 'rope' is unknown; did you mean ha.rope?"),
        ("circuits", "qqqqqq", "hopattn.circuits: 'qqqqqq' is unknown (choices: "),
    ],
)
def test_a_mistyped_name_names_the_nearest_wherever_it_is(room, name, message):
    with pytest.raises(AttributeError) as refused:
        getattr(getattr(ha, room) if room else ha, name)
    assert message in str(refused.value)


def test_each_name_of_a_room_is_found_there_alone():
    rooms = lazy.rooms(ha.__file__)
    assert {"memories", "learning", "networks", "circuits", "positions", "gradients", "theory"} <= set(rooms)
    assert not [
        name for room in rooms for name in getattr(ha, room).__all__ if name in ha.__all__ and name not in rooms
    ]


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_a_function_is_not_hidden_by_the_module_of_its_name():
    """Python sets a module as an attribute of its package when it is imported, whoever imports it."""
    rooms = [getattr(ha, room) for room in lazy.rooms(ha.__file__)]
    files = {room.__name__: Path(room.__file__).parent for room in rooms if hasattr(room, "__path__")}
    pairs = [
        (room, name)
        for room, folder in files.items()
        for name in sys.modules[room].__all__
        if (folder / f"{name}.py").is_file() and (folder / f"{name}.py").with_suffix("") != folder / "learning"
    ]
    code = f"""
from importlib import import_module
for room, name in {pairs}:
    import_module(f"{{room}}.{{name}}")
print([name for room, name in {pairs} if not callable(getattr(import_module(room), name))])
"""
    assert pairs and run(code) == "[]"


def test_the_stubs_are_in_the_wheel():
    """The wheel takes the folder of the package as it is, with what git knows of."""
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert packages["targets"]["wheel"]["packages"] == ["hopattn"]
    assert "pyi" not in (ROOT / ".gitignore").read_text(encoding="utf-8")
