"""Expectations of numbers: of heads, of a whole matrix, of the run, of a probe, and of the vector at one token."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from hopattn.circuits.scores import OF_REPEATS, SCORES
from hopattn.foundation.errors import InvalidInput, listed, shortened
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import listed as in_row
from hopattn.foundation.writing import shown
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.arrays import Arrays, occurrences
from hopattn.scenario.expectations.base import (
    EXACT,
    FEW_DIGITS,
    Expectation,
    Numeric,
    Value,
    Verdict,
    equal,
    shape_of,
    texts_of,
)
from hopattn.scenario.language.syntax_faults import comma_hint
from hopattn.scenario.language.table import (
    Count,
    PositiveNumber,
    Refused,
    Table,
    TextOrTexts,
    Vector,
    VectorOrMatrix,
    at,
    need,
    need_known,
)
from hopattn.scenario.words.vocabulary import WORD


class OfHead(Table):
    """The layer and the head of an array."""

    layer: Count | None = None
    """The layer, if there are several."""
    head: Count | None = None
    """The head, if there are several."""

    def of_head(self) -> str:
        """The head and the layer in words, as far as they are given."""
        head = say(" of head {}", str(self.head)) if self.head else ""
        return head + (say(" in layer {}", str(self.layer)) if self.layer else "")


class ScoreIs(OfHead, Value):
    """A score of an attention head, from 0 to 1."""

    score: str
    """The score: "previous token", "duplicate token" (earlier copies of the word), "prefix matching" (the words after
    these), each on average over the rows that have such words; or "attention sink" (the first word, over all rows)."""

    def answer(self, arrays: Arrays) -> Labelled:
        weights = arrays[arrays.name("weights", ("score",), self.layer, self.head)]
        rows, columns = weights.labels
        words = [token.word for token in occurrences(rows, arrays.words)]
        need_known(self.score, SCORES, "score")
        need(rows == columns, "score", "is that of a text whose words attend to each other; here they attend to others")
        once = "needs a word that occurs twice; every word of this text occurs once"
        need(self.score not in OF_REPEATS or len({*words}) < len(words), "score", once)
        need(len(words) > 1, "score", "needs a text of at least two words")
        return Labelled(np.array(SCORES[self.score](weights.values, words)))

    def judge(self, arrays: Arrays) -> Verdict:
        try:
            return super().judge(arrays)
        except Refused:
            raise
        except InvalidInput as error:  # weights that are not shares, such as raw similarities
            return Verdict(False, shown(self.is_), say("no score"), str(error))

    def sentence(self) -> str:
        return f"{self.score}{self.of_head()}"


class Entry(OfHead):
    """One entry of the attention matrix."""

    row: Annotated[str, Field(alias="from")]
    """The token that attends."""
    column: Annotated[str, Field(alias="to")]
    """The token that is attended to, or "rest" for what a sink takes."""


class WeightIs(Value):
    """The attention weight from one token to another."""

    weight: Entry
    """The entry of the attention matrix."""

    @property
    def words(self) -> tuple[str, ...]:
        return (self.weight.row,)

    def answer(self, arrays: Arrays) -> Labelled:
        with at("weight"):
            entry = self.weight
            weights = arrays[arrays.name("weights", (), entry.layer, entry.head)]
            row = arrays.row(entry.row, ("from",), weights.labels[0])
            rest = arrays.find("rest", entry.layer, entry.head)
            if rest and entry.column == "rest" and "rest" not in weights.labels[1]:  # what the sink takes, and no word
                return Labelled(arrays[rest[0]].values[row])
            return Labelled(weights.values[row, arrays.row(entry.column, ("to",), weights.labels[1])])

    def sentence(self) -> str:
        entry = self.weight
        return say("weight from {} to {}{}", entry.row, entry.column, entry.of_head())


class MatrixIs(OfHead, Numeric):
    """A whole matrix of numbers."""

    matrix: str
    """The array: weights, scores, scaled scores (beta times the scores of a softmax), queries, keys, values, state,
    turns, …"""
    at: str | None = None
    """The row that is compared; of an array with a matrix for each cue, such as `turns`, the cue."""
    columns: Annotated[list[str], Field(min_length=1)] | None = None
    """The columns that are compared, in this order; by default all."""
    is_: Annotated[VectorOrMatrix, Field(alias="is")]
    """The right numbers, row by row; of `turns`, the first turns may be enough. A single row or column may be one list,
    and so is an array of one axis."""
    stated: VectorOrMatrix | None = None
    """The numbers that the source prints."""

    def answer(self, arrays: Arrays) -> Labelled:
        array = arrays.as_written(arrays.name(self.matrix, ("matrix",), self.layer, self.head))
        values, dims, names = array.values, array.dims, [*array.labels]
        for_each = values.ndim == 3
        if for_each or self.at is not None:
            need(values.ndim > 1, "at", f"'{shortened(self.matrix)}' has no rows")
            rows = [*names[0]]
            need(self.at is not None or len(rows) == 1, (), f"needs `at`, one of {listed(rows)}: each has a matrix")
            row = 0 if self.at is None else arrays.row(self.at, ("at",), rows)
            values, names[0] = values[row : row + 1], names[0][row : row + 1]
            values, dims, names = (values[0], dims[1:], names[1:]) if for_each else (values, dims, names)
        if self.columns is not None:
            need(values.ndim > 1, "columns", f"'{shortened(self.matrix)}' has no columns")
            columns = [arrays.row(one, ("columns", i), names[-1]) for i, one in enumerate(self.columns)]
            values, names[-1] = values[:, columns], tuple(names[-1][column] for column in columns)
        if dims[:1] == ("turn",):
            values, names[0] = values[: len(self.is_)], names[0][: len(self.is_)]
        return Labelled(values, dims, tuple(names), array.tiny, None if values is not array.values else array.hidden)

    def why_unfit(self, shape: tuple[int, ...], columns: Sequence[str], parts: Mapping[str, slice]) -> str:
        plain = super().why_unfit(shape, columns, parts)
        rows, *across = shape_of(self.is_)
        if (*across, rows) == shape:
            return f"{plain}; write its transpose"
        named = f", with the columns {listed(columns)}" if columns and [*shape[1:]] != across else ""
        fewer = len(shape) == 2 and rows == shape[0] and (not across or 0 < across[0] < shape[1])
        hint = "; `columns` names those that are compared" if fewer and self.columns is None else ""
        return plain + named + hint

    def sentence(self) -> str:
        columns = f" ({', '.join(self.columns)})" if self.columns else ""
        place = say(" at {}", self.at) if self.at else ""
        return say("matrix of {}{}{}{}", self.matrix, columns, self.of_head(), place)


class MeasureIs(Value):
    """A scalar result of the whole run, such as the accuracy of a task."""

    measure: str
    """The scalar: accuracy, …"""

    def answer(self, arrays: Arrays) -> Labelled:
        need(arrays.measures, "measure", f"'{shortened(self.measure)}' is unknown: this kind has no measures")
        need_known(self.measure, arrays.measures, "measure")
        return arrays[self.measure]

    def judge(self, arrays: Arrays) -> Verdict:
        if reason := arrays.absent.get(self.measure):
            return Verdict(False, shown(self.is_), say("none"), reason)
        return super().judge(arrays)

    def sentence(self) -> str:
        return self.measure


class ProbeIs(Expectation):
    """The accuracy of a probe compared with chance."""

    probe: Literal["masked", "unmasked", "line", "rest"]
    """The probe: of the model with its mask, of the one without, of one number of the masked model (the component along
    the line of the positions' mean vectors), or of what is left without that number."""
    layer: Annotated[int, Field(ge=0)] | None = None
    """The layer; 0 are the words before the first one. By default the last."""
    is_: Annotated[Literal["above chance", "at chance"], Field(alias="is")]
    """Whether the accuracy is above chance, or no farther from it than `errors` standard errors."""
    errors: PositiveNumber = 4.0
    """The number of standard errors: of the accuracy at chance, for as many texts as the probe was tested on."""

    def judge(self, arrays: Arrays) -> Verdict:
        name = f"{self.probe} accuracy"
        need(name in arrays.asked, "probe", f"there is no array '{name}' here (arrays: {listed(arrays.asked)})")
        curve = arrays[name].values
        need((self.layer or 0) < len(curve), "layer", f"got {self.layer}; the last layer is {len(curve) - 1}")
        accuracy = float(curve[-1 if self.layer is None else self.layer])
        chance, room = float(arrays["chance"].values), self.errors * float(arrays["standard error"].values)
        if self.is_ == "above chance":
            return Verdict(accuracy > chance + room, f"> {shown(chance + room)}", shown(accuracy))
        return Verdict(equal(accuracy, chance, room), f"{shown(chance)} ± {shown(room)}", shown(accuracy))

    def sentence(self) -> str:
        place = "" if self.layer is None else say(" of the words")
        if self.layer:
            place = say(" after layer {}", str(self.layer))
        return say("{} probe{} is {}", self.probe, place, say(self.is_))


class Located(Expectation):
    """An expectation of the vector at one token."""

    at: str
    """The token; `their#2` is the second `their`."""
    of: Literal["state", "output", "attended", "fed", "input", "context"] = "state"
    """The vector: the word after the layer, the output of the heads, the word after attention, residual and norm, the
    output of the feed-forward layer, the input, or what a recurrent decoder recalls."""
    layer: Count | None = None
    """The layer; by default the last."""
    part: Annotated[str | None, Field(alias="in")] = None
    """The part of the vector; by default the word."""

    @property
    def words(self) -> tuple[str, ...]:
        return (self.at,)

    def vector(self, arrays: Arrays, of: str = "") -> Labelled:
        """The vector that the expectation refers to, `(dim of the part,)`; of: another array than its own."""
        place, layer = ("layer",) if self.layer else ("at",), None if of else self.layer
        array = arrays[arrays.name(of or self.of, place, layer, last=True)]
        row = arrays.row(self.at, ("at",), array.labels[0])
        width, ends = array.values.shape[1], [part.stop for part in arrays.parts.values()]
        size = width if None in ends else max(ends, default=width)
        if self.part is not None:
            need_known(self.part, arrays.parts, "in")
            need(width == size, "in", f"the vector has {width} numbers and no parts; that of a word has {size}")
        whole = len(arrays.parts) == 1 or width != size
        part = slice(None) if whole else arrays.parts[self.part or WORD]
        return Labelled(array.values[row][part], array.dims[-1:], (array.labels[-1][part],))

    def likeness(self, arrays: Arrays, word: str, key: str, of: str = "") -> float:
        """The cosine of the vector with a word of as many elements; key: what names the word. of: as for `vector`."""
        vector, known = self.vector(arrays, of).values, arrays.word(word, (key,))
        message = f"'{shortened(word)}' has {len(known)} elements, the vector has {len(vector)}"
        need(len(known) == len(vector), key, message)
        return float(cosine(vector, known))

    def place(self) -> str:
        """The token, layer, array and part, in words."""
        of = "" if self.of == "state" else f" ({self.of})"
        layer = say(" after layer {}", str(self.layer)) if self.layer else ""
        return f"{self.at}{layer}{of}" + (say(" in '{}'", self.part) if self.part else "")


class CosineTo(Located, Value):
    """The cosine of a token's vector with a word's."""

    cosine_to: str
    """The word to compare with."""

    def answer(self, arrays: Arrays) -> Labelled:
        return Labelled(np.array(self.likeness(arrays, self.cosine_to, "cosine_to")))

    def sentence(self) -> str:
        return say("cosine of {} to {}", self.place(), self.cosine_to)


class CloserTo(Located):
    """A token's vector is closer (by cosine) to one word than to others, or than the bare word was."""

    closer_to: str
    """The word that it is closer to."""
    than: TextOrTexts | None = None
    """The word or words that it is less close to."""
    than_before: Literal[True] | None = None
    """Closer than the token's own input was."""

    def judge(self, arrays: Arrays) -> Verdict:
        near = self.likeness(arrays, self.closer_to, "closer_to")
        rivals = {one: self.likeness(arrays, one, "than") for one in texts_of(self.than)}
        need(rivals or self.than_before, (), 'needs `than = "word"` or `than_before = true`')
        if self.than_before:
            need(arrays.find("input"), "than_before", "there is no array 'input' here")
            rivals[say("before")] = self.likeness(arrays, self.closer_to, "closer_to", of="input")
        expected = in_row(f"{shown(value, FEW_DIGITS)} ({word})" for word, value in rivals.items())
        margin = near - max(rivals.values())
        return Verdict(margin > EXACT, f"> {expected}", shown(near, FEW_DIGITS), margin=margin)

    def sentence(self) -> str:
        rivals = [*texts_of(self.than), *([say("before")] if self.than_before else [])]
        return say("{} is closer to {} than {}", self.place(), self.closer_to, say(" and ").join(rivals))


class Nearest(Located):
    """The word nearest (by cosine) to a token's vector; a tie of several words is a miss."""

    nearest: str
    """The nearest word."""

    def judge(self, arrays: Arrays) -> Verdict:
        near, vector = self.likeness(arrays, self.nearest, "nearest"), self.vector(arrays).values
        words = nearest_words(vector, arrays.words)
        others = [known for word, known in arrays.words.items() if word != self.nearest]
        margin = near - (float(cosine(np.stack(others), vector).max()) if others else -1.0)
        computed = say(" and ").join(words[:4]) or say("nothing")
        return Verdict(words == [self.nearest], self.nearest, computed, margin=margin)

    def is_exact(self, arrays: Arrays) -> bool:
        """Whether the token's vector is the word itself."""
        return bool(np.allclose(self.vector(arrays).values, arrays.words[self.nearest], atol=EXACT))

    def sentence(self) -> str:
        return say("nearest word to {}", self.place())


class VectorIs(Located, Numeric):
    """The numbers of a token's vector."""

    is_: Annotated[Vector, Field(alias="is")]
    """The right numbers."""
    stated: Vector | None = None
    """The numbers that the source prints."""

    def answer(self, arrays: Arrays) -> Labelled:
        return self.vector(arrays)

    def why_unfit(self, shape: tuple[int, ...], columns: Sequence[str], parts: Mapping[str, slice]) -> str:
        fit = f"do not fit the {shape[0]} elements of the vector{comma_hint(self.is_, shape[0])}"
        sizes = {name: (part.stop or 0) - (part.start or 0) for name, part in parts.items()}
        other = next((name for name, size in sizes.items() if size == len(self.is_)), "")
        return f"{len(self.is_)} numbers {fit}" + (f'; `in = "{other}"` is the part with so many' if other else "")

    def sentence(self) -> str:
        return say("vector of {}", self.place())


def nearest_words(vector: np.ndarray, words: Mapping[str, np.ndarray]) -> list[str]:
    """The words with the largest cosine with the vector: several in a tie up to rounding, none for a zero vector."""
    return _largest(cosine(np.stack(list(words.values())), vector), words) if np.any(vector) else []


def largest_axes(vector: np.ndarray, axes: Iterable[str]) -> list[str]:
    """The axes with the largest number: several in a tie up to rounding, none for a zero vector."""
    return _largest(vector, axes) if np.any(vector) else []


def _largest(values: np.ndarray, names: Iterable[str]) -> list[str]:
    return [name for name, value in zip(names, values, strict=True) if value >= values.max() - EXACT]
