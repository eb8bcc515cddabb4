"""What circuits refuse: the place that the message names, and the words without which it helps little."""

import math
from functools import partial

import networkx as nx
import numpy as np
import pytest

import hopattn as ha
from hopattn.circuits import copying, induction_circuit, memory_circuit, prefix_matching, select, world_of_graph
from hopattn.circuits.emergence.record import Recipe, Training
from hopattn.circuits.rasp import looked_up, mapped
from tests.circuits.models import SMALL
from tests.refusal import refused

EYE, TWO = np.eye(4), np.eye(2)
ABAB = ["a", "b", "a", "b"]
EVEN = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
TEXTS, TORUS = np.zeros((4, 2, 2)), ha.circuits.World.torus(10, 10)
HEADS = ha.MultiHead([ha.Head(EYE, EYE, EYE, mask="causal")], EYE)
CYCLE = np.triu(EYE[[1, 2, 3, 0]], 1)
STATES = np.ones((4, 4))
CUBE = nx.DiGraph([("a", "b", {"action": "x"}), ("a", "c", {"action": "y"})])


def graph(*edges):
    made = nx.MultiDiGraph()
    for start, action, end in edges:
        made.add_edge(start, end, action=action)
    return made


def census(layers=((HEADS, STATES),), tokens=(0, 1, 0, 1), **options):
    return ha.circuits.head_census(list(layers), tokens, **options)


ROWS = [
    # scores of heads
    (lambda: prefix_matching(np.ones((2, 3)), [0, 0]), "attention:", "(2, 3)", "(…, n, n)"),
    (lambda: ha.circuits.previous_token([[1, 0], [np.nan, 1]]), "attention: row 1", "NaN"),
    (lambda: ha.circuits.previous_token([[1, 0], [1.5, -0.5]]), "attention: entry 1, 1", "-0.5", "0 or more"),
    (lambda: ha.circuits.previous_token([[[1, 0], [0.3, 0.8]]]), "attention: row 0, 1", "1.1", "expected 1, or less"),
    (lambda: ha.circuits.previous_token([[1.0]]), "attention:", "one word"),
    *((partial(prefix_matching, EVEN, tokens), "tokens:", "whole numbers or of texts")
      for tokens in ("abab", ["1", 1, 2, 3], [None] * 4, [True, False] * 2, [0.5, 0.5, 1, 1], [[1], [1, 2]])),
    (lambda: prefix_matching(EVEN, [1, 1, 1]), "tokens:", "3 tokens", "4"),
    (lambda: ha.circuits.duplicate_token(EVEN, [1, 2, 3, 4]), "tokens:", "no token occurs twice"),
    (lambda: prefix_matching([EVEN] * 2, [[1, 1, 2, 3], [1, 2, 3, 4]]), "tokens:", "no token of text 1"),
    (lambda: prefix_matching(EVEN, [ABAB] * 2), "tokens:", "(2, 4)", "(4,)"),
    (lambda: prefix_matching(EVEN, ABAB, over="row"), "over:", "'row'", "'rows'"),
    (lambda: ha.circuits.attention_sink(EVEN, position=4), "position:", "0 to 3", "4"),
    (lambda: ha.circuits.sink_share(EVEN, threshold=2), "threshold:", "from 0 to 1", "not 2"),
    (lambda: ha.circuits.sink_share(EVEN, threshold=-0.1), "threshold:", "-0.1"),
    (lambda: ha.circuits.uniform_attention(0), "n:", "at least 1"),
    # copying and ha.circuits.composition
    (lambda: copying(np.eye(3), EYE), "embed:", "(4, 4)", "dim = 3 of w_ov"),
    (lambda: copying(EYE, EYE, np.eye(3, 4)), "unembed:", "got shape (3, 4)", "n_words = 4"),
    (lambda: copying(EYE, EYE[:1]), "embed:", "one word"),
    (lambda: copying(0 * EYE, EYE), "w_ov:", "no word raises"),
    (lambda: copying(CYCLE, EYE, by="eigenvalues"), "w_ov:", "all eigenvalues are 0"),
    (lambda: copying(EYE, EYE, by="logit"), "by:", "'logit'", "'logits'"),
    (lambda: copying(EYE * np.nan, EYE), "w_ov: row 0", "NaN"),
    (lambda: ha.circuits.composition(EYE, np.eye(3)), "w_in:", "(3, 3)", "dim = 4"),
    (lambda: ha.circuits.composition(EYE, 0 * EYE), "w_in:", "all entries are 0"),
    (lambda: ha.circuits.composition(0 * EYE, EYE), "w_out:", "all entries are 0"),
    (lambda: ha.circuits.composition([1.0], EYE), "w_out:", "(1,)", "(out, in)"),
    (lambda: ha.circuits.composition_baseline(EYE, EYE, n_draws=1), "n_draws:", "at least 2"),
    *((partial(ha.circuits.composition_baseline(*pair, n_draws=3, rng=0).deviations, 0.5), "deviations:",
       "the same score")
      for pair in (([[1.0]], [[2.0]]), (EYE, EVEN))),  # |W R I| is |W| for every turn R, up to rounding
    (lambda: ha.circuits.head_compositions(HEADS, HEADS.heads[0]), "earlier:", "Head", "MultiHead"),
    (lambda: ha.circuits.head_compositions(HEADS.heads[0], 3), "later:", "Head", "3"),
    (lambda: ha.circuits.head_compositions(*HEADS.heads * 2, w_out=TWO), "w_out:", "(2, 2)", "dim_out = 4"),
    # the census
    (lambda: census(tokens=[1]), "tokens:", "(1,)", "at least two tokens"),
    (lambda: census(tokens=[1, 2]), "layers: entry 0: states", "(4, 4)", "(n, dim) with n = 2 of the tokens"),
    (lambda: census([]), "layers:", "at least one layer"),
    (lambda: census([3]), "layers: entry 0:", "3", "MultiHead"),
    (lambda: census([(HEADS, STATES * np.nan)]), "layers: entry 0: states", "NaN"),
    (lambda: census(followed=-1), "followed:", "at least 0"),
    (lambda: census(unembed=np.ones((5, 3))), "embed:", "(3, 3)"),
    (lambda: census(embed=np.ones((5, 4)), unembed=np.ones((6, 4))), "unembed:", "(6, 4)", "n_words = 5 of embed"),
    (lambda: census(composed=2), "composed:", "2"),
    (lambda: census(about=3), "about:", "3"),
    (lambda: census(report=3), "report:", "function", "3"),
    # induction
    (lambda: induction_circuit(4, 24, turns=math.pi / 2), "turns:", "24 positions", "2π/24"),
    (lambda: induction_circuit(4, 1), "length:", "at least 2"),
    (lambda: induction_circuit(0, 4), "dim:", "at least 1"),
    (lambda: induction_circuit(4, 8, beta=-1), "beta:", "positive"),
    (lambda: induction_circuit(4, 8, match_beta=0), "match_beta:", "positive"),
    (lambda: induction_circuit(4, 8, turns=[[1.0]]), "turns:", "(1, 1)", "(n_planes,)"),
    (lambda: induction_circuit(4, 8, turns=np.nan), "turns:", "NaN"),
    (lambda: induction_circuit(4, 8)(np.ones((9, 4))), "words:", "9 words", "at most 8"),
    (lambda: induction_circuit(4, 8)(np.ones((3, 5))), "words:", "(3, 5)", "dim = 4"),
    (lambda: induction_circuit(4, 8)(np.ones(4)), "words:", "(4,)", "(…, n, dim)"),
    (lambda: induction_circuit(4, 8)(np.full((2, 4), np.inf)), "words: row 0", "infinity"),
    # memories of outer products
    (lambda: memory_circuit(0), "width:", "at least 1"),
    (lambda: memory_circuit(8, n_words=1), "n_words:", "at least 2"),
    (lambda: memory_circuit(8, length=1), "length:", "at least 2"),
    (lambda: memory_circuit(8, beta=0), "beta:", "positive"),
    (lambda: memory_circuit(8, n_words=4, length=5, rng=0)([0, 4]), "words:", "4", "0 to 3"),
    (lambda: memory_circuit(8, n_words=4, length=5, rng=0)([0] * 6), "words:", "6 words", "at most 5"),
    (lambda: memory_circuit(8, n_words=4, length=5, rng=0).accuracy(3), "texts:", "trigger_texts", "3"),
    *((partial(memory_circuit(8, n_words=4, length=5, rng=0), words), "words:", "texts of whole numbers")
      for words in ([0.5], 0, [], ["a"])),
    (lambda: memory_circuit(8, n_words=4, length=5, rng=0)([1, -1]), "words:", "-1", "0 to 3"),
    (lambda: ha.circuits.memory_curves([0.5]), "widths:", "whole number"),
    (lambda: ha.circuits.trigger_texts(1, length=9, n_words=4, n_triggers=4), "n_triggers:", "4 of 4 words", "fewer"),
    (lambda: ha.circuits.trigger_texts(1, length=2, n_words=4, n_triggers=1, rng=0), "length:", "2 words"),
    (lambda: ha.circuits.recall_width(1), "n_keys:", "at least 2"),
    (lambda: ha.circuits.recall_width(4, spread=0), "spread:", "positive"),
    (lambda: ha.circuits.outer_product_recall(2, 0), "width:", "at least 1"),
    # positions that are read out
    *((partial(ha.circuits.position_probe, [], np.zeros(shape)), "texts:", "at least 4 texts of at least 2 words")
      for shape in ((4, 1, 2), (3, 2, 2), (4, 2), (4, 2, 0))),
    (lambda: ha.circuits.position_probe([], TEXTS, penalty=0), "penalty:", "positive"),
    (lambda: ha.circuits.position_probe([], TEXTS * np.nan), "texts: row 0, 0", "NaN"),
    (lambda: ha.circuits.position_probe(3, TEXTS), "layers:", "a list", "3"),
    (lambda: ha.circuits.position_probe([3], TEXTS), "layers: entry 0:", "function", "3"),
    (lambda: ha.circuits.random_blocks(1, 5, 2), "n_heads:", "2 heads", "dim 5"),
    (lambda: ha.circuits.random_texts(1, 2, n_words=3, dim=2, common=-1), "common:", "from 0", "-1"),
    (lambda: ha.circuits.random_texts(1, 2, n_words=0, dim=2), "n_words:", "at least 1", "0"),
    # programs
    (lambda: select(["a"], ["a"], "="), "comparison:", "'='", "'=='"),
    (lambda: select(["a"], [1.0]), "queries:", "numbers", "keys that are words"),
    (lambda: select(["a", "b"], ["a"]), "queries:", "1", "2 keys"),
    *((partial(select, keys, [1]), "keys:", "(n,) of numbers or of words", shown)
      for keys, shown in ((5, "5"), (None, "None"), (np.array(5), "5"), ([], "(0,)"), ([[1]], "(1, 1)"))),
    (lambda: select(["a", 1], ["a", "b"]), "keys:", "words and numbers"),
    (lambda: select([np.nan], [1]), "keys:", "not finite"),
    (lambda: select(range(10**9), [1]), "keys:", "at most 100,000"),
    (lambda: select([1], [1]).aggregate([1, 2]), "values:", "2", "1 keys"),
    (lambda: select([1], [1]).aggregate([1], "x"), "default:", "'x'", "numbers"),
    (lambda: select([1], [1]).aggregate(["a"], 0), "default:", "0", "words"),
    (lambda: select([1, 1], [1, 1]).aggregate(["a", "b"]), "values:", "query 1", "'a' and 'b'"),
    (lambda: select([0, 1], [1, 0]).text([1.0, 2.0]), "values:", "got shape"),
    (lambda: select([0, 1], [1, 0]).text([[1.0]]), "values:", "got shape"),
    (lambda: select([0, 1], [1, 0]).text([["a"], ["b"]]), "values:", "real numbers"),
    (lambda: mapped("ad", [[1], [2]]), "map:", "'ad'", "'add'"),
    (lambda: mapped("divide", [[1], [0]]), "", "'divide'", "0 among the divisors"),
    (lambda: mapped("add", [[1]]), "", "'add'", "two or more", "1"),
    (lambda: mapped("negate", [[1], [2]]), "", "'negate'", "1 operands", "2"),
    (lambda: mapped("add", [["a"], ["b"]]), "", "'add'", "words"),
    (lambda: mapped("==", [["a"], [1]]), "", "'=='", "numbers and words"),
    (lambda: mapped("add", [[1, 2], [1, 2, 3]]), "", "'add'", "2 and 3 words"),
    (lambda: mapped("multiply", [[1e200], [1e200]]), "", "'multiply'", "not finite"),
    (lambda: looked_up(["a"], {"b": 1}), "", "'a'", "no otherwise"),
    (lambda: looked_up(["a", "b"], {"a": 1, "b": "x"}), "the table:", "words and numbers"),
    # walks
    (lambda: ha.circuits.World.torus(2, 5), "rows:", "3 to 1024", "2"),
    (lambda: ha.circuits.World.line(1), "size:", "2 to 1024", "1"),
    (lambda: ha.circuits.World.grid(40, 40), "size:", "40 × 40 = 1600", "1024"),
    (lambda: ha.circuits.World.torus(3, 3, 3), "size:", "3 numbers"),
    (lambda: ha.circuits.walk("torus"), "world:", "ha.circuits.World.torus(10, 10)", "'torus'"),
    (lambda: ha.circuits.walk(TORUS, noise=-1), "noise:", "at least 0", "-1"),
    (lambda: ha.circuits.walk(TORUS, beta=0), "beta:", "positive", "0"),
    (lambda: ha.circuits.walk(TORUS, steps=0), "steps:", "1 to 100000", "0"),
    (lambda: ha.circuits.walk(TORUS, planes=97), "planes:", "0 to 96", "97"),
    (lambda: ha.circuits.walk(TORUS, kinds=[1, 2]), "kinds:", "0 to 999", "100 places"),
    (lambda: ha.circuits.walk(TORUS, kinds=[1000] * 100), "kinds:", "0 to 999"),
    (lambda: ha.circuits.walk(TORUS, kinds=[-1] * 100), "kinds:", "0 to 999"),
    (lambda: ha.circuits.walk(TORUS, kinds=[[0], [1, 2]]), "kinds:", "unequal length"),
    (lambda: ha.circuits.walk(TORUS, angles={"east": [36], "up": [1]}), "angles:", "'up'"),
    (lambda: ha.circuits.walk(TORUS, angles={"east": [36]}), "angles:", "'north'", "inverse"),
    (lambda: ha.circuits.walk(TORUS, angles={"east": [36], "south": [1, 2]}), "angles:", "'north'", "(2,)"),
    (lambda: ha.circuits.walk(TORUS, angles={"east": [36, 0], "north": [0, 36.5]}), "angles:",
     "by 'south' from 'row 5, column 1'", "360°/10"),
    (lambda: ha.circuits.walk(TORUS, angles={"east": [72, 0], "north": [0, 36]}), "angles:",
     "'row 1, column 1' and 'row 1, column 6'"),
    (lambda: ha.circuits.walk(world_of_graph(CUBE, {"x": "x", "y": "y"})), "planes:", "a graph", "`angles`"),
    (lambda: world_of_graph(CUBE, {"x": "x"}), "inverse:", "'y' has no inverse"),
    (lambda: world_of_graph(CUBE, {"x": "y", "y": "z"}), "inverse:", "the inverse of 'x' is 'y', but that of 'y' is"),
    (lambda: world_of_graph(CUBE, {"x": "x", "y": "y", "u": "v"}), "inverse:", "'u'"),
    (lambda: world_of_graph(CUBE, {"x": 3}), "inverse:", "3"),
    (lambda: world_of_graph(nx.path_graph(3), {}), "graph:", "networkx.DiGraph"),
    (lambda: world_of_graph(nx.DiGraph([(0, 1)]), {}), "graph:", "'0' to '1'", "`action`"),
    (lambda: world_of_graph(nx.DiGraph(), {}), "edges:", "2 to 1024 places", "0"),
    (lambda: world_of_graph(graph(("a", "go", "b"), ("a", "go", "c")), {"go": "back"}), "edges:", "'go' leads from"),
    (lambda: world_of_graph(graph(("a", "go", "b"), ("c", "go", "d")), {"go": "back"}), "edges:", "'c'", "'a'"),
    # trainings
    (lambda: Recipe(dim=10), "heads:", "4 heads", "10"),
    (lambda: Recipe(shortest=30), "shortest:", "30", "(24)"),
    (lambda: Recipe(shortest=1), "shortest:", "1", "at least 2"),
    (lambda: Recipe(longest=50), "longest:", "50", "48"),
    (lambda: Recipe(length=20), "length:", "20 words", "24"),
    (lambda: Recipe(rate=-1.0), "rate:", "-1"),
    (lambda: Recipe(steps=2.5), "steps:", "2.5"),
    (lambda: Training.begun(3), "recipe:", "Recipe", "3"),
    (lambda: Training.begun(SMALL).model()([*range(10), 0, 1, 2]), "words:", "13 words", "at most 12"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_what_does_not_fit_is_refused_with_its_place_and_the_cure(row):
    call, place, *words = row
    refused(call, place, *words)
