"""A referee in exact fractions: the answer to a practice problem, from its document alone.

Nothing here is shared with hopattn. The dialect is that of the tables [practice] of the project: cues of neurons, heads
whose scores are dot products, cosines or given weights, Hebb's rule, and softmax memories of a whole base.
"""

import math
from fractions import Fraction

PARTS = {"dot": lambda q, k: 1, "cosine": lambda q, k: root(dot(q, q) * dot(k, k))}
"""What a score is divided by."""
QUARTERS = [(1, 0), (0, 1), (-1, 0), (0, -1)]
"""Cosine and sine of 0, 1, 2 and 3 quarter turns."""


def answer(document, asked, moves=()):
    """The number, vector or matrix that an expectation asks for, as nested lists of fractions.

    moves: the pairs of words of which a matrix leads from the first to the second.
    """
    return {"cue": cued, "memory": recalled}.get(document["kind"], attended)(document, asked, moves)


def fraction(value):
    return Fraction(repr(value))


def vector(values):
    return [*map(fraction, values)]


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def root(square):
    """The square root of a fraction that has one."""
    above, below = math.isqrt(square.numerator), math.isqrt(square.denominator)
    assert Fraction(above, below) ** 2 == square, "the root is no fraction"
    return Fraction(above, below)


def scaled_sum(weights, vectors, size):
    return [sum((w * v[i] for w, v in zip(weights, vectors, strict=True)), Fraction(0)) for i in range(size)]


def place(label, tokens):
    """The index of a label such as 'their#2' in a text."""
    word, _, count = label.partition("#") if label not in tokens else (label, "", "")
    return [i for i, token in enumerate(tokens) if token == word][int(count or 1) - 1]


def cued(document, asked, moves):
    words = {word: vector(values) for word, values in document["vocabulary"]["words"].items()}
    network = document["network"]
    if getattr(asked, "matrix", None) == "network":  # M (p q) = (M p, M q)
        (p, u), (q, v) = [(words[start], words[end]) for start, end in moves[:2]]
        area = p[0] * q[1] - p[1] * q[0]
        inverse = [[q[1] / area, -q[0] / area], [-p[1] / area, p[0] / area]]
        return [[u[i] * inverse[0][j] + v[i] * inverse[1][j] for j in range(2)] for i in range(2)]
    rows = network["matrix"] or network["neurons"].values()
    return [dot(vector(row), words[asked.at]) for row in rows]


def recalled(document, asked, _):
    words = {word: vector(values) for word, values in document["vocabulary"]["words"].items()}
    memory, (cue, *more) = document["memory"], [words[token] for token in document["input"]["tokens"]]
    assert not more or asked.matrix == "couplings"
    stored = [words[word] for word in memory["patterns"]]
    if memory["model"] is not None:
        n = len(cue)
        assert memory["model"]["name"] == "hopfield" and not memory["model"]["self_coupling"]
        couplings = [[sum(p[i] * p[j] for p in stored) * (i != j) / n for j in range(n)] for i in range(n)]
        if asked.matrix == "turns":
            return turns(couplings, cue, memory)
        assert asked.matrix in ("field", "couplings")
        return couplings if asked.matrix == "couplings" else [[dot(row, cue) for row in couplings]]
    scores = [dot(cue, pattern) for pattern in stored]
    weights = shares(scores, fraction(round(math.exp(memory["beta"]), 9)))
    if getattr(asked, "matrix", None) is None:
        return scaled_sum(weights, stored, len(cue))
    return [{"weights": weights, "scores": scores}[asked.matrix]]


def turns(couplings, state, memory):
    """The field of each neuron in its turn and its value after it, in one sweep."""
    assert memory["max_steps"] == 1
    state, rows = list(state), []
    for neuron in memory["update"]["order"]:
        field = dot(couplings[neuron - 1], state)
        state[neuron - 1] = 1 if field > 0 else -1
        rows.append([field, state[neuron - 1]])
    return rows


def shares(scores, base):
    """The softmax of whole scores with a whole base."""
    assert base.denominator == 1 and all(Fraction(score).denominator == 1 for score in scores)
    powers = [base ** int(score) for score in scores]
    return [power / sum(powers) for power in powers]


def attended(document, asked, _):
    source = document["input"]
    keys = encoded(document, source["tokens"])
    queries = encoded(document, source["queries"]) if source["queries"] else keys
    tokens, edges = source["queries"] or source["tokens"], (document.get("graph") or {}).get("edges")
    last = getattr(asked, "layer", None) or len(document["layer"])
    for layer in document["layer"][:last]:
        (head,) = layer["head"]
        if getattr(asked, "matrix", None) == "scores":
            return [scored(head, query, keys, document) for query in queries]
        weights, outputs = read(head, document, queries, keys, (tokens, source["tokens"], edges))
        states = []
        for query, output in zip(queries, outputs, strict=True):
            before = query if layer["residual"] else {part: [0 * one for one in own] for part, own in query.items()}
            states.append({part: added(own, output.get(part)) for part, own in before.items()})
        queries, keys = states, (keys if source["queries"] else states)
    if getattr(asked, "matrix", None) is not None:
        return {"weights": weights, "output": [output.get("word", output.get("none")) for output in outputs]}[
            asked.matrix
        ]
    return {"state": states, "output": outputs}[asked.of][place(asked.at, tokens)][asked.part or "word"]


def added(one, other):
    return one if other is None else [a + b for a, b in zip(one, other, strict=True)]


def encoded(document, tokens):
    """Each token as its parts by name."""
    spaces = document["spaces"] or {"word": "vocabulary"}
    one_hot = spaces["word"] if isinstance(spaces["word"], list) else None
    rows = []
    for p, token in enumerate(tokens):
        own = [Fraction(token == other) for other in one_hot] if one_hot else document["vocabulary"]["words"][token]
        parts = {"word": own if one_hot else vector(own)}
        if "position" in spaces:
            parts["position"] = [Fraction(value) for value in QUARTERS[quarters(document, p)]]
        rows.append(parts | {part: [Fraction(0)] * len(own) for part, like in spaces.items() if like == "like word"})
    return rows


def quarters(document, steps):
    turn = Fraction(document["positions"]["turn"]) * Fraction(steps) / 90
    assert turn.denominator == 1
    return int(turn) % 4


def projected(own, document, token):
    """A query, key or value: the whole token, a matrix of it, or one of its parts."""
    whole = [value for part in token.values() for value in part]
    if own is None:
        return whole
    if isinstance(own, list):
        rows = zip(*own, strict=True) if document.get("matrices") == "right" else own
        return [dot(vector(row), whole) for row in rows]
    part = token[own["from"] or "word"]
    if own["rotate"]:
        cos, sin = QUARTERS[quarters(document, own["rotate"])]
        part = [cos * part[0] - sin * part[1], sin * part[0] + cos * part[1]]
    return part


def scored(head, query, keys, document):
    """The scores of one word."""
    query = projected(head["query"], document, query)
    found = [projected(head["key"], document, token) for token in keys]
    return [dot(query, key) and dot(query, key) / PARTS[head["similarity"]](query, key) for key in found]


def read(head, document, queries, keys, texts):
    """The weights and the outputs of a head; an output is its parts by name."""
    tokens, seen, edges = texts
    mask = head["mask"] or ("none" if document["input"]["queries"] or head["weights"] else "causal")
    all_weights, outputs = [], []
    for i, query in enumerate(queries):
        visible = [{"none": True, "causal": j <= i, "strict": j < i}[mask] for j in range(len(keys))]
        if edges:
            visible = [[tokens[i], word] in edges for word in seen]
        if head["weights"]:
            given = vector(head["weights"][i])
            left = [value * see for value, see in zip(given, visible, strict=True)]
            weights = [value / sum(left) for value in left]
        else:
            scores = scored(head, query, keys, document)
            slope = fraction(head["bias"]["slope"]) if head["bias"] else 0
            biased = [score - slope * abs(i - j) for j, score in enumerate(scores)]
            weights = weighed(head, [score for score, see in zip(biased, visible, strict=True) if see])
            weights = [weights.pop(0) if see else Fraction(0) for see in visible]
        all_weights.append(weights)
        outputs.append(output(head, document, weights, keys))
    return all_weights, outputs


def weighed(head, scores):
    if head["separation"] == "identity":
        return list(scores)
    if head["separation"] == "argmax":
        best = [score == max(scores) for score in scores]
        return [Fraction(one, sum(best)) for one in best]
    assert head["separation"] == "softmax"
    needs_no_base = not scores or len({*scores}) == 1
    return shares([0] * len(scores), Fraction(2)) if needs_no_base else shares(scores, fraction(head["base"]))


def output(head, document, weights, keys):
    own = head["value"]
    if own is None:
        return {part: scaled_sum(weights, [key[part] for key in keys], len(keys[0][part])) for part in keys[0]}
    values = [projected(own, document, key) for key in keys]
    target = own["to"] if isinstance(own, dict) else "none"
    return {target: scaled_sum(weights, values, len(values[0]))}
