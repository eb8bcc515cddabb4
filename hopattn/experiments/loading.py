"""One way to load: what a file, a folder or a name holds says what comes.

A kind of file is read by the room that writes it. Only that room is imported.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hopattn.foundation.array_files import ARCHIVE, ARRAY, MEMORY, TRAINING, array_in, opened, saved_in
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import path_of
from hopattn.foundation.endings import ENDINGS, foreign
from hopattn.foundation.errors import InvalidInput, quoted

OPTIONS = {"name": "an array", "missing": "a model", "unread": "a model", "dtype": "a model"}
"""What each option belongs to."""
EXPECTED = (
    "expected a scenario (.toml, or its name), a memory or training that `save` wrote (.npz), the points of a sweep "
    f"(.jsonl), the folder of a model, or an array ({', '.join(ENDINGS)})"
)

JSON = re.compile(rb'\s*(\{|(\[\s*)+(\{|("[^"]*"|[\w.+-]+)\s*,))')
"""The start of JSON, which no TOML has: a table, or a list whose first entry is one or ends at a comma."""


@public
def load(
    path: Any,
    *,
    name: str | None = None,
    missing: Mapping[str, Any] | None = None,
    unread: Sequence[str] | None = None,
    dtype: Any = None,
) -> Any:
    """What a file holds, whoever wrote it: the file itself says what it is.

    Parameters
    ----------
    path : a file, a folder, or the name of a shipped scenario; the Notes list the kinds.
    name
        the array that is meant, in a file of several. Without it that is the one called patterns, keys or vectors;
        otherwise arrays of one shape are patterns, one each, and come as `(n_patterns, dim)`.
    missing, unread, dtype : as for `Checkpoint`.

    Raises
    ------
    InvalidInput
        for a file that is missing, damaged or of no kind of the list below, and for an option of another kind.
    InvalidScenario
        with all errors of a scenario, one a line: file, line, key, the text in question, and the expected one; an error
        of TOML's syntax comes alone.

    Notes
    -----
    - the name of a scenario that comes with hopattn, such as "bank", or a TOML file: a `Scenario`
    - a `.npz` that `memory.save` or `network.save` wrote: the memory, with the same steps to the last bit
    - a `.npz` that `hopattn train` or `Training.save` wrote: a `Training`
    - the `.jsonl` of a sweep, finished or not: a `Sweep`, NaN at points and trials that are missing
    - the folder of a model, with `config.json`: a `Checkpoint`
    - any other `.npy`, `.npz` or `.safetensors`, or a table (`.csv`, `.tsv`, `.txt`): the array

    An array in a `.npy` or `.safetensors` is mapped into memory as a read-only `numpy.memmap`, and may be larger than
    the machine's memory; do not shorten the file meanwhile, or the operating system ends the process. Numbers keep
    their values: floating-point ones stay as they are, bfloat16 becomes float32, all others float64. Arrays of a `.npz`
    and tables are read in float64.

    Nothing in a file is executed.

    Examples
    --------
    >>> import hopattn as ha, tempfile, pathlib
    >>> ha.load("bank").spec.source
    'LING3804 Lecture Notes 7, 7.2'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "letters.npz")
    ...     ha.memories.modern([[1.0, 0.0], [0.0, 1.0]], beta=4.0).save(file)
    ...     ha.load(file)
    Memory(keys (2, 2), values (2, 2), Dot(), Softmax(beta=4.0), Identity())
    """
    file = path_of(path, "path")
    kind = _kind(file, str(path))
    for option, value in {"name": name, "missing": missing, "unread": unread, "dtype": dtype}.items():
        if value is not None and kind != OPTIONS[option]:
            raise InvalidInput(f"{option}: belongs to {OPTIONS[option]}, and {file} is {kind}; leave it out")
    match kind:
        case "an array":
            return array_in(file, name)
        case "a memory":
            from hopattn.memories.saved import load_memory

            return load_memory(file)
        case "a training":
            from hopattn.circuits.emergence.record import Training

            return Training.load(file)
        case "a sweep":
            from hopattn.experiments.sweeps.table import load_sweep

            return load_sweep(file)
        case "a model":
            from hopattn.checkpoints.checkpoint import Checkpoint

            return Checkpoint(file, missing=missing, unread=unread or (), dtype=dtype)
        case _:
            from hopattn.scenario.loading import load_scenario

            return load_scenario(path)  # as it is written: `./bank` is no name


def _kind(file: Path, name: str) -> str:
    """What lies at a path, or what its name stands for; a scenario where nothing says otherwise.

    Raises `InvalidInput` for a folder without a model, for a file of JSON or of no text, and for a damaged archive.
    """
    from hopattn.scenario.files import shipped

    # `os.path` takes what lies in a folder that may not be read as missing
    ending, is_file = file.suffix.lower(), os.path.isfile(file)  # noqa: PTH113
    if ending == ".toml" or (name in shipped() and not is_file):
        return "a scenario"
    if os.path.isdir(file):  # noqa: PTH112
        if os.path.isfile(file / "config.json"):  # noqa: PTH113
            return "a model"
        raise InvalidInput(f"{file}: is a folder without config.json; {EXPECTED}")
    start = _start(file) if is_file and ending not in ENDINGS else b""
    if ending == ".npz" or (start.startswith(ARCHIVE) and not foreign(file)):
        return {MEMORY: "a memory", TRAINING: "a training"}.get(saved_in(file), "an array")
    if ending in ENDINGS or (start.startswith(ARRAY) and not foreign(file)):
        return "an array"
    if ending == ".jsonl" or start.startswith(b"{"):
        return "a sweep"
    if JSON.match(start) or (ending == ".json" and is_file):
        npy, name = quoted(f"{file.stem}.npy"), quoted(file.name)
        cure = f"an array is written by `np.save({npy}, json.load(open({name})))`"
        raise InvalidInput(f"{file}: is JSON; {EXPECTED}; {cure}")
    if b"\0" in start and not foreign(file):
        raise InvalidInput(f"{file}: is no text in UTF-8; {EXPECTED}")
    return "a scenario"


def _start(file: Path) -> bytes:
    """The first bytes of a file; raises `InvalidInput` for one that cannot be read."""
    with opened(file) as stream:
        return stream.read(512)
