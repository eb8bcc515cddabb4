"""Project conventions, as functions: which files a room lists, what a file imports, and what breaks the order.

A room is a folder of the package. The docstring of its `__init__.py` lists its files in their order, one line each;
`*.py` stands for all files that are not listed, none of which may import another. A folder is read once: these
functions do not see what changes in it later.
"""

import ast
import re
from functools import cache
from itertools import pairwise

GATHERED = "*.py"


def rooms_in(package):
    """Every folder that holds code, the package itself first, as paths relative to it."""
    return sorted(path.parent.relative_to(package).as_posix() for path in package.rglob("__init__.py"))


def files_in(package):
    """Every file of code, relative to the package."""
    return sorted(_texts(package))


def text_of(package, file):
    return _texts(package)[file]


def nodes(package, file, *kinds):
    """The nodes of these kinds in the tree of a file, which comes first among them."""
    return [node for node in _nodes(_texts(package)[file]) if isinstance(node, kinds)]


@cache
def _texts(package):
    return {path.relative_to(package).as_posix(): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TOLD = (ast.Module, ast.ClassDef, *FUNCTIONS, ast.Import, ast.ImportFrom, ast.Raise)
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@cache
def _nodes(text):
    tree = ast.parse(text)
    if "import_module" in text or "__import__" in text:
        return [node for node in ast.walk(tree) if isinstance(node, (*TOLD, ast.Call))]
    found, rest = [], [tree]
    while rest:  # what may be imported, defined or raised is a statement: no look at expressions
        node = rest.pop(0)
        if isinstance(node, TOLD):
            found.append(node)
        for part in BODIES:
            rest += under if isinstance(under := getattr(node, part, []), list) else []
    return found


@cache
def listed(package, room):
    """The names that the docstring of a room lists, in order."""
    file = "__init__.py" if room in ("", ".") else f"{room}/__init__.py"
    message = ast.get_docstring(nodes(package, file, ast.Module)[0], clean=False) or ""
    return re.findall(r"^- `([\w*]+(?:\.py|/))`: \S", message, re.MULTILINE)


def there(package, room):
    """The files and rooms that lie in a room, named as its list names them."""
    folder = package / room
    files = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]
    return {*files, *(f"{path.name}/" for path in folder.iterdir() if (path / "__init__.py").exists())}


def order_of(text):
    """The rooms that each room may import, from lines such as `a < b, c < d`; raises `ValueError` for a circle."""
    below = {}
    for line in text.strip().splitlines():
        groups = [[room.strip() for room in group.split(",")] for group in line.split("<")]
        for lower, upper in pairwise(groups):
            for room in upper:
                below.setdefault(room, set()).update(lower)
            for room in lower:
                below.setdefault(room, set())
    for _ in below:
        for room, rooms in below.items():
            rooms.update(*(below[one] for one in rooms))
            if room in rooms:
                raise ValueError(f"{room} is below itself")
    return below


def imports(package, file):
    """The files of the package that a file imports, in any form, at its top or within a function."""
    own = [package.name, *file.removesuffix("/__init__.py").removesuffix(".py").split("/")]
    for node in nodes(package, file, ast.Import, ast.ImportFrom, ast.Call):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _as_file(package, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            level = node.level - file.endswith("__init__.py")
            start = own[: len(own) - level] if node.level else []
            module = [*start, *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                yield from _as_file(package, [*module, alias.name]) or _as_file(package, module)
        elif _name(node.func) in ("import_module", "__import__"):
            texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            yield from (other for text in texts for other in _as_file(package, text.split(".")))


def faults(package, order):
    """Each room whose list is wrong and each import that is not downwards, in a sentence."""
    below = order_of(order)
    found = [f"{room}: is not a room" for room in below if not (package / room / "__init__.py").exists()]
    for room in rooms_in(package):
        names, present = listed(package, room), there(package, room)
        if room == ".":
            present = {name for name in present if name.endswith("/")}
            names = [f"{one}/" for one in below]
        found += [f"{room}: lists {name}, which is not there" for name in names if name not in {*present, GATHERED}]
        if GATHERED not in names:
            found += [f"{room}: does not list {name}" for name in sorted(present - set(names))]
    for file in files_in(package):
        for other in imports(package, file):
            if not _downwards(package, below, file, other):
                found.append(f"{file} imports {other}, which is not below it")
    return found


def levels(package):
    """How many rooms lie above each other at most, by what their files really import."""
    above = {}
    for file in files_in(package):
        for other in imports(package, file):
            if "/" in file and "/" in other and _room(file) != _room(other):
                above.setdefault(_room(file), set()).add(_room(other))

    def height(room):
        return 1 + max((height(one) for one in above.get(room, ())), default=0)

    return max(height(room) for room in above)


def _downwards(package, below, file, other):
    if other == "__init__.py" or file == other:
        return False  # the package's own names are for those who use it
    if "/" not in file:
        return True  # what is above all rooms
    if _room(file) != _room(other):
        return _room(other) in below[_room(file)]
    shared = _shared(file, other)
    here, there = (path.removeprefix(f"{shared}/").split("/") for path in (file, other))
    if here == ["__init__.py"]:
        return True  # a room gathers what lies in it
    if there == ["__init__.py"]:
        return False
    places = [_place(listed(package, shared), path) for path in (here, there)]
    return None not in places and places[1] < places[0]


def _place(names, path):
    own = path[0] if len(path) == 1 else f"{path[0]}/"
    wanted = own if own in names else GATHERED
    return names.index(wanted) if wanted in names else None


def _shared(file, other):
    """The deepest room in which both lie."""
    parts = []
    for one, two in zip(file.split("/")[:-1], other.split("/")[:-1], strict=False):
        if one != two:
            break
        parts.append(one)
    return "/".join(parts)


def _room(file):
    return file.split("/")[0]


def _as_file(package, names):
    """The file that a dotted name stands for, in a list; of a name within a file, nothing."""
    if names[0] != package.name:
        return []
    path = "/".join(names[1:])
    ways = (f"{path}.py", f"{path}/__init__.py") if path else ("__init__.py",)
    return [way for way in ways if way in _texts(package)]


def _name(node):
    return getattr(node, "id", getattr(node, "attr", ""))
