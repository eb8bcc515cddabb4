"""The kinds in which one text is written: `translation`, `recurrent` and `fast_weights`.

`fast_weights`: a text is written word by word into one matrix, W_t = W_{t−1} + v_t φ(k_t)ᵀ, and read as W φ(q). The
matrix does not grow with the text. Its rows are the elements of a value, its columns the features of a key.
"""

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.registry import name_of
from hopattn.foundation.sentences import say
from hopattn.foundation.vectors import linear
from hopattn.foundation.writing import WRITTEN_AS_0, counted, listed, number
from hopattn.retrieval.activation import activations
from hopattn.retrieval.features import RandomFeatures, feature_maps
from hopattn.retrieval.masks import PositionRule
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import Additive, Bilinear, FeatureMap, Similarity, similarities
from hopattn.scenario.arithmetic import added, dot, equals, total, vector, weighing, weighted_sum, written
from hopattn.scenario.arrays import Arrays, labels, numbers, of_text
from hopattn.scenario.expectations.numbers import nearest_words
from hopattn.scenario.kinds.attention import WordsKind, add_layer, layers_size
from hopattn.scenario.kinds.explained_layers import explain_layers
from hopattn.scenario.kinds.layers import (
    ROLES,
    HeadTable,
    LayerTable,
    MatricesTable,
    ProjectionOrMatrix,
    ProjectionsTable,
    SeparationChoice,
)
from hopattn.scenario.language.table import (
    ByTomlType,
    EntryIn,
    Matrix,
    NameIn,
    Number,
    Parts,
    PositiveNumber,
    Table,
    Text,
    Vector,
    at,
    fitting,
    need,
    need_different,
    need_known,
    need_room,
    registry_entry,
)
from hopattn.scenario.words.vocabulary import WORD, Encoding, Input, Positions
from hopattn.transformer.blocks import Block, BlockTrace, stack
from hopattn.transformer.delta_state import DeltaState
from hopattn.transformer.encoder_decoder import greedy
from hopattn.transformer.heads import Head
from hopattn.transformer.linear_state import LinearState
from hopattn.transformer.recurrent import Recurrent, RecurrentDecoder

MOST_RANDOM = 2**16
"""The largest number of random features: the memory after each word is kept, written out and compared."""


class DecoderLayerTable(LayerTable):
    """Heads over the words written so far, then heads over the source."""

    head: list[HeadTable] = Field(default_factory=list)
    """The heads over the words written so far; without any, the layer reads the source alone. No word sees a later
    one: their mask is "causal", "strict" or a window."""
    cross: LayerTable
    """The layer over the source: its queries are the words written so far, its keys and values the source."""


def growing(table: LayerTable, coding: Encoding, crossed: bool, shape: tuple[int, int]) -> Block:
    """A part of a decoder's layer, for a text that grows word by word; arguments as for `LayerTable.build`."""
    encoder = "holds an encoder's layer; write out the heads of a decoder"
    need(crossed or table.from_torch is None, "from_torch", encoder)
    with Parts() as parts:
        for i, head in enumerate(table.head):
            with parts.at("head", i):
                for key in ("scores", "weights", "mask", "bias"):
                    fixed = "has a fixed number of rows, but the text of a decoder grows word by word"
                    need(not isinstance(getattr(head, key), list), key, fixed)
    block = table.build(coding, crossed, shape, whole=True)
    with Parts() as parts:
        for i, one in enumerate(block.attention.heads):
            later = "no word may see a later one, which is not written yet; expected 'causal', 'strict' or a window"
            with parts.at("head", i, "mask"):
                need(crossed or isinstance(one.mask, PositionRule), (), later)
    return block


class WritingTable(Table):
    """The text that the decoder writes, and how its vectors become words."""

    words: Annotated[list[Text], Field(min_length=1)]
    """The words that can be written, with the one that ends the text; of equal scores the first word is written."""
    start: Text
    """The word that the decoder reads before it has written any."""
    end: Text | None = None
    """The word that ends the text."""
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    """The largest number of words that are written."""
    read: Text = WORD
    """The part of a vector that is compared with the words."""
    similarity: Annotated[str, NameIn(similarities)] = "dot"
    """How well the vector matches a word: the score of the word."""
    beta: PositiveNumber = 1.0
    """The inverse temperature of the softmax that makes probabilities of the scores."""

    def build(self, coding: Encoding) -> Callable[[Any], np.ndarray]:
        """The function from vectors `(n, dim)` to the score of each word that can be written, `(n, n_words)`."""
        for i, word in enumerate(self.words):
            need_known(word, coding.words, "words", i)
        need_different(self.words, ("words",))
        need_known(self.start, coding.words, "start")
        need_known(self.end or self.words[0], self.words, "end")
        part, keys = coding.word_part(self.read, "read"), np.stack([coding.words[word] for word in self.words])
        similarity = similarities.make(self.similarity)
        return lambda states: np.asarray(similarity(states[:, part], keys))


class Translation(MatricesTable, WordsKind):
    """A text that an encoder reads, and the text that a decoder writes from it."""

    kind: Literal["translation"]
    positions: Positions | None = None
    """The position of each word in the text, as a vector."""
    input: Input
    """The text that goes in."""
    writing: WritingTable
    """The text that is written."""
    encoder: list[LayerTable] = Field(default_factory=list)
    """The layers over the text that is read; a head sees later words with `mask = "none"`."""
    decoder: Annotated[list[DecoderLayerTable], Field(min_length=1)]
    """The layers over the text that is written, which also read the encoder's output."""

    @property
    def decoder_parts(self) -> list[tuple[int, LayerTable, bool]]:
        """The parts of the decoder's layers in their order, each with the number of its layer.

        A part reads the words written so far, if it has heads for them, or the source (True: it is crossed).
        """
        layers = list(enumerate(self.decoder, start=1))
        parts = [(i, part, part is layer.cross) for i, layer in layers for part in (layer, layer.cross)]
        return [one for one in parts if one[2] or one[1].n_heads]

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        writing, limit, m = self.writing, self.writing.limit, len(self.input.tokens)
        every, longest = [*self.encoder, *(layer for _, layer, _ in self.decoder_parts)], max(limit, m)
        size = layers_size(every, self.dim, (longest, longest)) + limit * len(writing.words)
        need_room(size, *self.input.large(self.dim))
        coding = self.prepared(arrays)
        encoder, decoder = list[Block](), list[Block]()
        with Parts() as parts:
            with parts.at():
                source = self.input.plain(coding)
            with parts.at("writing"):
                scores = writing.build(coding)
            for i, layer in enumerate(self.encoder):
                with parts.at("encoder", i):
                    encoder.append(layer.build(coding, False, (m, m), whole=True))
            for i, layer, crossed in self.decoder_parts:
                with parts.at("decoder", i - 1, *["cross"] * crossed):
                    decoder.append(growing(layer, coding, crossed, (limit, m if crossed else limit)))
        coding.encode([writing.start] * limit)  # the positions reach as far
        encoder_traces = stack(encoder, source)
        memory = encoder_traces[-1].state if encoder else source

        def traces_of(words: Sequence[str]) -> list[BlockTrace]:
            traces, state = [], coding.encode(words)
            for block, (_, _, crossed) in zip(decoder, self.decoder_parts, strict=True):
                traces.append(block.trace(state, source=memory if crossed else None))
                state = traces[-1].state
            return traces

        def text(so_far: Sequence[int]) -> list[str]:
            return [writing.start, *(writing.words[i] for i in so_far)]

        with at("decoder"):
            end = None if writing.end is None else writing.words.index(writing.end)
            indices = greedy(lambda so_far: scores(traces_of(text(so_far))[-1].state)[-1], limit, end)
        before, words, axis = text(indices[:-1]), text(indices)[1:], {"axis": coding.axes}
        tokens, so_far, rows = map(labels, (self.input.tokens, before, words))
        traces = traces_of(before)
        arrays.add("source", source, {"token": tokens} | axis, drawn=True)
        arrays.add("text", coding.encode(before), {"token": so_far} | axis, drawn=True)
        arrays.add("written", words, {"step": numbers(len(words))})
        for i, trace in enumerate(encoder_traces, start=1):
            add_layer(arrays, trace, coding, tokens, tokens, drawn=True, text="encoder", layer=i)
        arrays.add("memory", memory, {"token": tokens} | axis)
        for (i, _, crossed), trace in zip(self.decoder_parts, traces, strict=True):
            if crossed:
                add_layer(arrays, trace, coding, rows, tokens, layer=i)
            else:
                add_layer(arrays, trace, coding, so_far, so_far, drawn=True, text="text", layer=i)
        logits = scores(traces[-1].state)
        shares = separations.make("softmax", beta=writing.beta).weights(logits)
        for name, values in {"logits": logits, "probabilities": shares}.items():
            arrays.add(name, values, {"token": rows, "word": tuple(writing.words)})

    def shown(self, arrays: Arrays) -> tuple[str, ...]:
        return ("written", *arrays.find("weights"), "probabilities")

    def explain(self, arrays: Arrays) -> Iterator[str]:
        coding, before = self.encoding, arrays["text"]
        if self.encoder:
            yield say("the encoder:")
            yield from explain_layers(self.encoder, coding, {**of_text(arrays, "encoder"), "input": arrays["source"]})
        for i, layer, crossed in self.decoder_parts:
            yield say(f"the decoder, layer {{}}, over the words {'read' if crossed else 'written so far'}:", str(i))
            own = of_text(arrays, "" if crossed else "text") | {"input": before, "source": arrays["memory"]}
            yield from explain_layers([layer], coding, own, crossed=crossed, first=i)
            before = own[f"layer {i} state"]
        logits, shares, words = arrays["logits"], arrays["probabilities"].values, self.writing.words
        for step, (word, scores) in enumerate(zip(arrays["written"].values, logits.values, strict=True)):
            best = sorted(range(len(scores)), key=lambda i: -scores[i])[:3]
            numbers_ = [(words[i], number(scores[i]), number(shares[step, i])) for i in best]
            largest = [say("{} {} (probability {})", *one) for one in numbers_]
            yield say("word {} is {}; the largest scores: {}", str(step + 1), str(word), listed(largest))


NumberOrMatrix = Annotated[Annotated[Number, Tag("number")] | Annotated[Matrix, Tag("array")], ByTomlType]
"""A matrix, or a number that stands for this multiple of the identity; 0 is a matrix of zeros of any shape."""
LEARNED: dict[str, type[Similarity]] = {"bilinear": Bilinear, "additive": Additive}
"""The similarities with matrices of their own, which are in a table."""
SCORES: Mapping[str, type[Similarity]] = ChainMap(LEARNED, similarities)  # type: ignore[arg-type]  # read only
"""All similarities between a decoder's state and a state of the network."""


def _parameters(entry: Any) -> dict[str, tuple[Any, Any]]:
    names = [field.name for field in fields(entry)] if entry in LEARNED.values() else []
    return {name: (Vector if name == "v" else Matrix, ...) for name in names}


ScoreChoice = Annotated[
    Annotated[str, NameIn(SCORES, _parameters), Tag("text")]
    | Annotated[Table, EntryIn(LEARNED, parameters=_parameters, suffix="ScoreTable"), Tag("table")],
    ByTomlType,
]


NEURON = "one for each neuron"


class CellTable(Table):
    """A recurrent network: h_t = f(W x_t + U h_{t−1} + b), the same matrices at every word."""

    w_input: NumberOrMatrix = 1.0
    """W, by which a word is multiplied, (neurons, elements of a word); a number is that multiple of the identity."""
    w_hidden: NumberOrMatrix
    """U, by which the state before is multiplied, (neurons, neurons); a number is that multiple of the identity."""
    bias: Vector | None = None
    """b, one number for each neuron; 0 by default."""
    activation: Annotated[str, NameIn(activations)] = "tanh"
    """The function f that gives the state from its field."""
    start: Vector | None = None
    """The state before the first word, one number for each neuron; 0 by default."""

    inputs: ClassVar[dict[str, str]] = {"w_input": "one for each element of a word"}
    """The matrices by which it reads, and what each of their columns is for."""

    def neurons(self, *sizes: int) -> tuple[int, str]:
        """The number of neurons, and what a row is for, with the key of the matrix whose rows give the number.

        sizes: the number of elements of what it reads: a word; for a decoder also a state of the network.
        """
        for key in (*self.inputs, "w_hidden"):
            if isinstance(matrix := getattr(self, key), list):
                return len(matrix), f"{NEURON} ({key} has {counted(len(matrix), 'row')})"
        identities = [n for key, n in zip(self.inputs, sizes, strict=True) if getattr(self, key)]
        return (identities or sizes)[-1], NEURON

    def network(self, *sizes: int) -> Recurrent:
        """The network; sizes: as for `neurons`."""
        rows = self.neurons(*sizes)
        columns = zip(self.inputs.items(), sizes, strict=True)
        matrices = [self.matrix(key, rows, (n, of_column)) for (key, of_column), n in columns]
        w_hidden = self.matrix("w_hidden", rows, (rows[0], NEURON))
        bias, _ = (fitting(getattr(self, key), key, rows) for key in ("bias", "start"))
        return Recurrent(np.concatenate(matrices, axis=1), w_hidden, bias, activation=self.activation)

    def matrix(self, key: str, rows: tuple[int, str], columns: tuple[int, str]) -> np.ndarray:
        """The matrix of a key. rows, columns: the number, and what each is for."""
        value, (n, of_row), (m, of_column) = getattr(self, key), rows, columns
        if isinstance(value, list):
            return np.asarray(fitting(value, key, columns, rows))
        matrix = f"a matrix of {counted(n, 'row')}, {of_row}, and {counted(m, 'column')}, {of_column}"
        square = f"{value:g} stands for {value:g} times the identity, which is square; expected {matrix}"
        need(not value or n == m, key, square)
        return np.asarray(value * np.eye(n, m))


class RecurrentDecoderTable(CellTable):
    """A recurrent decoder with attention: s_i = f(W y_{i−1} + C c_i + U s_{i−1} + b), where s_{i−1} recalls c_i."""

    writes: Annotated[list[str], Field(min_length=1)]
    """The words that are written, in their order."""
    first: str | None = None
    """The word before the first, such as "start"; by default a vector of zeros."""
    w_context: NumberOrMatrix
    """C, by which the context is multiplied, (the decoder's neurons, the network's neurons)."""
    similarity: ScoreChoice = "dot"
    """How well the decoder's state matches a state of the network: a name, or { name = "bilinear", matrix = … }, or
    { name = "additive", w_cue = …, w_key = …, v = … }."""
    separation: SeparationChoice = "softmax"
    """How scores become weights."""
    beta: PositiveNumber = 1.0
    """The inverse temperature, which multiplies the scores before the separation."""
    read_out: NumberOrMatrix | None = None
    """The matrix from the decoder's state to the vector of a word, (elements of a word, the decoder's neurons)."""

    inputs: ClassVar[dict[str, str]] = {**CellTable.inputs, "w_context": f"{NEURON} of the network"}

    def build(self, dim: int, stored: int) -> tuple[RecurrentDecoder, np.ndarray | None]:
        """The decoder, and the matrix of its read-out; dim, stored: the elements of a word and of a state it reads."""
        (n, of_row), cell, read_out = self.neurons(dim, stored), self.network(dim, stored), None
        if self.read_out is not None:
            read_out = self.matrix("read_out", (dim, self.inputs["w_input"]), (n, NEURON))
        with at("similarity"):
            if isinstance(self.similarity, str):
                sizes = f"the decoder's states have {counted(n, 'number')}, {of_row}, and those of the network {stored}"
                need(n == stored, (), f"compares vectors of one size, but {sizes}; use bilinear or additive")
                similarity = similarities.make(self.similarity)
            else:
                entry: Any = self.similarity
                similarity = LEARNED[entry.name](**entry.model_dump(exclude={"name"}))
            similarity(np.zeros((1, n)), np.zeros((1, stored)))
        with at("separation"):
            separation = registry_entry(separations, self.separation, beta=self.beta)
        return RecurrentDecoder(cell, similarity=similarity, separation=separation), read_out


class RecurrentScenario(WordsKind):
    """A text that a recurrent network reads, and a decoder with attention that writes about it."""

    name: ClassVar[str] = "recurrent"
    shown_arrays: ClassVar[tuple[str, ...]] = ("states", "weights", "state", "reads")
    kind: Literal["recurrent"]
    input: Input
    """The text that goes in."""
    cell: CellTable
    """The recurrent network that reads."""
    decoder: RecurrentDecoderTable | None = None
    """The decoder with attention that writes; without it, the network only reads."""

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        dim, table, m = self.dim, self.decoder, len(self.input.tokens)
        neurons, _ = self.cell.neurons(dim)
        size = neurons * (dim + neurons) + m * (dim + 2 * neurons)
        if table is not None:
            n = table.neurons(dim, neurons)[0]
            size += n * (2 * dim + neurons + n) + len(table.writes) * (4 * m + 2 * dim + 2 * n + neurons)
        need_room(size, *self.input.large(dim))
        coding = self.prepared(arrays)
        with Parts() as parts:
            with parts.at("spaces"):
                for part in self.spaces:
                    need(part == WORD, part, f"is not read: a recurrent network has the part '{WORD}' alone")
            with parts.at():
                words = self.input.plain(coding)
            with parts.at("cell", table=self.cell):
                cell = self.cell.network(dim)
            if table is not None:
                with parts.at():
                    text = coding.encode(table.writes, "decoder", "writes")
                with parts.at("decoder"):
                    if table.first is not None:
                        need_known(table.first, coding.words, "first")
        token, axis, states = {"token": labels(self.input.tokens)}, {"axis": coding.axes}, cell(words, self.cell.start)
        identity = self.cell.w_input and not isinstance(self.cell.w_input, list)
        neuron = {"neuron": coding.axes if identity else numbers(neurons)}
        if table is None:
            arrays.add("input", words, token | axis)
            arrays.add("state", states, token | neuron)
            return
        with at("decoder", table=table):
            decoder, read_out = table.build(dim, neurons)
        first = np.zeros((1, dim)) if table.first is None else coding.encode([table.first])
        previous, row = np.concatenate([first, text[:-1]]), {"token": labels(table.writes)}
        trace = decoder.trace(previous, states, start=table.start)
        arrays.add("source", words, token | axis, drawn=True)
        arrays.add("previous", previous, row | axis, drawn=True)
        arrays.add("states", states, token | neuron)
        for name in ("scores", "weights"):
            arrays.add(name, getattr(trace, name), {"query": row["token"], "key": token["token"]})
        arrays.add("context", trace.contexts, row | neuron)
        arrays.add("state", trace.states, row | {"neuron": numbers(trace.states.shape[1])})
        if read_out is not None:
            output = linear(trace.states, read_out)
            nearest = [" and ".join(nearest_words(state, coding.words)[:4]) or "nothing" for state in output]
            arrays.add("output", output, row | axis)
            arrays.add("reads", nearest, row, drawn=True)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        words, states = (arrays[name] for name in (("source", "states") if self.decoder else ("input", "state")))
        cell = self.cell.network(words.values.shape[1])
        before = cell.start(words.values[0], self.cell.start)
        yield say("the network reads:")
        for label, word, state in zip(words.labels[0], words.values, states.values, strict=True):
            yield _step(f"  {label}", cell, word, before, state)
            before = state
        if self.decoder is None:
            return
        yield say("the decoder writes:")
        decoder, _ = self.decoder.build(words.values.shape[1], len(before))
        (rows, names), contexts, step = arrays["weights"].labels, arrays["context"].values, decoder.retrieval
        similarity: Any = step.similarity
        heard = np.concatenate([arrays["previous"].values, contexts], axis=1)
        before, by_matrix = decoder.cell.start(heard[0], self.decoder.start), isinstance(similarity, Bilinear)
        for i, row in enumerate(rows):
            scores, weights, state = (arrays[name].values[i] for name in ("scores", "weights", "state"))
            cue = linear(before, similarity.matrix.T) if by_matrix else before
            yield "  " + say("before {}, the state {} looks back:", row, vector(before))
            if by_matrix:
                yield "    " + say("by the matrix the state is {}", vector(cue))
            for name, key, score in zip(names, states.values, scores, strict=True):
                product = f"{name_of(similarity)} {number(score)}"
                alike = dot(cue, key) if by_matrix or similarity.linear else product
                yield "    " + say("similarity to {}: {}", name, alike)
            yield from (f"    {line}" for line in weighing(step.separation, scores.tolist(), names))
            yield "    " + say("context: {}", weighted_sum(weights, names, states.values))
            yield _step(f"    {say('state')}", decoder.cell, heard[i], before, state)
            if "output" in arrays:
                word = str(arrays["reads"].values[i])
                yield "    " + say("read out: {}, nearest to {}", vector(arrays["output"].values[i]), word)
            before = state


def _step(head: str, cell: Recurrent, heard: np.ndarray, before: np.ndarray, state: np.ndarray) -> str:
    """The sum of what a network hears, its state before and its bias, and the state that follows."""
    terms = [linear(heard, cell.w_input), linear(before, cell.w_hidden), *([cell.bias] if np.any(cell.bias) else [])]
    f = name_of(cell.activation)
    after = "" if f == "identity" else say("; {} gives {}", f, vector(state))
    return f"{head}: {total(terms)}{after}"


FeaturesChoice = Annotated[
    Annotated[str, NameIn(feature_maps), Tag("text")]
    | Annotated[Table, EntryIn(feature_maps, without=("rng",), suffix="FeaturesTable"), Tag("table")],
    ByTomlType,
]


class FastWeightsTable(ProjectionsTable):
    """How words are written into one matrix, and how they are read."""

    query: ProjectionOrMatrix | None = None
    """The query of a word: the vector by which it reads the memory."""
    key: ProjectionOrMatrix | None = None
    """The key of a word: the vector under which its value is written."""
    value: ProjectionOrMatrix | None = None
    """The value of a word: the vector that is written."""
    rule: Literal["sum", "delta"] = "sum"
    """How a word is written: "sum" adds v φ(k)ᵀ, which is linear attention; "delta" adds the part of v that the memory
    does not answer to k already, so that a later value overwrites an earlier one."""
    rate: Annotated[float, Field(gt=0, lt=2)] | None = None
    """The rate of the delta rule, above 0 and below 2, by default 1: the part of the error that is corrected."""
    features: FeaturesChoice = "identity"
    """The map φ of queries and keys. "random_features" are drawn by the seed, and estimate exp(β k·q)."""
    normalise: bool = False
    """Whether each output is divided by the sum of its scores φ(k)·φ(q); for the rule "sum"."""

    @property
    def n_random(self) -> int:
        """The number of random features; 0 if the features are not random."""
        random = "random_features" in (self.features, getattr(self.features, "name", None))
        return int(getattr(self.features, "n", RandomFeatures.n)) if random else 0

    def build(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """φ, and the memory before the first word; rng: draws random features."""
        most = f"got {self.n_random:,}; expected at most {MOST_RANDOM:,} random features"
        need(self.n_random <= MOST_RANDOM, ("features", "n"), most)
        with at("features"):
            phi: Any = registry_entry(feature_maps, self.features, **({"rng": rng} if self.n_random else {}))
        if self.rule == "sum":
            need(self.rate is None, "rate", 'belongs to rule = "delta"; a sum has no rate')
            return phi, LinearState(phi, normalise=self.normalise)
        need(not self.normalise, "normalise", 'belongs to rule = "sum"; the delta rule does not divide its outputs')
        return phi, DeltaState(phi)


class FastWeights(MatricesTable, WordsKind):
    """A text that is written word by word into one matrix, and read from it."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("memory", "output", "sums", "difference", "positive", "error")
    kind: Literal["fast_weights"]
    positions: Positions | None = None
    """The position of each word in the text, as a vector."""
    input: Input
    """The text that goes in."""
    fast_weights: FastWeightsTable
    """How words are written and read."""

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        table, dim, query_words = self.fast_weights, self.dim, self.input.queries or self.input.tokens
        n, m, crossed = len(self.input.tokens), len(query_words), self.input.queries is not None
        written = [table.projection(role).matrix or [[]] for role in ROLES]
        rows = max([dim, *(max(len(one), len(one[0])) for one in written)])
        size = (3 * n * (dim + 1) + 8 * (n + m)) * max(rows, table.n_random) + 6 * n * max(n, m) + 4 * rows * dim
        need_room(size, *self.input.large(dim))
        coding = self.prepared(arrays)
        with Parts() as parts:
            with parts.at("input"):
                self.input.need_plain("padding", "batch")
            with parts.at():
                batch, source = self.input.encoded(coding)
            with parts.at("fast_weights", table=table):
                matrices, mask = table.arrays(coding, right=self.right), "none" if crossed else "causal"
                phi, state = table.build(rng)
                separation = "proportional" if table.normalise else "identity"
                head = Head(*matrices, similarity=FeatureMap(phi), separation=separation, mask=mask)
        words, text, delta = batch[0], batch[0] if source is None else source, table.rule == "delta"
        full = head.trace(words, source=text)
        q, k, v, quadratic = full.queries, full.keys, full.values, full.output
        memories, outputs, rate = [], [], {"rate": table.rate or 1.0} if delta else {}
        if delta:
            quadratic, last = state.attended(k if crossed else q, k, v, chunk=n, **rate)
            quadratic = last.read(q) if crossed else quadratic
        for i in range(n):
            state = state.extended(k[i : i + 1], v[i : i + 1], **rate)
            memories.append(state.couplings if delta else state.matrix)
            outputs += [] if crossed else [state.read(q[i : i + 1])]
        output = state.read(q) if crossed else np.concatenate(outputs)
        scores = np.where(True if full.mask is None else full.mask, full.scores, 0.0)
        token, query, axis = {"token": labels(self.input.tokens)}, {"query": labels(query_words)}, {"axis": coding.axes}
        key_axis = axis if k.shape[1] == coding.dim else {"axis": numbers(k.shape[1])}
        feature = {"feature": numbers(table.n_random)} if table.n_random else key_axis
        value_axes = coding.axes if v.shape[1] == coding.dim else numbers(v.shape[1])
        matrix = {"value": (*value_axes, "sum") if table.normalise else value_axes} | feature
        arrays.add("input", words, query | axis)
        arrays.add("queries", q, query | key_axis)
        arrays.add("keys", k, token | key_axis)
        arrays.add("values", v, token | {"axis": value_axes})
        arrays.add("scores", scores, query | {"key": token["token"]})
        arrays.add("sums", scores.sum(axis=-1), query)
        arrays.add("memories", np.stack(memories), token | matrix, drawn=True)
        arrays.add("memory", memories[-1], matrix)
        arrays.add("output", output, query | {"axis": value_axes})
        arrays.add("quadratic", quadratic, query | {"axis": value_axes})
        arrays.add("difference", np.max(np.abs(output - quadratic)))
        arrays.add_means(positive=scores.sum(axis=-1) > 0)
        if crossed:
            arrays.add("source", text, token | axis, drawn=True)
        if table.n_random:
            softmax = separations.make("softmax" if table.normalise else "exponential", beta=phi.beta)
            exact = Head(*matrices, separation=softmax, mask=mask)(words, source=text)
            arrays.add("softmax", exact, query | {"axis": value_axes})
            arrays.add("error", np.max(np.abs(output - exact)))

    def explain(self, arrays: Arrays) -> Iterator[str]:
        table, keys, values, memories = self.fast_weights, arrays["keys"], arrays["values"].values, arrays["memories"]
        delta = f"W ← W + η (v − W φ(k)) φ(k)ᵀ / |φ(k)|², η = {number(table.rate or 1)}"
        yield say("written word by word, {}:", delta if table.rule == "delta" else "W ← W + v φ(k)ᵀ")
        phi = feature_maps.make("identity") if table.n_random else table.build(np.random.default_rng(0))[0]
        images, query_images = (np.asarray(phi(arrays[name].values)) for name in ("keys", "queries"))
        before = [np.zeros_like(memories.values[0]), *memories.values]
        for i, (word, key, features) in enumerate(zip(keys.labels[0], keys.values, images, strict=True)):
            mapped = f"{vector(key)}{_mapped('k', key, features)}"
            yield "  " + say("{}: key {}, value {}", word, mapped, vector(values[i]))
            if memories.values.shape[2] <= 8:  # a matrix that is short enough to be written out
                if table.rule == "delta" and not table.n_random:
                    yield f"    {_error(before[i], features, values[i])}"
                for name, row, old in zip(memories.labels[1], memories.values[i], before[i], strict=True):
                    if np.any(row) or np.any(old):
                        yield "    " + say("row {} of W: {}", name, vector(row))
        yield say("read:")
        scores, names = arrays["scores"].values, arrays["scores"].labels[1]
        for i, word in enumerate(arrays["output"].labels[0]):
            output, query = arrays["output"].values[i], arrays["queries"].values[i]
            if table.normalise:
                total_ = number(arrays["sums"].values[i])
                answer = say("divided by the sum of its scores, {}: {}", total_, vector(output))
            elif table.rule == "delta":
                answer = f"W φ(q) {equals(output)} {vector(output)}"
            else:
                seen = np.flatnonzero(scores[i])
                each = (f"{number(scores[i, j])}×{say('value({})', names[j])}" for j in seen[:8])
                terms = " + ".join(each) or "0"
                answer = f"{terms}{' + …' if len(seen) > 8 else ''} {equals(output)} {vector(output)}"
            mapped = f"{vector(query)}{_mapped('q', query, query_images[i])}"
            yield "  " + say("{}: query {}; {}", word, mapped, answer)
        difference = number(float(arrays["difference"].values))
        yield say("the same from all scores: the largest difference is {}", difference)


def _mapped(letter: str, entries: np.ndarray, features: np.ndarray) -> str:
    """φ of a key or a query as it is written behind it: not where φ leaves it as it is."""
    return "" if np.array_equal(features, entries) else f", φ({letter}) {equals(features)} {vector(features)}"


def _error(before: np.ndarray, features: np.ndarray, value: np.ndarray) -> str:
    """The error that the delta rule corrects: the value without what the memory answers already."""
    answer, length = before @ features, float(features @ features)
    error = value - answer
    squared = "" if abs(length - 1) < WRITTEN_AS_0 else f"; |φ(k)|² {equals(length)} {number(length)}"
    by_hand = added(np.stack([written(value), -written(answer)], axis=-1))
    left = f"{vector(value)} − {vector(answer)} {equals(error, by_hand)} {vector(error)}"
    return f"W φ(k) {equals(answer)} {vector(answer)}; v − W φ(k) = {left}{squared}"
