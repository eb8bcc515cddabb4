"""What is kept: arrays, texts and refusals by name, in jobs that run beside each other."""

# ruff: noqa: B023 - each attempt is made at once

import base64
import contextlib
import hashlib
import inspect
import itertools
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np

import hopattn as ha
from tests.fuzz.hostile import VALUES
from tests.fuzz.wrong_calls import calls as working_calls
from tests.fuzz.wrong_calls import parameters
from tools.referee.samples import COMMANDS, FILES, HOSTILE, UPDATES, VERDICTS, drawn, libraries, memories, within

MOST_NUMBERS, MOST_LETTERS = 60_000, 20_000
"""Of a larger array so many numbers are kept, evenly spaced; of a longer text the beginning."""
ADDRESS = re.compile(r" at 0x\w+|0x\w{8,}")
ROOT = Path(ha.__file__).resolve().parent.parent


def array(value):
    host = value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)
    if host.dtype.kind not in "biufc":
        return text(host.tolist())
    flat = np.ascontiguousarray(host).ravel()
    numbers = flat if flat.size <= MOST_NUMBERS else flat[:: flat.size // MOST_NUMBERS + 1]
    library, shape = type(value).__module__.partition(".")[0], list(host.shape)
    numbers = base64.b64encode(np.ascontiguousarray(numbers).tobytes()).decode()
    digest = hashlib.sha256(flat.tobytes()).hexdigest()
    return {
        "is": "array",
        "library": library,
        "dtype": str(host.dtype),
        "shape": shape,
        "sha": digest,
        "numbers": numbers,
    }


def text(value):
    words = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return {"is": "text", "text": ADDRESS.sub("", words)[:MOST_LETTERS]}


def message(kind, words):
    return {"is": "message", "kind": kind, "text": words}


def refusal(error):
    """A refusal of hopattn by its words; any other exception is named as one that nobody meant."""
    meant = isinstance(error, ha.HopattnError)
    return message(type(error).__name__ if meant else f"RAISED {type(error).__name__}", str(error))


def flat(value, name="", depth=3):
    """The arrays and texts in a value, in its fields and in its parts, each by its place."""
    if hasattr(value, "data_vars"):  # of xarray
        yield from flat({key: part.values for key, part in value.data_vars.items()}, name, depth)
    elif (
        hasattr(value, "__array__") or hasattr(value, "__array_namespace__") or isinstance(value, int | float | complex)
    ):
        yield name, array(value)
    elif isinstance(value, str) or value is None or not depth:
        yield name, text(value if isinstance(value, str) else repr(value))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from flat(part, f"{name}.{key}".strip("."), depth - 1)
    elif isinstance(value, list | tuple) and len(value) <= 40:
        for number, part in enumerate(value):
            yield from flat(part, f"{name}[{number}]", depth - 1)
    elif hasattr(value, "__dataclass_fields__"):
        for field in value.__dataclass_fields__:
            yield from flat(getattr(value, field, None), f"{name}.{field}".strip("."), depth - 1)
    else:
        yield name, text(repr(value))


class Records(dict):
    """What is kept of one job."""

    def attempt(self, name, make):
        """Keep what `make` gives, part by part, or its refusal."""
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                parts = dict(flat(make()))
        except Exception as error:
            self[name] = refusal(error)
            return
        self.update({f"{name} · {part}" if part else name: kept for part, kept in parts.items()})


@contextlib.contextmanager
def folder():
    """A folder of its own with the files that commands and calls read."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        for file, words in FILES.items():
            Path(file).write_text(words, encoding="utf-8")
        yield place


def command(*words, stdin=None):
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-m", "hopattn", *words]
    return subprocess.run(line, capture_output=True, text=True, input=stdin, env=environment)


@cache
def shipped():
    """The kind of each shipped scenario by its name."""
    return {row["name"]: row["kind"] for row in json.loads(command("list", "--json").stdout)}


def of_each_kind():
    return list({kind: name for name, kind in reversed(shipped().items())}.values())


def scenarios(names, explained):
    kept = Records()
    for name in names:
        kept.attempt(f"scenario {name}", lambda: of_result(ha.run(ha.load(name), explain=name in explained), explained))
    return kept


def of_result(result, explained):
    """About a result: its verdicts, and of each run the arrays with their labels and its working."""
    about = {key: getattr(result, key) for key in ("title", "source", "note", "kind", "seed", "digest", "ok")}
    kept = {"about": json.dumps(about), "table": json.dumps(result.table(), default=str, ensure_ascii=False)}
    for run in result.runs:
        for name, labelled in run.arrays.items():
            labels = [labelled.dims, [one if isinstance(one, int) else list(one) for one in labelled.labels]]
            kept[f"{run.name} {name}"] = {"values": labelled.values, "labels": json.dumps(labels, default=str)}
            if labelled.hidden is not None:
                kept[f"{run.name} {name}"]["hidden"] = labelled.hidden
        kept[f"{run.name} shown"] = json.dumps(list(run.shown))
        kept[f"{run.name} heads"] = json.dumps({place: type(head).__name__ for place, head in run.heads().items()})
        if result.name in explained:
            kept[f"{run.name} working"] = "\n".join(run.working)
    if result.name in explained:
        kept["csv"] = result.to_csv()
    return kept


RECORD = [
    "state",
    "steps",
    "status",
    "converged",
    "residual",
    "period",
    "energies",
    "matched",
    "similarity",
    "spurious",
    "mixture",
]


def recalled(memory, cues, update):
    recall = memory.recall(cues, update=update, max_steps=12, rng=7)
    return {name: getattr(recall, name) for name in RECORD} | {"words": repr(recall)}


def recalls(library):
    """Every named memory: its parts, its step, each of its measures, a recall by each update."""
    kept, a = Records(), libraries()[library]
    *_, noisy, near = drawn()
    for title, (arguments, domain) in memories(a).items():
        about, make = f"{library} {title}", getattr(ha.memories, title.partition(" ")[0])
        kept.attempt(f"memory {about}", lambda: repr(make(**arguments)))
        memory, cues = make(**arguments), a(within(domain, noisy if domain in ("sign", "step") else near))
        for part in (
            "field",
            "step",
            "energy",
            "gradient",
            "jacobian",
            "curvature",
            "free_energy",
            "weights",
            "scores",
        ):
            if hasattr(memory, part):
                value = getattr(memory, part)
                kept.attempt(f"memory {about} · {part}", lambda: value(cues) if callable(value) else value)
        for by, update in UPDATES.items():
            kept.attempt(f"recall {about} by {by}", lambda: recalled(memory, cues, update))
            kept.attempt(f"descends {about} by {by}", lambda: repr(memory.descends(*([update] if update else []))))
        kept.attempt(
            f"recall {about} kept", lambda: memory.recall(cues[0, :], max_steps=5, keep=("trajectory", "weights"))
        )
    return kept


def parts(library):
    """Every similarity with every separation and activation; every separation with a sink and with a mask."""
    kept, a = Records(), libraries()[library]
    spins, reals, _, noisy, near = drawn(seed=9)
    for similarity, separation, activation in itertools.product(ha.similarities, ha.separations, ha.activations):
        if library != "numpy" and activation not in ("identity", "sign", "unit"):
            continue
        keys, cues = (spins, noisy) if activation in ("sign", "step") else (reals, near)
        words, cues = (similarity, separation, activation), a(within(activation, cues))
        about = f"{library} {' '.join(words)}"
        try:
            memory = ha.Memory(a(keys), similarity=words[0], separation=words[1], activation=words[2], beta=1.5)
        except ha.HopattnError as error:
            kept[f"part {about}"] = refusal(error)
            continue
        kept.attempt(f"part {about}", lambda: {"weights": memory.weights(cues), "step": memory.step(cues)})
        kept.attempt(f"part {about} energy", lambda: memory.energy(cues))
        if library == "numpy":
            kept.attempt(f"part {about} gradient", lambda: memory.gradient(cues))
            kept.attempt(f"part {about} recall", lambda: recalled(memory, cues, None))
    mask = np.random.default_rng(3).random((5, 4)) < 0.6
    mask[2] = False
    for separation in ha.separations:
        for sink in (None, 0.3):
            kept.attempt(f"masked {library} {separation} {sink}", lambda: masked(a, separation, sink, mask))
    return kept


def masked(a, separation, sink, mask):
    _, reals, *_, near = drawn(seed=9)
    memory = ha.Memory(a(reals), separation=separation, beta=2.0, sink=sink)
    weights, rest = memory.weights(a(near), mask=mask), None if sink is None else memory.rest(a(near), mask=mask)
    return {"weights": weights, "step": memory.step(a(near), mask=mask), "rest": rest}


def large():
    """More scores than one block holds; a text longer than one block; memories written to a file and read."""
    kept, rng = Records(), np.random.default_rng(8)
    texts, keys = rng.normal(size=(3, 700, 16)), np.random.default_rng(4).normal(size=(40_000, 8))
    for separation in ("softmax", "sparsemax", "entmax", "normmax", "k_subsets"):
        kept.attempt(
            f"large attention {separation}",
            lambda: ha.attention(*texts, mask=ha.causal.array(700), separation=separation),
        )
    for separation in ("softmax", "sparsemax", "entmax", "argmax"):
        memory = ha.Memory(keys, separation=separation, beta=0.7)
        kept.attempt(f"large memory {separation}", lambda: recalled(memory, keys[:60] + 0.1, None))
        kept.attempt(
            f"large memory {separation}", lambda: {"step": memory.step(keys[:60]), "field": memory.field(keys[:60])}
        )
    *_, noisy, near = drawn()
    for title, (arguments, domain) in memories(np.asarray).items():
        cues = within(domain, noisy if domain in ("sign", "step") else near)
        with folder():
            kept.attempt(
                f"saved {title}", lambda: of_file(getattr(ha.memories, title.partition(" ")[0])(**arguments), cues)
            )
    return kept


def transforms():
    """Public calls under the transformations of PyTorch and JAX: gradients, batches, compiled functions."""
    kept, rng = Records(), np.random.default_rng(6)
    x, w = rng.normal(size=(3, 5, 8)), {name: rng.normal(size=(4, 8)) for name in ("query", "key", "value")}
    for library in {"torch", "jax"} & libraries().keys():
        a = libraries()[library]
        head = ha.Head(*map(a, w.values()), beta=0.7, mask="causal")
        several = ha.MultiHead([head, ha.Head(*map(a, w.values()), mask="none", sink=0.3)], a(rng.normal(size=(8, 8))))
        memory = ha.Memory(a(rng.normal(size=(6, 8))), beta=0.9)
        mask = a(rng.random((5, 5))) < 0.7
        functions = {
            "attention": lambda q: ha.attention(q, q, q, mask="causal"),
            "attention masked": lambda q: ha.attention(q, q, q, mask=mask, sink=0.5),
            "entmax": lambda q: ha.attention(q, q, q, separation="entmax"),
            "head": head,
            "heads": several,
            "step": memory.step,
            "energy": memory.energy,
            "gradient": memory.gradient,
        }
        for name, function in functions.items():
            for way, transformed in under(library, function).items():
                kept.attempt(f"{way} {library} {name}", lambda: transformed(a(x[0]), a(x)))
    return kept


def under(library, function):
    """A function of one text under each transformation: of a text, and of a batch of texts."""
    if library == "torch":
        import torch

        def gradient(one, _):
            one = one.requires_grad_()
            return torch.autograd.grad(function(one).square().sum(), one)[0]

        return {
            "gradient": gradient,
            "gradient by functions": lambda one, _: torch.func.grad(lambda x: function(x).square().sum())(one),
            "batch": lambda _, several: torch.func.vmap(function)(several),
        }
    import jax

    return {
        "gradient": lambda one, _: jax.grad(lambda x: (function(x) ** 2).sum())(one),
        "batch": lambda _, several: jax.vmap(function)(several),
        "compiled": lambda one, _: jax.jit(function)(one),
    }


def of_file(memory, cues):
    memory.save("memory.npz")
    again = ha.load("memory.npz")
    with np.load("memory.npz") as file:
        return {"repr": repr(again), "step": again.step(cues), "file": {name: file[name] for name in sorted(file)}}


def calls(names):
    """The result of every public function and method with arguments that work, and its refusals of wrong ones."""
    kept = Records()
    for name in names:
        with folder():
            kept.attempt(f"call {name}", lambda: called(name, {}))
        for parameter, value in itertools.product(parameters(name), HOSTILE):
            with folder():
                about = f"wrong call {name} {parameter}={value}"
                try:
                    with warnings.catch_warnings(), np.errstate(all="ignore"):
                        warnings.simplefilter("ignore")
                        called(name, {parameter: VALUES[value]()})
                except Exception as error:
                    kept[about] = message(type(error).__name__, str(error))
                else:
                    kept[about] = message("accepted", "")
    return kept


def called(name, changes):
    function, arguments = working_calls()[name]()
    arguments |= changes
    several = [one.name for one in inspect.signature(function).parameters.values() if one.kind is one.VAR_POSITIONAL]
    return function(*[arguments.pop(name) for name in several if name in arguments], **arguments)


def edited(name, words, run):
    with folder():
        Path(f"{name}.toml").write_text(words, encoding="utf-8")
        scenario = ha.load(f"{name}.toml")
        return json.dumps(ha.run(scenario).table(), default=str, ensure_ascii=False) if run else "is read"


def wrong_files(names):
    """Each line of a scenario left out, with its key misspelt, with a text and a negative number as its value."""
    kept = Records()
    for name in names:
        lines = ha.load(name).text.split("\n")
        for number, line in enumerate(lines):
            key, sign, _ = line.partition("=")
            if not sign or line.startswith(("#", " ")) or '"""' in line:
                continue
            for how, instead in {
                "left out": "",
                "key": f"x{line}",
                "text": f"{key}= 'x'",
                "number": f"{key}= -1",
            }.items():
                words = "\n".join([*lines[:number], instead, *lines[number + 1 :]])
                kept.attempt(f"wrong file {name} {number + 1} {how}", lambda: edited(name, words, run=False))
    return kept


def verdicts():
    """What is said of expectations that are met narrowly, or missed."""
    kept = Records()
    for number, (name, old, new) in enumerate(VERDICTS):
        words = ha.load(name).text
        assert old in words, (name, old)
        kept.attempt(f"verdict {number} {name} {new!r}", lambda: edited(name, words.replace(old, new, 1), run=True))
    return kept


def steady(words, place):
    """What a command says, without the folders of this run and without the seconds that `check` shows."""
    for path, name in ((place, "FOLDER"), (str(ROOT), "ROOT"), (str(Path(sys.prefix)), "PREFIX")):
        words = words.replace(path, name)
    return re.sub(r"^((?:met|MISSED) .* of .*?) +\d+\.\d+$|(; )\d+\.\d+ s$", r"\1\2", words, flags=re.MULTILINE)


def commands(lines):
    kept = Records()
    for line in lines:
        with folder() as place:
            ended = command(*line.split(), stdin="" if line.endswith("-") else None)
            out, err = steady(ended.stdout, place), steady(ended.stderr, place)
            if ended.returncode > 1:
                kept[f"wrong command {line}"] = message(f"exit code {ended.returncode}", err + out[:2000])
                continue
            kept[f"command {line}"] = text(f"exit code {ended.returncode}\n{out}\n{err}")
            for file in sorted(path for path in Path().rglob("*") if path.is_file() and path.name not in FILES):
                if file.suffix in (".toml", ".svg", ".csv"):
                    kept[f"command {line} · {file}"] = text(steady(file.read_text(encoding="utf-8"), place))
    return kept


def jobs():
    """Every job: the name of its part, its function, its arguments."""
    names, first = [*shipped()], of_each_kind()
    lines = [line.strip() for line in COMMANDS.replace("\n", ";").split(";") if line.strip()]
    yield from (("scenarios", scenarios, (names[i::6], first)) for i in range(6))
    yield from (("recalls", recalls, (library,)) for library in libraries())
    yield from (("parts", parts, (library,)) for library in libraries())
    yield from (("calls", calls, ([*working_calls()][i::6],)) for i in range(6))
    yield from (("files", wrong_files, (first[i::4],)) for i in range(4))
    yield from (("commands", commands, (lines[i::6],)) for i in range(6))
    yield from (("files", verdicts, ()), ("large", large, ()), ("transforms", transforms, ()))


def work(job):
    """The part, the records and the processor seconds of a job."""
    part, function, arguments = job
    before = sum(os.times()[:4])
    kept = function(*arguments)
    for child in multiprocessing.active_children():  # the workers of a sweep would wait five minutes for more
        child.terminate()
    return part, kept, sum(os.times()[:4]) - before
