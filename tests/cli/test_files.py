"""Every file that a command reads: whatever is wrong with it, the message names the file."""

import io
import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import hopattn as ha
from hopattn.circuits.emergence.record import Recipe, Training
from tests.checkpoints.written import GPT2, arrays_file, state_of, write

BANK = ha.load("bank").text
OWN = 'schema = 1\ntitle = "a file"\nsource = "a test"\nkind = "ensemble"\n[ensemble]\nfile = "own.npz"\npatterns = 2\n'
TORCH = "torch-encoder-layer.npz"
LAYER = dict(np.load(Path(ha.load("pytorch-layer").where).with_name(TORCH)))
RECIPE = Recipe(layers=1, dim=8, heads=2, steps=1, seed=0)


def archive(arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def of_another_sort(good=b"1, 2\n3, 4\n"):
    """A file of another sort, one that is cut short, and one that is longer."""
    yield from (b"", b"hello", bytes(200), b"\xff" * 100, "a = 1".encode("utf-16"), b"\x89PNG\r\n\x1a\n" + bytes(40))
    yield from (b"a = " + b"[" * 5000, b"a = " + b"9" * 5000, b"x" * (2**20 + 1))
    yield from (good[: len(good) // 2], good[:-1], good + b"xx")


def of_other_arrays(arrays, form=archive):
    """Each array is missing, or has other numbers or another shape."""
    yield from of_another_sort(form(arrays))
    for name, array in arrays.items():
        others = {other: one for other, one in arrays.items() if other != name}
        changed = [np.array(text) for text in ("x", "[]", "{}", '{"layers": 0}', '{"layers": 1000000000}')]
        if array.dtype.kind == "f" and array.size > 1:
            changed = [np.full_like(array, value) for value in (np.nan, np.inf)] + [array[:1], array[:0]]
            changed += [array + 1j, array.astype(str), array > 0] if form is archive else []
        yield from (form(own) for own in (others, *(others | {name: one} for one in changed)))


def of_other_fields():
    """Each field of a configuration is missing, or has another value."""
    yield from of_another_sort(json.dumps(GPT2).encode())
    for name in GPT2:
        for value in (..., None, 0, -1, 1e300, float("nan"), "x", [], {}, 10**30, True, 0.5):
            yield json.dumps({key: one for key, one in {**GPT2, name: value}.items() if one is not ...}).encode()


def of_other_text():
    """A scenario with other values."""
    yield from of_another_sort(BANK.encode())
    for old, new in (("0.8", "nan"), ("0.8", "1e300"), ("[1, 0, 0, 0]", "[1, 0]"), ("schema = 1", "schema = 9")):
        yield BANK.replace(old, new, 1).encode()


def of_answers():
    """Answers to a sheet that is not there."""
    yield from of_another_sort()
    for head in ('scenario = "bnk"', 'scenario = "bank"\nlanguage = "dee"', f'scenario = "{"x" * 400}"', "count = 0"):
        yield f"{head}\n[answers]\n1 = 1\n".encode()


def training():
    """The arrays of a training that has begun."""
    Training.begun(RECIPE).save("begun.npz")
    return dict(np.load("begun.npz"))


def model(ids="1 2 3 4"):
    """A folder with a model, and a text of ids."""
    Path("model").mkdir(exist_ok=True)
    Path("ids.txt").write_text(ids)
    write(Path("model"), GPT2, state_of(GPT2))


def scenario(text):
    """A scenario that names a file."""
    Path("s.toml").write_text(text)


class Read(NamedTuple):
    """A file that a command reads, the contents that it cannot use, and what stands beside the file."""

    file: str
    command: tuple[str, ...]
    contents: Callable = of_another_sort
    beside: Callable = lambda: None


HEADS = "heads", "model", "--ids", "ids.txt"
READ = [
    *(Read("file.toml", (name, "file.toml"), of_other_text) for name in ("run", "check", "sweep", "practice")),
    *(Read("file.toml", (name, "file.toml"), of_other_text) for name in ("explore", "compare")),
    Read(
        "file.toml",
        ("lint", "n.md", "--scenario", "file.toml"),
        of_other_text,
        lambda: Path("n.md").write_text("[1, 2] · [3, 4] = 11", "utf-8"),
    ),
    Read("file.md", ("lint", "file.md")),
    Read("answers.toml", ("practice", "--mark", "answers.toml"), of_answers),
    Read("points.jsonl", ("sweep", "capacity-by-size", "--points", "points.jsonl"), lambda: [b"hello", bytes(200)]),
    *(
        Read(f"file.{ending}", (name, f"file.{ending}"))
        for name in ("separation", "compare", "explore")
        for ending in ("npy", "npz", "csv", "safetensors")
    ),
    Read("ids.npy", ("heads", "two-layers", "--ids", "ids.npy")),
    Read("ids.txt", ("heads", "model", "--ids", "ids.txt"), lambda: [*of_another_sort(), b"1 2 " * 9, b"7 99"], model),
    Read("model/config.json", HEADS, of_other_fields, model),
    Read("model/model.safetensors", HEADS, lambda: of_other_arrays(state_of(GPT2), arrays_file), model),
    Read("model/model.safetensors.index.json", HEADS, lambda: [*of_another_sort(b"{}"), b'{"weight_map": {}}'], model),
    Read("one.npz", ("heads", "one.npz", "--repeats", "3x2"), lambda: of_other_arrays(training())),
    Read("one-layer.npz", ("train", "one-layer", "--out", "."), lambda: of_other_arrays(training())),
    Read("own.npz", ("run", "s.toml"), lambda: of_other_arrays({"a": np.ones((2, 3))}), lambda: scenario(OWN)),
    Read(
        TORCH,
        ("run", "s.toml"),
        lambda: islice(of_other_arrays(LAYER), 40),
        lambda: scenario(ha.load("pytorch-layer").text),
    ),
]


@pytest.mark.parametrize("read", READ, ids=lambda read: f"{read.command[0]} {read.file}")
def test_the_message_about_a_file_names_it(hopattn, read):
    if read.command[0] == "train":
        pytest.importorskip("torch")
    read.beside()
    file, unnamed, refused = Path(read.file), [], 0
    for content in read.contents():
        file.write_bytes(content)
        code, _, message = hopattn(*read.command)
        assert code in (0, 1, 2), (content[:60], message)
        refused += code == 2
        unnamed += [(content[:60], message)] if code == 2 and file.name not in message else []
    assert refused and unnamed == []
