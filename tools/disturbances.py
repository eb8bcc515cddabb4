"""Disturb commands at random: kills at any moment, a full disk, outputs that are full, closed, unread or slow.

The exit code says what happened, no traceback is printed, no process is left after 5 seconds, no file under an asked
name is partial, and the same command then gives the same bytes. `python -m tools.disturbances 100` tries as many kills
and every other disturbance once, and prints a table; a second number is the seed. It needs Linux.
"""

import importlib.util
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tests.on_workers import serve
from tests.processes import end, left_after, running, started

SECONDS = 5.0
"""The time in which the processes of a command that is stopped must be gone."""
LIMIT = 120.0
"""The time in which a command that is not stopped must have ended."""


@dataclass(frozen=True)
class End:
    """The end of a command: its exit code, what it wrote, the processes that it left, and the seconds that it took."""

    code: int
    output: bytes
    errors: str
    left: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Disturbance:
    """A way to disturb a command.

    run: gives the end of the command, as run(folder, words, usual, rng); `usual` is its end without a disturbance.
    codes: the exit codes that it may then have. resumed: whether the same command is run once more afterwards.
    """

    run: Callable[..., End]
    codes: tuple[int, ...]
    resumed: bool = False


def undisturbed(folder, words):
    """The end of a command that nothing disturbs."""
    return _ended(started(folder, *words), LIMIT)


def _ended(process, seconds):
    """The end of a command, which may take so many seconds; what is left then is ended."""
    start = time.monotonic()
    try:
        output, errors = process.communicate(timeout=seconds)
        left = left_after(process.pid, start + seconds - time.monotonic())
        end(process.pid)
    except subprocess.TimeoutExpired:
        left = running(process.pid).values()
        end(process.pid)
        output, errors = process.communicate()
    taken = time.monotonic() - start
    return End(process.returncode, output or b"", (errors or b"").decode(), tuple(left), taken)


def _killed(folder, words, usual, rng, number):
    process = started(folder, *words)
    time.sleep(rng.uniform(0, usual.seconds))
    if number == signal.SIGINT:
        _await_begin(process.pid)
    # Ctrl-C goes to the whole session, `kill` to one process, the end of a session or a container to all
    send = os.kill if number == signal.SIGKILL or rng.random() < 0.5 else os.killpg
    send(process.pid, number)
    return _ended(process, SECONDS + usual.seconds)  # on a busy machine, that took longer too


def _await_begin(pid):
    """Wait until hopattn has begun. For some 20 ms before that, Python itself answers Ctrl-C with a traceback."""
    while _caught(pid, signal.SIGINT) and not _caught(pid, signal.SIGTERM):
        time.sleep(0.001)


def _caught(pid, number):
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")), "0")
    return bool(int(caught, 16) >> (number - 1) & 1)


def _on_full_disk(folder, words, usual, rng):
    """No file may become larger than a random size: the write beyond it fails as on a full disk."""
    kib = int(10 ** rng.uniform(0, 1.6))
    return _ended(started(folder, *words, before=f"ulimit -f {kib}"), LIMIT)


def _with_full_output(folder, words, usual, rng):
    with Path("/dev/full").open("wb") as full:
        return _ended(started(folder, *words, stdout=full), LIMIT)


def _with_unread_output(folder, words, usual, rng):
    with ExitStack() as stack:
        here, there = os.pipe()
        stack.callback(os.close, there)
        os.close(here)
        return _ended(started(folder, *words, stdout=there), LIMIT)


def _with_closed(folder, words, usual, rng, stream):
    return _ended(started(folder, *words, before=f"exec {stream}>&-"), LIMIT)


def _with_slow_reader(folder, words, usual, rng):
    process = started(folder, *words, bufsize=0)
    read = b""
    while part := process.stdout.read(rng.randrange(1, 200)):
        read += part
        time.sleep(0.005)
    found = _ended(process, LIMIT)
    return End(found.code, read, found.errors, found.left, found.seconds)


KILLS = {
    number.name: Disturbance(partial(_killed, number=number), (0, -number, *own), resumed=True)
    for number, own in ((signal.SIGKILL, ()), (signal.SIGTERM, (143,)), (signal.SIGINT, (130,)))
}
"""0: it had finished. The number itself, below 0: the signal came while Python was starting or ending."""
OTHERS = {
    "full disk": Disturbance(_on_full_disk, (0, 3), resumed=True),
    "full output": Disturbance(_with_full_output, (3,)),
    "closed output": Disturbance(partial(_with_closed, stream=1), (141,)),
    "unread output": Disturbance(_with_unread_output, (141,)),
    "slow output": Disturbance(_with_slow_reader, (0,)),
    "closed errors": Disturbance(partial(_with_closed, stream=2), (0,)),
}


@dataclass(frozen=True)
class Command:
    """A command, and the files that it is asked to write: single ones, and folders that come as a whole."""

    name: str
    words: str
    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


TABLE = "table.csv"
SWEEP = f"sweep phases --set ensemble.neurons=40 --trials 4 --over load=0.05:0.2:24 --points kept.jsonl --out {TABLE}"
COMPARE = f"compare --trials 2 --set n_patterns=6 --set dim=32 --out {TABLE} --out curve.svg"
COMMANDS = (
    Command("run", "run bank --out results/", (), ("results",)),
    Command("pictures", "run bank --figure all --out pictures/", ("pictures/*",)),
    Command("figures", "figures neuron attention --out pictures", ("pictures/*",)),
    Command("compare", COMPARE, (TABLE, "curve.svg")),
    Command("sweep on workers", f"{SWEEP} --workers 2", (TABLE,)),
    Command("sweep on cluster", f"{SWEEP} --scheduler", (TABLE,)),
)


def written(command, folder):
    """The bytes of each file that the command was asked for and has written, by its path."""
    paths = [path for name in command.files for path in folder.glob(name) if not path.name.startswith(".")]
    paths += [path for name in command.folders for path in (folder / name).rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@dataclass(frozen=True)
class Trial:
    """A command, its end without a disturbance, and its files then, against which its other ends are held.

    folder: each trial takes place in a new folder within it.
    """

    command: Command
    folder: Path
    usual: End
    files: dict[str, bytes]

    @classmethod
    def of(cls, command, folder):
        place = Path(tempfile.mkdtemp(dir=folder))
        usual = undisturbed(place, command.words.split())
        if usual.code or not usual.output:
            raise RuntimeError(f"{command.words}: ended with {usual.code}: {usual.errors}")
        return cls(command, folder, usual, written(command, place))

    def faults(self, disturbance, rng):
        """Everything that is wrong after a disturbance, each in a sentence."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        found = disturbance.run(place, self.command.words.split(), self.usual, rng)
        faults = self.wrong_with(found, disturbance.codes, written(self.command, place))
        if disturbance.resumed:
            for name in (*self.command.folders, *self.command.files):
                for path in place.glob(name):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            again = undisturbed(place, self.command.words.split())
            faults += [f"once more: {fault}" for fault in self.wrong_with(again, (0,), written(self.command, place))]
        shutil.rmtree(place)
        return faults

    def wrong_with(self, end, codes, files):
        """Everything that is wrong with an end and the files then, each in a sentence."""
        faults = [] if end.code in codes else [f"exit code {end.code}"]
        faults += ["traceback"] if "Traceback" in end.errors + end.output.decode() else []
        faults += [f"left running: {command}" for command in end.left]
        faults += [f"{path}: is not what it is usually" for path in files if files[path] != self.files.get(path)]
        missing = self.files.keys() - files.keys()
        for folder in self.command.folders:
            own = {path for path in self.files if path.startswith(f"{folder}/")}
            if own & missing and own - missing:
                faults.append(f"{folder}: lacks {', '.join(sorted(own & missing))}")
        if end.code == 0 and missing:
            faults.append(f"has finished without {', '.join(sorted(missing))}")
        if end.code == 0 and end.output != self.usual.output:
            faults.append("has finished with another output")
        return [*faults, end.errors[-2000:]] if faults else []


@contextmanager
def commands():
    """All commands; those on a cluster only where Dask is installed, and only within the block."""
    if importlib.util.find_spec("distributed") is None:
        sys.stdout.write("Dask is not installed (the extra 'cluster' brings it): no command runs on a cluster\n")
        yield [command for command in COMMANDS if not command.words.endswith("--scheduler")]
        return
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    cluster = context.Process(target=serve, args=(there,), daemon=True)
    cluster.start()
    address = here.recv()
    ends = {command: f" {address}" if command.words.endswith("--scheduler") else "" for command in COMMANDS}
    try:
        yield [replace(command, words=command.words + end) for command, end in ends.items()]
    finally:
        cluster.kill()
        cluster.join()


def table(tried, failed):
    """How often each command was tried with each disturbance, and how many of these trials failed."""
    columns = [*KILLS, *OTHERS]
    rows = [["", *columns]]
    for command in COMMANDS:
        cells = [(tried[command.name, column], failed[command.name, column]) for column in columns]
        rows.append([command.name, *(f"{n - bad} of {n}" if bad else str(n or "–") for n, bad in cells)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def main(count, seed):
    """Try so many kills, and every other disturbance once; gives the exit code."""
    tried, failed = Counter(), Counter()
    with tempfile.TemporaryDirectory() as folder, commands() as there:
        trials = [Trial.of(command, Path(folder)) for command in there]
        kills = random.Random(seed).choices(list(KILLS), k=count)
        plan = [(trials[i % len(trials)], name) for i, name in enumerate(kills)]
        plan += [(trial, name) for trial in trials for name in OTHERS]
        for i, (trial, name) in enumerate(plan):
            faults = trial.faults({**KILLS, **OTHERS}[name], random.Random(f"{seed}/{i}"))
            tried[trial.command.name, name] += 1
            failed[trial.command.name, name] += bool(faults)
            sys.stderr.write("!" if faults else ".")
            sys.stderr.flush()
            for fault in faults:
                sys.stdout.write(f"{i}: {trial.command.name}, {name}: {fault}\n")
    sys.stdout.write(f"{table(tried, failed)}\nseed {seed}: {tried.total()} tried, {failed.total()} failed\n")
    return 1 if failed.total() else 0


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    sys.exit(main(numbers[0] if numbers else 100, numbers[1] if len(numbers) > 1 else random.randrange(10**6)))
