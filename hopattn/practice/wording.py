"""A problem in words: the texts of a language, what is given, and the question.

Every text is in `texts.toml`, in English; its other forms are among the sentences of their language.
"""

import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.sentences import LANGUAGES, sentences
from hopattn.foundation.writing import listed, number
from hopattn.practice.problem import Grid
from hopattn.scenario.arithmetic import short_base
from hopattn.scenario.arrays import labels, numbers
from hopattn.scenario.expectations.base import Expectation, Numeric
from hopattn.scenario.expectations.numbers import CosineTo, MatrixIs, MeasureIs, Nearest, ScoreIs, VectorIs, WeightIs
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.kinds.cue import Cue
from hopattn.scenario.kinds.models import StoredWords

Texts = Mapping[str, Any]
Part = str | Grid


@cache
def texts(language: str) -> dict[str, Any]:
    """The texts of a language; raises `InvalidInput` for an unknown one."""
    if language not in (known := ("en", *LANGUAGES)):
        raise InvalidInput(f"language: {unknown(language, known)}")
    english = tomllib.loads((resources.files("hopattn.practice") / "texts.toml").read_text("utf-8"))
    forms = {} if language == "en" else sentences(language)
    return {name: {key: forms.get(text, text) for key, text in table.items()} for name, table in english.items()}


def given(spec: Kind, words: Texts, asked: Numeric, lesson: Sequence[Expectation]) -> Iterator[Part]:
    """The sentences and tables that a problem gives.

    spec: the scenario with the numbers of the problem. words: the texts of a language. asked: the expectation that the
    question asks for. lesson: the expectations that hold in every problem.
    """
    say = words["given"]
    memory = getattr(spec, "memory", None)
    steps = moves(asked, lesson)
    if isinstance(spec, StoredWords) and memory is not None:
        yield from _states(spec, say, quantity(asked, spec))
    else:
        yield from _vocabulary(spec, say, asked.words or [word for step in steps for word in (step.at, step.nearest)])
    if steps:
        yield say["moves_right" if getattr(spec, "right", False) else "moves"].format(
            moves=", ".join(f"{step.at} → {step.nearest}" for step in steps)
        )
    elif isinstance(spec, Cue):
        yield from _layer_of_neurons(spec, say)
    own: Any = spec
    source: Any = getattr(spec, "input", None)
    queries = getattr(source, "queries", None)
    if memory is not None:
        yield from _memory(memory, spec, words, quantity(asked, spec))
    elif queries:
        yield say["queries"].format(tokens=" ".join(source.tokens), queries=" ".join(queries))
    elif source is not None and not isinstance(spec, Cue) and not _wordless(spec):
        yield say["text"].format(tokens=" ".join(source.tokens))
    if graph := getattr(spec, "graph", None):
        edges = [say["edge"].format(query=query, key=key) for query, key in graph.edges]
        yield say["edges"].format(edges=", ".join(edges))
    layers = layers_before(asked, spec)
    end = quantity(asked, spec)
    alone = len(layers) == 1 and len(layers[0].head) == 1
    for i, layer in enumerate(layers, start=1):
        last = end if i == len(layers) else ""
        for j, head in enumerate(layer.head, start=1):
            yield say["heads"].format(layer=i, head=j) if not alone else "" if head.wordless else say["head"]
            yield from _head(head, words, source, last, bool(graph), layer.right)
        if last not in ("scores", "weights", "output"):
            codings = own.encodings(own.layers())
            joined = _wordless(spec) or codings[i] is not codings[i - 1]  # the outputs of the heads stay side by side
            yield words["residual"]["side_by_side" if joined else "true" if layer.residual else "false"]
            if layer.feed_forward is not None:
                yield from _feed_forward(layer.feed_forward, words, "right" if layer.right else "left", layer.residual)


def _wordless(spec: Any) -> bool:
    """Whether the file gives queries, keys and values, and no words."""
    return any(layer.wordless for layer in getattr(spec, "layer", []))


def used_words(spec: Kind) -> set[str]:
    """The words that a text, a cue or a memory of a scenario names."""
    tables = getattr(spec, "memory", None), getattr(spec, "input", None)
    keys = "patterns", "values", "tokens", "queries"
    return {word for table in tables for key in keys for word in getattr(table, key, None) or ()}


def _vocabulary(spec: Kind, say: Texts, needed: Sequence[str]) -> Iterator[Part]:
    """The vectors of the words that occur, and the parts of a vector."""
    vocabulary: Any = getattr(spec, "vocabulary", None)
    spaces = getattr(spec, "spaces", None) or {}
    if vocabulary is not None:
        used = {*needed} if isinstance(spec, Cue) and needed else {*needed, *used_words(spec)}
        rows = {word: vector for word, vector in vocabulary.words.items() if word in used}
        yield from (say["words"], grid(rows, vocabulary.axes))
        if vocabulary.magnitude == "normalise":
            yield say["normalised"]
    if isinstance(own := spaces.get("word"), list):
        yield say["one_hot"].format(words=", ".join(own))
    if len(spaces) > 1:
        yield say["parts"].format(parts=", ".join([*spaces]))
        if any(isinstance(space, str) and space.startswith("like ") for space in spaces.values()):
            yield say["empty_parts"]
    positions = getattr(spec, "positions", None)
    if positions is not None and positions.turn is not None:
        yield say["positions"].format(turn=number(positions.turn))


def _states(spec: Any, say: Texts, asked: str) -> Iterator[Part]:
    """The vectors of the patterns and cues of a memory; asked: the quantity that a question is of."""
    memory, cues = spec.memory, {} if asked == "couplings" else spec.cue
    stored = memory.couplings is None
    used = {*spec.tokens, *((*memory.patterns, *(memory.values or ())) if stored else ())}
    both = {"state": spec.vocabulary, "answer": spec.answers}
    for key, side in both.items():
        rows = {} if side is None else {name: row.tolist() for name, row in side.vectors.items() if name in used}
        if key == "state" and spec.written is not None:
            rows |= {name: row for name, row in spec.written.words.items() if name in rows}
        rows |= {name: row for name in spec.tokens if name in cues and (row := getattr(cues[name], key)) is not None}
        if side is not None and rows:
            yield from (
                say["second_side" if key == "answer" else "patterns" if stored else "cues"],
                grid(rows, side.axes),
            )
    if spec.written is not None and spec.written.magnitude == "normalise":
        yield say["normalised"]


def _layer_of_neurons(spec: Cue, say: Texts) -> Iterator[Part]:
    """The weights of neurons that words cue."""
    network = spec.network
    if network.neurons is not None:
        yield from (say["neurons"], grid(network.neurons, spec.vocabulary.axes), say["cue"])
    elif network.matrix is not None:
        axes, count = spec.vocabulary.axes, len(network.matrix[0] if spec.right else network.matrix)
        neurons = network.names(axes, count)
        rows, columns = (tuple(axes), neurons) if spec.right else (neurons, tuple(axes))
        end = say["layer_of_matrix_right" if spec.right else "layer_of_matrix"]
        yield from (say["matrix"], _matrix(network.matrix, rows, columns), end)
    else:
        yield say["rotate"].format(degrees=number(network.rotate or 0))


def moves(asked: Numeric, lesson: Sequence[Expectation]) -> list[Nearest]:
    """The words that the lesson names and the words that they lead to, if the question asks for the matrix."""
    asks = isinstance(asked, MatrixIs) and asked.matrix == "network"
    return [one for one in lesson if isinstance(one, Nearest)] if asks else []


def layers_before(asked: Numeric, spec: Kind) -> Sequence[Any]:
    """The layers that the question needs."""
    entry = asked.weight if isinstance(asked, WeightIs) else asked
    return (getattr(spec, "layer", None) or [])[: getattr(entry, "layer", None)]


def _head(head: Any, words: Texts, text: Any, last: str, edges: bool, right: bool) -> Iterator[Part]:
    """An attention head: its projections, scores, mask and weights.

    text: what it reads. last: the quantity after which nothing is told, such as "weights". edges: whether edges say
    which words attend to which. right: whether the file writes the W of x·W.
    """
    say, columns = words["given"], labels(text.tokens)
    rows = labels(text.queries) if text.queries else columns
    short = last in ("scores", "weights") and head.value is None
    roles = ("query", "key") if short else ("query", "key", "value")
    fixed = head.scores is not None or head.weights is not None
    for name, own in (("queries", rows), ("keys", columns), ("values", columns)):
        if (table := getattr(head, name)) is not None:
            yield from (say[f"{name}_printed"], _matrix(table, own))
    alike = not fixed and all(getattr(head, role) is None for role in roles)
    if alike and not head.wordless:
        yield say["itself"]
    for role in [role for role in roles if not head.wordless and not alike and (role == "value" or not fixed)]:
        own = getattr(head, role)
        if own is None:
            yield say[f"{role}_itself"]
        matrix = own if isinstance(own, list) else getattr(own, "matrix", None)
        source, target = getattr(own, "source", None), getattr(own, "target", None)
        if matrix is not None:
            yield from (say[f"{role}_right" if right else role], _matrix(matrix))
        elif role == "value" and target is not None:
            yield say["value_to"].format(part=source or "word", target=target)
        elif role != "value" and source is not None:
            moved = f"{role}_moved" if own.rotate else f"{role}_from"
            yield say[moved].format(part=source, steps=number(own.rotate))
    for name in ("scores", "weights"):
        if (table := getattr(head, name)) is not None:
            yield from (say[name], _matrix(table, rows, columns))
    if not fixed:
        yield words["similarity"].get(head.similarity, head.similarity)
    if last == "scores":
        return
    if slope := getattr(head.bias, "slope", None):
        yield say["alibi"].format(slope=number(slope))
    mask = head.mask or ("none" if text.queries or head.weights is not None or head.wordless else "causal")
    told = not isinstance(mask, str) or (mask == "none" and (edges or text.queries or head.wordless))
    yield "" if told else words["mask"].get(mask, "")
    if head.weights is not None and mask != "none":
        yield say["scaled_shares"]
    if head.weights is None:
        yield _weighing(head, words)
    if last == "weights":
        return
    yield say["output"]
    if head.activation != "identity":
        yield words["activation"].get(head.activation, head.activation)


def base_of(table: Any) -> float | None:
    """The base of the powers of a softmax, of a head or a memory, if it is a short number; None for e."""
    beta = math.log(table.base) if getattr(table, "base", None) else table.beta
    return None if isinstance(beta, str) else short_base(beta)


def _feed_forward(table: Any, words: Texts, side: str, residual: bool) -> Iterator[Part]:
    """A feed-forward layer; side: "right" where the file writes the W of x·W."""
    say = words["feed_forward"]
    for matrix, bias, after in (("inner", "inner_bias", table.activation), ("outer", "outer_bias", "")):
        yield from (say[f"{matrix}_{side}"], _matrix(getattr(table, matrix)))
        if any(shift := getattr(table, bias) or ()):
            yield say[bias].format(numbers=listed(map(number, shift)))
        yield words["nonlinearity"][after] if after else say["added" if residual else "instead"]


def _weighing(table: Any, words: Texts) -> str:
    """How scores become weights, of a head or a memory."""
    separation = table.separation
    name = separation if isinstance(separation, str) else separation.name
    power, base, before = number(getattr(separation, "n", 1) - 1), "e", ""
    if isinstance(table.beta, str):
        before = words["separation"]["divided_by_root"]
    elif (of_beta := base_of(table)) is not None:
        base = number(of_beta)
    elif table.beta != 1:
        before = words["separation"]["multiplied"].format(beta=number(table.beta))
    return before + str(words["separation"].get(name, name).format(base=base, power=power))


def in_sequence(spec: Any) -> bool:
    """Whether the neurons of a memory change one after the other."""
    return "one neuron" in spec.memory.update_rule(spec.stored).way


def _update(memory: Any, spec: Any, say: Texts, may_be_0: bool) -> str:
    """How the neurons change in a step; may_be_0: whether a field may be 0."""
    up = getattr(memory.update, "ties", "keep") == "up"
    ties = f" {say['up' if up else 'keep']}" if up or may_be_0 else ""
    if memory.has_own_side:
        return str(say["sides"]) + ties
    if isinstance(order := getattr(memory.update, "order", None), list):
        return str(say["order"].format(order=", ".join(map(str, order)))) + ties
    return str(say["async" if in_sequence(spec) else "sync"]) + ties


def _memory(memory: Any, spec: Any, words: Texts, asked: str) -> Iterator[Part]:
    """The stored patterns, the model, the way of its updates and the cue; asked: the quantity that a question is of."""
    say, neurons = words["given"], spec.vocabulary.axes
    options = memory.model_dump(include={"model"})["model"] or {}
    model = "memory" if memory.model is None else options["name"]
    if memory.couplings is not None:
        model, options = "couplings", {"bias": memory.bias, "threshold": memory.threshold}
        yield from (say["couplings"], _matrix(memory.couplings, neurons, neurons))
    else:
        yield say["stored"].format(patterns=", ".join(memory.patterns))
        if memory.values:
            yield say["answers"].format(values=", ".join(memory.values))
    of_0_and_1 = "step" in (options.get("activation"), memory.activation)
    shift = next((key for key in ("bias", "threshold") if np.any(options.get(key) or 0)), "")
    rule = _rule(options, shift, say, of_0_and_1, len(neurons))
    yield words["model"].get(model, model).format(power=number(options.get("n", 2) - 1), **rule)
    if asked == "couplings":
        return
    if model == "memory":
        yield _weighing(memory, words)
        yield words["activation"].get(memory.activation, "")
    if asked in ("energy", "energies"):
        yield say[f"energy_{shift}" if shift else "energy"]
    if asked != "energy" and model in ("hopfield", "dense", "couplings", "bam"):
        yield words["activation"]["step" if of_0_and_1 else "sign"]
        yield _update(memory, spec, words["update"], of_0_and_1)
    yield say["several_cues" if len(spec.tokens) > 1 else "recalled"].format(tokens=", ".join(spec.tokens))
    if memory.max_steps == 1:
        yield say["one_step"]
    elif asked == "output" and memory.steps > 1:
        yield say["until"]


def _rule(options: Mapping[str, Any], shift: str, say: Texts, of_0_and_1: bool, n: int) -> dict[str, str]:
    """The words of a rule that learns couplings, and of the field of n neurons.

    options: of the model. shift: the option that is added to the field or taken off it; empty for none.
    """
    divides, pairs = options.get("rule") == "hebb" and not of_0_and_1, options.get("name") == "bam"
    row = options.get(shift, 0.0)
    row = row if isinstance(row, list) else [row] * n
    coupled = "self_coupling" if options.get("self_coupling") else "apart"
    short = divides and not shift and coupled == "apart"
    return {
        "divided": say["divided_of_pairs" if pairs else "divided"] if divides else "",
        "zeros": say["zeros"] if of_0_and_1 else "",
        "own": say[coupled],
        "shift": say[shift] if shift else "",
        "shifts": shift and say["biases" if shift == "bias" else "thresholds"].format(numbers=listed(map(number, row))),
        "so": say["so"] if short else "",
    }


def grid(rows: Mapping[str, Sequence[float]], columns: Iterable[str]) -> Grid:
    """Vectors by name as a table."""
    return Grid(tuple(rows), tuple(columns), tuple(tuple(map(number, row)) for row in rows.values()))


def _matrix(
    matrix: Sequence[Sequence[float]], rows: Iterable[str] | None = None, columns: Iterable[str] | None = None
) -> Grid:
    """A matrix as a table; its rows and columns are numbered where they have no names."""
    names = numbers(len(matrix)) if rows is None else rows
    return grid(dict(zip(names, matrix, strict=True)), numbers(len(matrix[0])) if columns is None else columns)


def question(expectation: Numeric, spec: Kind, words: Texts) -> str:
    """The question for the number, vector or matrix of an expectation."""
    ask = words["question"]
    if isinstance(expectation, WeightIs):
        entry = expectation.weight
        ends = {"from": entry.row, "to": entry.column}
        return str(ask["weight"].format(**ends, place=_place(entry, spec, words)))
    if isinstance(expectation, CosineTo):
        return str(ask["cosine_to"].format(vector=_vector(expectation, spec, words), word=expectation.cosine_to))
    if isinstance(expectation, VectorIs):
        return str(ask["vector"].format(vector=_vector(expectation, spec, words)))
    if isinstance(expectation, ScoreIs):
        return str(ask["score"].format(name=expectation.score, place=_place(expectation, spec, words)))
    name = expectation.measure if isinstance(expectation, MeasureIs) else getattr(expectation, "matrix", "")
    columns: Sequence[str] = getattr(expectation, "columns", None) or ()
    place = _place(expectation, spec, words) if isinstance(expectation, MatrixIs) else ""
    if quantity(expectation, spec) in ("field", "energy") and len(columns) == 1:
        return str(ask[f"one {name}"].format(neuron=columns[0], place=place))
    name = f"step 1 {name}" if spec.kind == "memory" and f"step 1 {name}" in ask else name
    name = "couplings of pairs" if name == "couplings" and getattr(spec, "answers", None) is not None else name
    form = ask.get(name, ask["measure" if isinstance(expectation, MeasureIs) else "matrix"])
    return str(form.format(name=name, place=place))


def quantity(expectation: Numeric, spec: Kind) -> str:
    """The quantity that an expectation asks for, such as "weights"; "" for the last one of a run.

    "energy" is that of the cue, and "energies" those of all steps.
    """
    if isinstance(expectation, WeightIs):
        return "weights"
    if isinstance(spec, StoredWords) and isinstance(expectation, VectorIs):
        return "output"
    if isinstance(expectation, MatrixIs) and expectation.matrix == "energy":
        return "energy" if expectation.columns == ["0"] else "energies"
    name = expectation.matrix if isinstance(expectation, MatrixIs) else getattr(expectation, "of", "")
    return name if name in ("couplings", "scores", "weights", "field", "turns", "output") else ""


def _vector(expectation: Any, spec: Kind, words: Texts) -> str:
    """The vector that a question asks for, in words."""
    own = {"cue": "cued", "memory": "recalled"}.get(spec.kind, "state")
    kind = own if expectation.of == "state" else expectation.of
    last = len(layers_before(expectation, spec))
    kind = "state_of_layer" if kind == "state" and last > 1 else kind
    named = str(words["vector"][kind].format(token=expectation.at, layer=last))
    if expectation.layer is not None and last > 1 and kind != "state_of_layer":
        named += words["place"]["layer"].format(layer=expectation.layer)
    return str(words["vector"]["part"].format(vector=named, part=expectation.part)) if expectation.part else named


def _place(entry: Any, spec: Kind, words: Texts) -> str:
    """The head and the layer in words, as far as an expectation gives them and there are several."""
    if isinstance(entry, MatrixIs) and entry.at is not None and len(getattr(spec, "tokens", ())) > 1:
        return str(words["place"]["cue"].format(token=entry.at))
    layers = getattr(spec, "layer", ())
    several = any(len(layer.head) > 1 for layer in layers)
    head = words["place"]["head"].format(head=entry.head) if entry.head and several else ""
    return head + (words["place"]["layer"].format(layer=entry.layer) if entry.layer and len(layers) > 1 else "")
