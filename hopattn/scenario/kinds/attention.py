"""The kinds in which a text goes through layers of attention: `attention`, `messages` and `cache`.

`messages`: a word is a node. An edge from word j to word i says that i may attend to j; a mask is the edges that are
missing. Along each edge goes the message p_ij v_j, and a word receives the sum of its messages.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from hopattn.foundation.registry import name_of
from hopattn.foundation.sentences import say
from hopattn.foundation.vectors import linear
from hopattn.foundation.writing import counted, number, shown
from hopattn.results.labelled import Labelled
from hopattn.retrieval.interventions import Worth
from hopattn.retrieval.masks import MaskRule, PositionRule
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.scenario.arithmetic import dot, equals, in_parts, vector, weighing, written
from hopattn.scenario.arrays import Arrays, Name, labels, numbers
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.kinds.explained_layers import explain_layers, explained_rows, of_head
from hopattn.scenario.kinds.layers import HeadTable, LayerTable, MatricesTable, beta_of
from hopattn.scenario.kinds.without import (
    CLOSED,
    MEASURED,
    WORTH,
    WithoutToken,
    add_worth,
    explain_worth,
)
from hopattn.scenario.language.table import (
    Parts,
    PositiveNumber,
    Table,
    Text,
    Told,
    need,
    need_different,
    need_room,
    unnamed,
)
from hopattn.scenario.words.vocabulary import WORD, Encoding, Input, Positions, Space, Vocabulary, encoding, spaces_size
from hopattn.transformer.blocks import Block, BlockTrace, stack
from hopattn.transformer.cache import KeyValueCache, multiplications, products
from hopattn.transformer.heads import Head
from hopattn.transformer.interventions import worth
from hopattn.transformer.message_passing import layer_by_messages

NUMBERS_OF_AN_EDGE = 60  # the memory that an edge of a graph takes, in numbers of 8 bytes
Axis = tuple[str, ...]
EXPLAINED = 40  # the largest number of edges of a head that are explained
WAYS = {
    "word_cached": "for the last word, with the cache",
    "word_anew": "for the last word, without: the same as for the whole text at once",
    "text_cached": "for all words one after the other, with the cache",
    "text_anew": "for all words one after the other, without",
}
"""The counts of multiplications by their names, each with its meaning as `explain` writes it."""


def layers_size(layers: Sequence[LayerTable], dim: int, shape: tuple[int, int], texts: int = 1) -> int:
    """An estimate of the numbers that layers hold for texts of one shape, (n queries, m keys)."""
    (n, m), heads = shape, sum(layer.n_heads for layer in layers)
    hidden = sum(len(layer.feed_forward.inner) for layer in layers if layer.feed_forward is not None)
    fed = hidden * (texts * n + 2 * dim) + 5 * texts * n * dim * len(layers)
    return heads * (texts * (3 * n * m + 4 * max(n, m) * dim) + 4 * dim**2) + fed


def add_layer(
    arrays: Arrays,
    trace: BlockTrace,
    coding: Encoding,
    rows: Axis,
    columns: Axis,
    *,
    after: Encoding | None = None,
    drawn: bool = False,
    **place: Any,
) -> None:
    """Add the arrays of a layer and its heads, for the first text of a batch.

    rows, columns: the labels of the queries and of the keys. after: the encoding of the state, if it is another one.
    drawn: as for `Arrays.add`. place: layer, and text.
    """
    shape, pairs = (len(rows), len(columns)), {"query": rows, "key": columns}
    for j, head in enumerate(trace.heads, start=1):
        mask = np.broadcast_to(_first(True if head.mask is None else head.mask), shape)
        for name, array in {**vars(head), "mask": mask}.items():
            if array is None:
                continue
            values, axes = _first(array, 1 if name == "rest" else 2), {"query": rows}
            if name in ("scores", "mask", "weights", "bias"):
                values, axes = np.broadcast_to(values, shape), pairs
            elif name != "rest":
                elements = coding.axes if values.shape[1] == coding.dim else numbers(values.shape[1])
                axes = {"token": columns if name in ("keys", "values") else rows, "axis": elements}
            hidden = ~mask if name == "weights" and not mask.all() else None
            arrays.add(name, values, axes, hidden=hidden, drawn=drawn, head=j, **place)
    attended = trace.states[0]
    inside = {"output": trace.output, "normed": trace.read[0], "summed": trace.summed[0]}
    if trace.hidden is not None:
        inside |= {"attended": attended, "renormed": trace.read[1], "hidden": trace.hidden, "fed": trace.outputs[1]}
    same = {"normed": trace.input, "summed": attended, "renormed": attended}  # where there is no norm
    for name, array in {**inside, "state": trace.state}.items():
        if array is not same.get(name):
            values = _first(array)
            elements = (coding if name == "normed" else after or coding).axes
            axis = {"hidden": numbers(values.shape[1])} if name == "hidden" else {"axis": elements}
            arrays.add(name, values, {"token": rows, **axis}, drawn=drawn, **place)


def _first(array: Any, axes: int = 2) -> np.ndarray:
    """A quantity of a head or layer, with so many axes for one text, for the first text of a batch."""
    values = np.asarray(array)
    return values[0] if values.ndim > axes else values


class WordsKind(Kind):
    """The base of the kinds whose words are vectors."""

    vocabulary: Annotated[Vocabulary | None, Told()] = None
    """The words as vectors."""
    spaces: Annotated[dict[Text, Space], Told()] = Field(default_factory=dict)
    """The named parts of a vector."""

    @property
    def dim(self) -> int:
        """The number of elements of a vector, known before any vector is made."""
        return spaces_size(self.spaces, self.vocabulary)

    @cached_property
    def encoding(self) -> Encoding:
        """The encoding of tokens as vectors."""
        return encoding(self.spaces, self.vocabulary, getattr(self, "positions", None))

    def prepared(self, arrays: Arrays) -> Encoding:
        """The encoding, whose words and parts expectations may name."""
        arrays.words, arrays.parts = self.encoding.words, self.encoding.parts
        return self.encoding


class TextKind(MatricesTable, WordsKind):
    """The base of the kinds in which one text goes through layers of attention."""

    positions: Annotated[Positions | None, Told()] = None
    """The position of each word in the text, as a vector."""
    layer: Annotated[list[LayerTable], Field(min_length=1), Told()]
    """The layers of attention, in their order."""
    input: Annotated[Input, Told()]
    """The text that goes in."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The labels of the rows: of the queries, or of the tokens where these look at themselves."""
        return labels(self.input.queries or self.input.tokens)

    @property
    def columns(self) -> tuple[str, ...]:
        """The labels of the tokens."""
        return labels(self.input.tokens)

    @property
    def crossed(self) -> bool:
        """Whether other words than the tokens look at these (cross-attention)."""
        return self.input.queries is not None

    def layers(self) -> list[Block]:
        """The layers of attention."""
        made, coding, shape = list[Block](), self.encoding, (len(self.rows), len(self.columns))
        with Parts() as parts:
            for i, table in enumerate(self.layer):
                with parts.at("layer", i):
                    made.append(table.build(coding, self.crossed, shape))
                    coding = table.after(coding, made[-1])
        return made

    def encodings(self, layers: Sequence[Block]) -> list[Encoding]:
        """The encoding of the words, and that of the state after each layer."""
        codings = [self.encoding]
        for table, layer in zip(self.layer, layers, strict=True):
            codings.append(table.after(codings[-1], layer))
        return codings

    def texts(self) -> tuple[np.ndarray, np.ndarray | None]:
        """The texts of the queries, and the text of keys and values where it is another one, as `Input.encoded`."""
        return self.input.encoded(self.encoding)

    def heads(self) -> Mapping[str, Head]:
        of_layers = enumerate((layer.attention.heads for layer in self.layers()), start=1)
        return {f"layer {i} head {j}": head for i, heads in of_layers for j, head in enumerate(heads, start=1)}

    def visible(self, arrays: Arrays) -> np.ndarray | None:
        """A mask for all heads besides their own: the keys that are not padding, `(n_texts, 1, n_keys)`, or None."""
        padding = self.input.padding
        words = [[[token != padding for token in text]] for text in self.input.texts()]
        return None if padding is None else np.array(words)

    def need_room(self, times: int = 1) -> None:
        """Refuse a text whose layers take too much memory. times: how often they are computed."""
        shape, texts = (len(self.rows), len(self.columns)), 1 + len(self.input.batch or [])
        need_room(times * layers_size(self.layer, self.dim, shape, texts), *self.input.large(self.dim))

    def need_fit(self, parts: Parts, arrays: Arrays) -> None:
        """Refuse what else does not fit the encoding, part by part."""

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        self.need_room()
        coding = self.prepared(arrays)
        with Parts() as parts:
            with parts.at():
                batch, source = self.texts()
            with parts.at():
                layers = self.layers()
            self.need_fit(parts, arrays)
        if coding.words:
            arrays.add("input", batch[0], {"token": self.rows, "axis": coding.axes})
            if source is not None:
                arrays.add("source", source, {"token": self.columns, "axis": coding.axes}, drawn=True)
        traces = stack(layers, batch, self.visible(arrays), source=source)
        codings = self.encodings(layers)
        for i, (table, trace) in enumerate(zip(self.layer, traces, strict=True), start=1):
            add_layer(arrays, table.seen(trace), codings[i - 1], self.rows, self.columns, after=codings[i], layer=i)
            for j, head in enumerate(layers[i - 1].attention.heads, start=1):
                separation, scores = head.retrieval.separation, arrays[str(Name("scores", layer=i, head=j))]
                if name_of(separation) == "softmax" and separation.beta != 1:
                    name = str(Name("scaled scores", layer=i, head=j))
                    arrays.add_on_demand(name, partial(_scaled, scores, separation.beta))


def _scaled(scores: Labelled, beta: float) -> Labelled:
    """Beta times the scores, as QKᵀ/√d."""
    return replace(scores, values=beta * scores.values)


class ReadoutTable(Table):
    """The read-out: the last state of each token is compared with every word, and a softmax makes probabilities."""

    part: Annotated[str, Field(alias="in")] = WORD
    """The part of the vector that is read."""
    beta: PositiveNumber = 1.0
    """The inverse temperature, which multiplies the dot products of state and words."""
    base: Annotated[float, Field(gt=1, allow_inf_nan=False)] | None = None
    """The base of the powers in the softmax, instead of e: beta = ln base."""

    def build(self, coding: Encoding) -> tuple[slice, Mapping[str, np.ndarray], Separation]:
        """The part that is read, the words, and the softmax that makes probabilities of dot products.

        The words are the vectors that go in: tied weights (Press & Wolf 2017, EACL).
        """
        part = coding.word_part(self.part, "in")
        need(coding.words, (), "needs words that are written out, in [vocabulary] or [spaces]")
        return part, coding.words, separations.make("softmax", beta=beta_of(self))


PRINTED = ("values", "keys", "queries")
"""The keys of a head whose rows are printed."""


def _printed(node: Any) -> Iterator[dict[str, Any]]:
    """The tables that hold printed rows, also where a heading above them is mistyped or missing."""
    if isinstance(node, dict) and any(isinstance(node.get(name), list) for name in PRINTED) and "tokens" not in node:
        yield node
    elif isinstance(node, dict | list):
        for inner in node.values() if isinstance(node, dict) else node:
            yield from _printed(inner)


def _without_required_input(schema: dict[str, Any]) -> None:
    """A file of printed queries, keys and values needs no [input]."""
    schema["required"].remove("input")


class Attention(TextKind):
    """A text and the layers of attention that it goes through."""

    model_config = ConfigDict(json_schema_extra=_without_required_input)

    shown_arrays: ClassVar[tuple[str, ...]] = ("weights", WORTH, CLOSED, MEASURED, "state", "probabilities")
    kind: Literal["attention"]
    """Which kind of scenario it is."""
    readout: ReadoutTable | None = None
    """The read-out of the last state: a probability of each word."""
    without: list[WithoutToken] = Field(default_factory=list)
    """Tokens that are taken away, each for a run of its own."""

    @model_validator(mode="before")
    @classmethod
    def _numbered(cls, document: Any) -> Any:
        """Call the rows of printed queries, keys and values 1, 2, … where the file has no [input]."""
        if not isinstance(document, dict) or "input" in document or not (head := next(_printed(document), None)):
            return document
        keys = next(head[name] for name in PRINTED if isinstance(head.get(name), list))
        table = next((head[name] for name in ("queries", "scores", "weights") if head.get(name)), keys)
        other = isinstance(table, list) and len(table) != len(keys)
        rows = {"queries": [*numbers(len(table))]} if other else {}
        return document | {"input": {"tokens": [*numbers(len(keys))]} | rows}

    @cached_property
    def _sheet(self) -> tuple[Encoding, np.ndarray, np.ndarray] | None:
        """The encoding and the vectors of printed queries, keys and values; None for a text of words."""
        if not self.layer[0].wordless:
            return None
        with Parts() as parts:
            for key in ("vocabulary", "spaces", "positions"):
                unused = "is not used where queries, keys and values are given; leave one of them out"
                with parts.at(key):
                    need(not getattr(self, key), (), unused)
            with parts.at("input"):
                self.input.need_plain("padding", "batch")
            with parts.at("layer"):
                more = "would read the outputs of a sheet without words; leave it out"
                need(len(self.layer) == 1, (1,), more)
            with parts.at("layer", 0):
                coding, queries, keys = self.layer[0].sheet()
            parts.end()
            n, m = len(queries), len(keys)
            with parts.at("input"):
                names = f"{counted(len(self.columns), 'name')} for {counted(m, 'key')}"
                need(len(self.columns) == m, "tokens", names)
                names = f"{counted(len(self.rows), 'name')} for {n} queries"
                need(len(self.rows) == n, "queries" if self.crossed else (), names)
                for key in ("tokens", "queries"):
                    need_different(labels(getattr(self.input, key) or []), (key,))
        return coding, queries, keys

    @cached_property
    def encoding(self) -> Encoding:
        return super().encoding if self._sheet is None else self._sheet[0]

    @property
    def dim(self) -> int:
        return super().dim if self._sheet is None else self.encoding.dim

    def prepared(self, arrays: Arrays) -> Encoding:
        coding = super().prepared(arrays)
        arrays.parts = arrays.parts if self._sheet is None else {WORD: slice(None)}
        return coding

    def texts(self) -> tuple[np.ndarray, np.ndarray | None]:
        if self._sheet is None:
            return super().texts()
        _, queries, keys = self._sheet
        return (queries[None], keys) if self.crossed else ((queries + keys)[None], None)

    def layers(self) -> list[Block]:
        return super().layers() if self._taken is None else self._taken.applied(super().layers(), *self._places)

    @property
    def _places(self) -> tuple[tuple[int, ...], int | None]:
        return self._taken.places(self.input.tokens, self.rows, self.encoding.words)  # type: ignore[no-any-return]

    def need_fit(self, parts: Parts, arrays: Arrays) -> None:
        with parts.at("readout"):
            if self.readout is not None:
                self.readout.build(self.encoding)
                narrow = "compares the state with words, which have another number of elements"
                need(parts.problems or self.encodings(self.layers())[-1].dim == self.dim, (), narrow)

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        super().compute(arrays, rng)
        for place, _, _, effect in self._worths(arrays):
            axes = {"token": self.rows, "axis": arrays[f"{place} output"].labels[1]}
            add_worth(arrays, place, effect, axes, self._places[1])
        if self.readout is not None:
            part, words, separation = self.readout.build(self.encoding)
            need_room(3 * len(self.rows) * len(words), *self.input.large(self.dim))
            logits = linear(arrays[self._last].values[:, part], np.stack([*words.values()]))
            for name, values in {"logits": logits, "probabilities": separation.weights(logits)}.items():
                arrays.add(name, values, {"token": self.rows, "word": (*words,)})

    def _worths(self, arrays: Arrays) -> Iterator[tuple[str, Head, HeadTable, Worth]]:
        """Each head from which tokens are taken away, with its place and table, and the worth of these tokens.

        The head, which has the tokens, reads the words of this run.
        """
        visible = self.visible(arrays)
        options: dict[str, Any] = {"mask": None if visible is None else visible[0]}
        batch, options["source"] = self.texts()
        for i, layer in enumerate(super().layers() if self._taken is not None else [], start=1):
            text = arrays.get(f"layer {i} normed") or arrays.get(f"layer {i - 1} state")
            pairs = zip(self.layer[i - 1].heads, layer.attention.heads, strict=True)
            for j, (table, head) in enumerate(pairs, start=1):
                if self._taken.is_at(i, j):
                    yield (
                        f"layer {i} head {j}",
                        head,
                        table,
                        worth(head, batch[0] if text is None else text.values, self._places[0], **options),
                    )

    @property
    def _last(self) -> str:
        return f"layer {len(self.layer)} state"

    def explain(self, arrays: Arrays) -> Iterator[str]:
        coding = self.encoding
        yield from explain_layers(self.layer, coding, arrays, crossed=self.crossed)
        for place, head, table, effect in self._worths(arrays):
            (taken, row), value, values = self._places, table.projection("value"), arrays[f"{place} values"].values
            plain = value.matrix is None and value.scale == 1 and not table.wordless
            names = [self.columns[j] if plain else say("value({})", self.columns[j]) for j in taken]
            shown = partial(in_parts, parts=coding.parts if values.shape[1] == coding.dim else {"": slice(None)})
            less = self._taken.name or say("without {}", say(" and ").join(self._taken.taken))
            yield say("{}, {}, from the same words:", of_head(place), less)
            for i, label in explained_rows(self.rows) if row is None else [(row, self.rows[row])]:
                yield f"  {label}:"
                lines = explain_worth(effect, i, head.retrieval, names, values[[*taken]], shown)
                yield from (f"    {line}" for line in lines)
        if self.readout is not None:
            part, words, separation = self.readout.build(coding)
            yield say("the read-out of {}:", self.rows[-1])
            last = arrays[self._last].values[-1, part]
            yield from (f"  {word}: {dot(last, vector_)}" for word, vector_ in words.items())
            lines = weighing(separation, arrays["logits"].values[-1].tolist(), [*words])
            yield from (f"  {line}" for line in lines)


def _two_words(value: Any) -> Any:
    """An edge with another number of words than two is refused with one message."""
    if isinstance(value, list) and len(value) != 2:
        message = "{words}; expected two words, [who attends, to whom]"
        raise PydanticCustomError("edge", message, {"words": counted(len(value), "word")})
    return value


Edge = Annotated[list[Text], Field(min_length=2, max_length=2), BeforeValidator(_two_words)]


class GraphTable(Table):
    """The graph of the words, written out."""

    edges: Annotated[list[Edge], Field(min_length=1), Told()]
    """The edges, ["banks", "financial"] for banks that attends to financial: the message goes from financial to banks.
    The mask of each head is then "none"."""

    def mask(self, arrays: Arrays, rows: tuple[str, ...], columns: tuple[str, ...]) -> np.ndarray:
        """True where there is an edge, `(n_queries, n_keys)`."""
        allowed = np.zeros((len(rows), len(columns)), dtype=bool)
        with Parts() as parts:
            for i, (reader, read) in enumerate(self.edges):
                with parts.at("edges", i):
                    allowed[arrays.row(reader, (), rows), arrays.row(read, (), columns)] = True
            with parts.at("edges"):
                need_different([f"{reader} → {read}" for reader, read in self.edges])
        return allowed


class Messages(TextKind):
    """A text whose words pass messages to each other on a graph."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("weights", "messages", "state", "edges", "difference")
    kind: Literal["messages"]
    graph: Annotated[GraphTable | None, Told()] = None
    """The edges between the words; by default those that the masks of the heads allow."""

    def need_fit(self, parts: Parts, arrays: Arrays) -> None:
        with parts.at("input"):
            self.input.need_plain("batch")
        with parts.at("graph"):
            self.visible(arrays)
        for i, layer in enumerate(self.layer):
            for j, head in enumerate(layer.head):
                with parts.at("layer", i, "head", j):
                    for key in ("scores", "weights", "bias"):
                        lack = "goes by places, which a graph has not; give query and key"
                        need(getattr(head, key) is None, key, lack)
                    open_ = self.graph is None or head.mask == "none" or (self.crossed and head.mask is None)
                    need(open_, "mask", 'the edges say who attends to whom; write mask = "none"')

    def visible(self, arrays: Arrays) -> np.ndarray | None:
        words = super().visible(arrays)
        if self.graph is None:
            return words
        edges = self.graph.mask(arrays, self.rows, self.columns)[None]
        return edges if words is None else words & edges

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        super().compute(arrays, rng)
        layers, edges, apart = self.layers(), 0, [0.0]
        pairs = len(self.rows) * len(self.columns) * sum(layer.n_heads for layer in self.layer)
        need_room(NUMBERS_OF_AN_EDGE * pairs, *self.input.large(self.encoding.dim))
        visible, (batch, source) = self.visible(arrays), self.texts()
        words = batch[0]
        for i, layer in enumerate(layers, start=1):  # each is fed with what the messages of the layer before gave
            passed = layer_by_messages(layer, words, None if visible is None else visible[0], source=source)
            words = passed.state
            apart.append(np.max(np.abs(words - arrays[f"layer {i} state"].values)))
            for j, (graph, messages) in enumerate(zip(passed.graphs, passed.messages, strict=True), start=1):
                edges += graph.number_of_edges()
                output = arrays[f"layer {i} head {j} output"]
                arrays.add("messages", replace(output, values=messages), layer=i, head=j)
                apart.append(np.max(np.abs(messages - output.values)))
        arrays.add("edges", edges)
        arrays.add("difference", np.max(apart))

    def explain(self, arrays: Arrays) -> Iterator[str]:
        yield from explain_layers(self.layer, self.encoding, arrays, crossed=self.crossed)
        for place in self.heads():
            yield say("{}, as messages:", of_head(place))
            weights, mask, values = (arrays[f"{place} {name}"] for name in ("weights", "mask", "values"))
            edges, (rows, columns) = np.argwhere(mask.values), weights.labels
            for i, j in edges[:EXPLAINED]:
                weight, value = weights.values[i, j], values.values[j]
                sign = equals(weight * value, written(weight) * written(value))
                product = f"{number(weight)}×{vector(value)} {sign} {vector(weight * value)}"
                yield f"  {columns[j]} → {rows[i]}: {product}"
            if len(edges) > EXPLAINED:
                yield "  " + say("… {} edges in all", str(len(edges)))
        difference = number(float(arrays["difference"].values))
        number_of_edges = str(arrays["edges"].values)
        yield say("{} edges; the largest difference from the matrix form is {}", number_of_edges, difference)


class CacheTable(Table):
    """The texts for which multiplications are counted."""

    up_to: Annotated[int, Field(ge=2, le=2**30)] = 1024
    """The largest number of words for which multiplications are counted: texts of 1, 2, 4, 8, … words."""

    @property
    def lengths(self) -> list[int]:
        """The powers of two up to `up_to`."""
        return [2**k for k in range(self.up_to.bit_length())]


class Cache(TextKind):
    """A text that grows word by word, and the work that kept keys and values save."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("difference", "multiplications")
    kind: Literal["cache"]
    cache: CacheTable = Field(default_factory=CacheTable)
    """The texts for which multiplications are counted."""

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        self.need_room(times=2)
        coding = self.prepared(arrays)
        with Parts() as parts:
            with parts.at("input"):
                self.input.need_plain()
            with parts.at():
                text = coding.encode(self.input.tokens, "input", "tokens")
            with parts.at():
                layers = self.layers()
        with Parts() as parts:
            for i, layer in enumerate(layers):
                with parts.at("layer", i), Parts() as heads:
                    for j, head in enumerate(layer.attention.heads):
                        rule = f"'{name_of(head.mask)}'" if isinstance(head.mask, MaskRule) else "a table"
                        lack = f"{rule} does not fit a text that grows; a word may not see later ones"
                        with heads.at("head", j, "mask"):
                            cure = 'write "causal", "strict" or a window'
                            need(isinstance(head.mask, PositionRule), (), f"{lack}: {cure}")
                    heads.end()
                    with unnamed("layers: layer 1"):
                        KeyValueCache([layer])
        cache, whole, grown, after = KeyValueCache(layers), text, list[np.ndarray](), self.encodings(layers)[-1]
        for layer in layers:
            whole = np.asarray(layer(whole))
        for word in text:
            output, cache = cache.append(word[None])
            grown.append(output)
        one_by_one, counts = np.concatenate(grown), _counts(layers, self.cache.lengths)
        arrays.add("input", text, {"token": self.rows, "axis": coding.axes})
        for name, values in {"state": whole, "word by word": one_by_one}.items():
            arrays.add(name, values, {"token": self.rows, "axis": after.axes})
        arrays.add("multiplications", counts, {"words": tuple(map(str, self.cache.lengths)), "way": tuple(WAYS)})
        arrays.add("difference", np.abs(one_by_one - whole).max() / max(1.0, np.abs(whole).max()))
        for end, each in (("", _counts(layers, [len(text)])[0]), ("_growth", np.log2(counts[-1] / counts[-2]))):
            for way, value in zip(WAYS, each, strict=True):
                arrays.add(f"{way}{end}", value)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        n = len(self.input.tokens)
        for i, layer in enumerate(self.layers(), start=1):
            maps, pair = products(layer.attention)
            own = [*(one for group in layer.attention.groups for one in group.maps), layer.attention.out]
            matrices = " + ".join("×".join(map(str, one.dims)) for one in own)
            heads = counted(len(layer.attention.heads), "head")
            take = say("the query, key, value and output of a word take {} = {} multiplications", matrices, str(maps))
            yield say("layer {}: {}", str(i), take)
            yield "  " + say("a pair of words takes {}: a score and a weighted value in {}", str(pair), heads)
            yield "  " + say("word {} with the cache: {}", str(n), f"{maps} + {n}×{pair} = {maps + n * pair}")
            yield "  " + say("word {} without: {}", str(n), f"{n}×({maps} + {n}×{pair}) = {n * (maps + n * pair)}")
        for way, meaning in WAYS.items():
            yield say("{} = {}: multiplications {}", way, str(int(arrays[way].values)), say(meaning))
        longest = self.cache.lengths[-1]
        for way in WAYS:
            exponent = float(arrays[f"{way}_growth"].values)
            times = f"{number(2**exponent)} = 2^{number(exponent)}"
            yield say("{}: from {} words to {}, times {}", way, str(longest // 2), str(longest), times)
        difference = shown(arrays["difference"].values, 2, rounding=0)
        yield say("the largest difference of the two ways: {} of the largest number", difference)


def _counts(layers: Sequence[Block], lengths: Sequence[int]) -> np.ndarray:
    """The multiplications of all layers for texts of some lengths, one column for each of `WAYS`.

    They are whole numbers, or floats where 64 bits may not hold them.
    """
    each = [[multiplications(layer.attention, n) for layer in layers] for n in lengths]
    counts = [[sum(count[way] for count in of_layers) for way in WAYS] for of_layers in each]
    return np.array(counts, dtype=np.int64 if max(map(max, counts)) < 2**53 else np.float64)
