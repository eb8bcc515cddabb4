"""The process of one case: its folders, its limits, and the report that it leaves."""

import atexit
import errno
import importlib
import json
import os
import resource
import sys
import tempfile
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path

from hopattn.foundation.errors import HopattnError
from tests.processes import ROOT


@dataclass(frozen=True)
class Limits:
    """The limits under which a case is executed; the law is narrower.

    processor, wall: seconds after which it is ended. leaving: seconds in which its processes must then be gone.
    addresses: bytes that it may ask for, used or not.
    """

    processor: int = 20
    wall: float = 40.0
    leaving: float = 3.0
    addresses: int = 6 * 2**30


CHANGES = {"os.rename": 1, "os.link": 1, "os.symlink": 1} | dict.fromkeys(
    ("os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "shutil.rmtree"), 0
)
"""Python's events in which a path is changed, and which of their arguments the path is."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def execute(base, name, case, limits):
    """Execute a case in this process, then end it; `base` then holds its texts and its report.

    name: the module whose `attempt(case)` executes it. The module's `asked(case)`, if it has one, gives the paths that
    may be there afterwards.
    """
    _settle(base, limits)
    module = importlib.import_module(name)
    may = {os.path.normpath(base / "work" / path) for path in getattr(module, "asked", lambda _: ())(case)}
    elsewhere, watching, said = set(), [True], {"code": 0}
    sys.addaudithook(lambda event, given: _keep_within(base, event, given, elsewhere) if watching else None)
    try:
        module.attempt(case)
    except SystemExit as ended:
        said["code"] = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException as error:
        said |= {"raised": (type(error).__name__, str(error), _place(error)), "ours": isinstance(error, HopattnError)}
    try:
        sys.stdout.flush()
    finally:
        watching.clear()
    # what the interpreter does at its end, without the time that it takes to take itself apart
    threading._shutdown()
    atexit._run_exitfuncs()
    there = {str(path) for name in ("work", "temporary") for path in (base / name).rglob("*")}
    wrong = sorted(path for path in there | elsewhere if not _within(path, may))
    said["files"] = max(0, sum(Path(path).is_file() for path in there) - len(case.get("files", ())))
    said["outside"] = [path.replace(str(base), "…") for path in wrong]
    (base / "report.json").write_text(json.dumps(said))
    os._exit(0)


def _settle(base, limits):
    """Folders, streams and limits of this process."""
    os.setsid()
    for name in ("work", "temporary", "home"):
        (base / name).mkdir()
    for descriptor, name in ((1, "output"), (2, "errors")):
        file = os.open(base / name, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, descriptor)
        os.close(file)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.chdir(base / "work")
    os.environ |= {"TMPDIR": str(base / "temporary"), "HOME": str(base / "home")}
    tempfile.tempdir = None
    resource.setrlimit(resource.RLIMIT_CPU, (limits.processor, limits.processor))
    resource.setrlimit(resource.RLIMIT_AS, (limits.addresses, limits.addresses))


def _keep_within(base, event, given, elsewhere):
    """Refuse a change outside the folder of a case, as the system would without permission, and note its path.

    A device may be opened, and numba may keep what it has compiled. To make a folder where something stands changes
    nothing: the system refuses it.
    """
    if not (event in CHANGES or (event == "open" and given[2] & WRITING)):
        return
    path = given[CHANGES.get(event, 0)]
    if not isinstance(path, str | bytes | os.PathLike):
        return
    path = os.path.abspath(os.fsdecode(path))  # noqa: PTH100
    harmless = "__pycache__" in path or (event == "open" and path.startswith("/dev/"))
    harmless |= event == "os.mkdir" and os.path.lexists(path)
    if path != str(base) and not path.startswith(f"{base}/") and not harmless:
        elsewhere.add(path)
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    if Path(path).parent == base:  # beside the folders of the case
        elsewhere.add(path)


def _within(path, may):
    """Whether a path is one of those that may be there, lies in one, or leads to one; a device is never replaced."""
    if path.startswith("/dev/"):
        return False
    return any(path == one or path.startswith(f"{one}/") or one.startswith(f"{path}/") for one in may)


def _place(error):
    """The place in the code of hopattn or of a test that is nearest to an error, without the folder."""
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    own = [(Path(file).relative_to(ROOT), line) for file, line in frames if Path(file).is_relative_to(ROOT)]
    own = [(file, line) for file, line in own if ".venv" not in file.parts]
    return ":".join(map(str, own[-1])) if own else "in no file of hopattn"
