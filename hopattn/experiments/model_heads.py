"""The census of the heads of a model on disk, for a text of ids, of words, or of random tokens that repeat."""

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hopattn.checkpoints.checkpoint import Checkpoint
from hopattn.checkpoints.folder import arrays_file
from hopattn.checkpoints.texts import Tokenizer, Tokens
from hopattn.circuits.census.heads import head_census
from hopattn.circuits.census.table import Census
from hopattn.circuits.emergence.record import Training
from hopattn.foundation.array_files import chosen_in, named, numbers
from hopattn.foundation.array_headers import opened
from hopattn.foundation.checks import COUNTED, whole
from hopattn.foundation.endings import ARRAYS, foreign
from hopattn.foundation.errors import InvalidInput, in_file, listed, placed, quoted, shortened
from hopattn.foundation.writing import counted
from hopattn.scenario.files import shipped_folder, utf8

PERIOD, TIMES = 25, 4
"""The random tokens of a text, and how often they come, as in Olsson et al. (2022)."""
REPEATS = re.compile(r"\s*(\d{1,9})\s*[x×]\s*(\d{1,9})\s*")
IDS = re.compile(r"[\s,\[\]]*+\d[\s,\[\]\d]*+")
"""Whole numbers between commas, spaces and brackets."""


class OpenedModel(NamedTuple):
    """A model on disk. file: that of its arrays. tokens: the size of its vocabulary. tokenizer: of texts, or None.

    longest: the most tokens of a text, or None. layers: its layers for the ids of a text, one after the other. embed,
    unembed: `(tokens, dim)`, or None.
    """

    name: str
    file: Path
    tokens: int
    tokenizer: Tokenizer | None
    n_layers: int
    longest: int | None
    layers: Callable[[np.ndarray], Any]
    embed: Any
    unembed: Any


@dataclass(frozen=True)
class CensusText:
    """The text of a census: of random tokens that repeat, unless a file is named.

    repeats: as "25x4", 25 random tokens, four times; empty for that, or what fits the model. ids: a file of whole
    numbers. text: a file of words, for `tokenizers`. long: the number of tokens: the first of a file, or half as many
    random ones, twice. seed: of the random ones.
    """

    repeats: str = ""
    ids: Path | None = None
    text: Path | None = None
    length: int | None = None
    seed: int = 0


class OfConfiguration(NamedTuple):
    """The fields of a configuration that the caller gives, and those to leave unread, as in `Checkpoint`."""

    missing: dict[str, Any]
    unread: tuple[str, ...]

    @classmethod
    def of(cls, missing: Sequence[str], unread: Sequence[str]) -> "OfConfiguration":
        """From texts such as "rope_theta=10000" and "a,b"; a value is read as JSON, or else is a text."""
        values = {}
        for pair in missing:
            name, equals, value = pair.partition("=")
            if not (name and equals):
                raise InvalidInput(f"--set: got {quoted(pair)}; expected NAME=VALUE, as in rope_theta=10000")
            try:
                values[name] = json.loads(value)
            except ValueError:
                values[name] = value
        return cls(values, tuple(name for names in unread for name in names.split(",")))


def census_of_model(
    path: Path,
    text: CensusText,
    report: Callable[[int, int], object] | None = None,
    fields: OfConfiguration | None = None,
) -> Census:
    """The census of a model: the folder of a checkpoint, a file of `hopattn train`, or the name of a shipped one.

    report: called with the number of layers that are done, and of all. fields: of the configuration of a checkpoint.
    Raises `InvalidInput` for a model and a text that cannot be read or do not fit.
    """
    model = _opened(path, fields or OfConfiguration({}, ()))
    tokens, about = tokens_for(model, text)
    done = None if report is None else (lambda count: report(count, model.n_layers))
    tables = {"embed": model.embed, "unembed": model.unembed}
    with in_file(named(model.file)):
        about = f"{model.name}: {about}"
        return head_census(model.layers(tokens.ids), tokens.ids, words=tokens.words, **tables, about=about, report=done)


def tokens_for(model: OpenedModel, text: CensusText) -> tuple[Tokens, str]:
    """The tokens of a text, and which they are in words; raises `InvalidInput` where they do not fit the model."""
    given = {"--repeats": text.repeats, "--ids": text.ids, "--text": text.text}
    if len(chosen := [name for name, one in given.items() if one]) > 1:
        raise InvalidInput(f"{chosen[1]}: the tokens are those of {chosen[0]}; give one of them")
    if (file := text.ids or text.text) is None:
        return _repeated(model, text)
    tokens = _tokens_of(file, model.tokenizer) if text.text else Tokens.of_ids(_ids_in(file))
    if text.length is not None and len(tokens) < text.length:
        raise InvalidInput(f"--length: {named(file)} has {len(tokens):,} tokens; expected at least {text.length:,}")
    tokens = tokens[: text.length]
    if len(tokens) < 2:
        raise InvalidInput(f"{named(file)}: got {counted(len(tokens), 'token')}; expected at least two")
    if (wrong := tokens.ids[(tokens.ids < 0) | (tokens.ids >= model.tokens)]).size:
        raise InvalidInput(f"{named(file)}: got the id {wrong[0]}; expected 0 to {model.tokens - 1:,}")
    with in_file(named(file)):
        _require_length(len(tokens), model, f"--length {model.longest} takes the first {model.longest}")
    return tokens, f"{len(tokens):,} tokens of {file.name}"


def _repeated(model: OpenedModel, text: CensusText) -> tuple[Tokens, str]:
    """Random tokens, all different, and repeated."""
    if text.repeats and text.length is not None:
        raise InvalidInput("--length: the length is that of --repeats; give one of them")
    if text.repeats:
        found = REPEATS.fullmatch(text.repeats)
        period, times = map(int, found.groups()) if found else (0, 0)
        if period < 1 or times < 2:
            raise InvalidInput(f"--repeats: got {quoted(text.repeats)}; expected tokens x times, as in 25x4")
    elif text.length is not None:
        period, times = whole(text.length, "--length", least=4) // 2, 2
    else:
        room = COUNTED if model.longest is None else model.longest // TIMES
        period, times = max(min(PERIOD, model.tokens, room), 1), TIMES
    if period > model.tokens:
        what = "--length" if text.length else "--repeats"
        raise InvalidInput(f"{what}: {period:,} different tokens do not exist among {model.tokens:,}")
    _require_length(period * times, model, "choose fewer")
    drawn = np.random.default_rng(text.seed).choice(model.tokens, period, replace=False)
    return Tokens.of_ids(np.tile(drawn, times)), f"{period:,} random tokens, {times} times"


def _require_length(n: int, model: OpenedModel, cure: str) -> None:
    if model.longest is not None and n > model.longest:
        raise InvalidInput(f"tokens: got {n:,}; the model has learned {model.longest:,} positions; {cure}")


def _ids_in(file: Path) -> np.ndarray:
    """The ids in a file of arrays, or in a text of whole numbers between commas, spaces and brackets."""
    if file.suffix.lower() in ARRAYS:
        names = chosen_in(file, called=("ids",))
        if len(names) > 1:
            raise InvalidInput(f"{named(file)} holds {listed(map(str, names))}; expected one array, or one called ids")
        found = numbers(file, names[0])
        if found.size != found.shape[-1]:
            raise InvalidInput(f"{named(file)}: got ids of shape {found.shape}; expected those of one text, (n,)")
        found = found.reshape(-1)
        if (wrong := found[found != np.floor(found)]).size:
            raise InvalidInput(f"{named(file)}: got {wrong[0]:g}; expected ids, which are whole numbers")
        if (wrong := found[abs(found) >= 2**53]).size:
            raise InvalidInput(f"{named(file)}: got {wrong[0]:g}; expected ids of a vocabulary")
        return found.astype(np.int64)
    with opened(file) as stream:
        text = stream.read().decode("utf-8", errors="replace")
    if not IDS.fullmatch(text):
        if cure := foreign(file):
            raise InvalidInput(f"{named(file)} {cure}")
        bad = next((word for word in re.split(r"[\s,\[\]]+", text) if word and not word.isdigit()), "")
        raise InvalidInput(f"{named(file)}: got '{shortened(bad)}'; expected ids, which are whole numbers")
    words = re.findall(r"\d+", text)
    if long := [word for word in words if len(word) > 18]:
        raise InvalidInput(f"{named(file)}: got '{shortened(long[0])}'; expected ids of a vocabulary")
    return np.array(words, np.int64)


def _tokens_of(file: Path, tokenizer: Tokenizer | None) -> Tokens:
    """The tokens of the text in a file."""
    if tokenizer is None:
        raise InvalidInput("--text: a file of `hopattn train` has no tokenizer; give the ids of the text by --ids")
    with opened(file) as stream:
        text = utf8(stream.read(), named(file))
    return tokenizer.tokens(text, named(file))


def _opened(path: Path, fields: OfConfiguration) -> OpenedModel:
    """The model at a path; raises `InvalidInput` where there is none."""
    if _is_folder(path):
        with placed(f"'{shortened(path)}'"):
            return _checkpoint(path, fields)
    if any(fields):
        option = "--set" if fields.missing else "--unread"
        raise InvalidInput(f"{option}: '{shortened(path)}' is no folder of a checkpoint, and has no config.json")
    training = trained(path)
    model, recipe = training.model(), training.recipe
    longest = recipe.length if recipe.positions else None
    sizes = recipe.words, None, recipe.layers, longest
    return OpenedModel(path.stem, path, *sizes, model.inputs, model.embed, model.unembed)


def trained(path: Path) -> Training:
    """The training in a file of `hopattn train`, or in a shipped one; raises `InvalidInput` where there is none."""
    shipped = {file.stem: file for file in sorted(shipped_folder().glob("circuits/*.npz"))}
    is_there = os.path.exists(path)  # noqa: PTH110 (without an error for a name that is too long)
    path = path if is_there else shipped.get(str(path), path)
    if path.suffix.lower() != ".npz":
        expected = f"a folder of a checkpoint, an .npz file of `hopattn train`, or {listed(shipped)}"
        there = "is another file" if is_there else "is not there, and nothing is downloaded"
        raise InvalidInput(f"'{shortened(path)}' {there}; expected {expected}")
    return Training.load(path)


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 (without an error for a name that is too long)


def _checkpoint(folder: Path, fields: OfConfiguration) -> OpenedModel:
    checkpoint = Checkpoint(folder, **fields._asdict())
    plan, unembed = checkpoint.plan, checkpoint.unembedding
    embed = None if unembed is None else checkpoint.embedding
    sizes = plan.n_tokens, Tokenizer(folder, plan.n_tokens), plan.n_layers, plan.n_places
    return OpenedModel(folder.resolve().name, arrays_file(folder), *sizes, checkpoint.layers, embed, unembed)
