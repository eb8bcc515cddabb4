"""The errors of a student by name, each as changes of the scenario: a wrong answer is the answer of a run with them.

Add an error by adding a function, and its sentence to each file of `hopattn/practice/languages/`.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from hopattn.foundation.registry import Choices

Document = Mapping[str, Any]
"""A scenario with all its defaults."""
Changes = dict[str, Any]
"""Values by their paths, as for `--set`; empty where the error changes nothing."""


def mask_forgotten(document: Document) -> Changes:
    """The words attend to all words."""
    return {} if _heads(document, "mask") == "none" else {"layer.head.mask": "none"}


def future_seen(document: Document) -> Changes:
    """The words attend to those that the mask hides, and not to those that it shows."""
    mask, n = _heads(document, "mask"), len(_tokens(document))
    if mask not in (None, "causal", "strict"):
        return {}
    first = 1 if mask == "strict" else 0
    return {"layer.head.mask": [[j - i >= first for j in range(n)] for i in range(n)]}


def mask_added(document: Document) -> Changes:
    """The words attend to themselves and to the words before them alone."""
    return {"layer.head.mask": "causal"} if _first_head(document) and _heads(document, "mask") == "none" else {}


def all_words_alike(document: Document) -> Changes:
    """Every word has the same weight."""
    source = document.get("input") or {}
    tokens = source.get("tokens", [])
    scores = [[1.0] * len(tokens) for _ in source.get("queries") or tokens]
    return {"layer.head.scores": scores} if _heads(document, "separation") in ("softmax", "identity") else {}


def shares_not_scaled(document: Document) -> Changes:
    """The weights that the mask leaves are not scaled to sum to 1."""
    weights = _first_head(document).get("weights")
    if not weights or _heads(document, "mask") != "causal":
        return {}
    left = [[value if j <= i else 0.0 for j, value in enumerate(row)] for i, row in enumerate(weights)]
    return {"layer.head.weights": left, "layer.head.mask": "none"}


def edges_backwards(document: Document) -> Changes:
    """The messages go along the edges in the wrong direction."""
    edges = (document.get("graph") or {}).get("edges", [])
    return {"graph.edges": [edge[::-1] for edge in edges]} if edges else {}


def word_itself_counted(document: Document) -> Changes:
    """The words attend to themselves too."""
    if edges := (document.get("graph") or {}).get("edges"):
        return {"graph.edges": [*edges, *([word, word] for word in _tokens(document))]}
    return {"layer.head.mask": "causal"} if _heads(document, "mask") == "strict" else {}


def word_itself_left_out(document: Document) -> Changes:
    """The words do not attend to themselves."""
    mask, n = _heads(document, "mask"), len(_tokens(document))
    if mask == "none":
        return {"layer.head.mask": [[i != j for j in range(n)] for i in range(n)]} if _first_head(document) else {}
    return {"layer.head.mask": "strict"} if mask in (None, "causal") else {}


def softmax_for_similarity(document: Document) -> Changes:
    """The weights are the softmax of the similarities."""
    return {"layer.head.separation": "softmax"} if _heads(document, "separation") == "identity" else {}


def similarity_for_softmax(document: Document) -> Changes:
    """The weights are the similarities themselves."""
    if "memory" in document and document["memory"].get("separation") == "softmax":
        return {"memory.separation": "identity", "memory.beta": 1.0}
    if _heads(document, "separation") != "softmax":
        return {}
    return {"layer.head.separation": "identity"} | ({"layer.head.base": math.e} if _heads(document, "base") else {})


def not_divided_by_the_sum(document: Document) -> Changes:
    """The powers of the softmax are the weights."""
    if "memory" in document and document["memory"].get("separation") == "softmax":
        return {"memory.separation": "exponential"}
    return {"layer.head.separation": "exponential"} if _heads(document, "separation") == "softmax" else {}


def largest_alone(document: Document) -> Changes:
    """The largest score has the whole weight."""
    if "memory" in document and document["memory"].get("separation") == "softmax":
        return {"memory.separation": "argmax"}
    return {"layer.head.separation": "argmax"} if _heads(document, "separation") in ("softmax", "identity") else {}


def base_forgotten(document: Document) -> Changes:
    """The powers of the softmax have the base e."""
    if "memory" in document and document["memory"].get("beta") != 1:
        return {"memory.beta": 1.0}
    return {"layer.head.base": math.e} if _heads(document, "base") else {}


def bias_forgotten(document: Document) -> Changes:
    """Nothing is taken from the scores of distant words."""
    tokens = (document.get("input") or {}).get("tokens", [])
    bias = [[0.0] * len(tokens) for _ in tokens]
    return {"layer.head.bias": bias} if isinstance(_first_head(document).get("bias"), Mapping) else {}


def bias_added(document: Document) -> Changes:
    """The distance of two words is added to their score."""
    bias, n = _first_head(document).get("bias"), len((document.get("input") or {}).get("tokens", []))
    if not isinstance(bias, Mapping) or not bias.get("slope"):
        return {}
    return {"layer.head.bias": [[bias["slope"] * abs(i - j) for j in range(n)] for i in range(n)]}


def scale_forgotten(document: Document) -> Changes:
    """The scores are not scaled."""
    return {} if _heads(document, "beta") in (None, 1.0) else {"layer.head.beta": 1.0}


def word_not_added(document: Document) -> Changes:
    """The output of the heads replaces the word."""
    return {"layer.residual": False} if _layers(document, "residual") is True else {}


def word_added(document: Document) -> Changes:
    """The output of the heads is added to the word."""
    return {"layer.residual": True} if _layers(document, "residual") is False else {}


def values_for_keys(document: Document) -> Changes:
    """The queries are compared with the values."""
    head = _first_head(document)
    return {"layer.head.key": head["value"]} if head.get("value") != head.get("key") and head.get("value") else {}


def keys_for_values(document: Document) -> Changes:
    """The weights are given to the keys."""
    head = _first_head(document)
    return {"layer.head.value": head["key"]} if head.get("value") != head.get("key") and head.get("key") else {}


def queries_for_keys(document: Document) -> Changes:
    """Queries and keys change their places."""
    head = _first_head(document)
    query, key = head.get("query"), head.get("key")
    return {"layer.head.query": key, "layer.head.key": query} if query != key and query and key else {}


def positions_forgotten(document: Document) -> Changes:
    """The words are compared without their positions."""
    own = {"from": "word"}
    return {"layer.head.query": own, "layer.head.key": own} if document.get("positions") else {}


def positions_alone(document: Document) -> Changes:
    """The positions are compared without the words."""
    own = {"from": "position"}
    return {"layer.head.query": own, "layer.head.key": own} if document.get("positions") else {}


def transposed_matrix(document: Document) -> Changes:
    """The columns of a matrix are taken for its rows."""
    network, head = document.get("network") or {}, _first_head(document)
    if network.get("matrix"):
        return {"network.matrix": _transposed(network["matrix"])}
    if network.get("rotate"):
        return {"network.rotate": -network["rotate"]}
    matrices = {role: head.get(role) for role in ("query", "key", "value")}
    square = {role: own for role, own in matrices.items() if isinstance(own, list) and len(own) == len(own[0])}
    return {f"layer.head.{role}": _transposed(own) for role, own in square.items()}


def steps_backwards(document: Document) -> Changes:
    """A position is moved in the wrong direction."""
    return _moved(document, lambda steps: -steps)


def no_step(document: Document) -> Changes:
    """A position is not moved."""
    if (document.get("network") or {}).get("rotate"):
        return {"network.rotate": 360}
    return _moved(document, lambda steps: 0)


def dot_product_for_cosine(document: Document) -> Changes:
    """The products are not divided by the magnitudes."""
    return {"layer.head.similarity": "dot"} if _heads(document, "similarity") == "cosine" else {}


def cosine_for_dot_product(document: Document) -> Changes:
    """The products are divided by the magnitudes."""
    if _first_head(document):
        return {"layer.head.similarity": "cosine"} if _heads(document, "similarity") == "dot" else {}
    free = (document.get("vocabulary") or {}).get("magnitude") == "free"
    return {"vocabulary.magnitude": "normalise"} if free else {}


def last_number_left_out(document: Document) -> Changes:
    """The last number of each vector of a neuron is left out of the sum."""
    return _neurons(document, lambda weights: [*weights[:-1], 0])


def first_product_alone(document: Document) -> Changes:
    """The first number of each vector of a neuron alone counts."""
    return _neurons(document, lambda weights: [weights[0], *[0] * (len(weights) - 1)])


def sign_exchanged(document: Document) -> Changes:
    """The numbers of a neuron change their signs."""
    return _neurons(document, lambda weights: [-weight for weight in weights])


def numbers_in_another_order(document: Document) -> Changes:
    """The numbers of a neuron are taken from the last to the first."""
    return _neurons(document, lambda weights: weights[::-1])


def signs_lost(document: Document) -> Changes:
    """The numbers of a neuron lose their signs."""
    return _neurons(document, lambda weights: [abs(weight) for weight in weights])


def synchronous_for_asynchronous(document: Document) -> Changes:
    """All neurons change at once."""
    return {} if "memory" not in document else {"memory.update": "sync"}


def asynchronous_for_synchronous(document: Document) -> Changes:
    """The neurons change one after the other."""
    return {} if "memory" not in document else {"memory.update": "async"}


def one_step_only(document: Document) -> Changes:
    """The recall ends after one step."""
    return {} if "memory" not in document else {"memory.max_steps": 1}


def self_coupling_kept(document: Document) -> Changes:
    """Each neuron is coupled to itself too."""
    model = (document.get("memory") or {}).get("model") or {}
    return {"memory.model.self_coupling": True} if isinstance(model, Mapping) and "self_coupling" in model else {}


def first_pattern_alone(document: Document) -> Changes:
    """The first pattern alone is stored."""
    patterns = (document.get("memory") or {}).get("patterns", [])
    return {"memory.patterns": patterns[:1]} if len(patterns) > 1 else {}


def last_pattern_alone(document: Document) -> Changes:
    """The last pattern alone is stored."""
    patterns = (document.get("memory") or {}).get("patterns", [])
    return {"memory.patterns": patterns[-1:]} if len(patterns) > 1 else {}


def last_pattern_left_out(document: Document) -> Changes:
    """The last pattern is not stored."""
    patterns = (document.get("memory") or {}).get("patterns", [])
    return {"memory.patterns": patterns[:-1]} if len(patterns) > 1 else {}


def pattern_for_cue(document: Document) -> Changes:
    """The first pattern is recalled in place of the cue."""
    patterns = (document.get("memory") or {}).get("patterns", [])
    tokens = _tokens(document)
    return {"input.tokens": patterns[:1] * len(tokens)} if patterns and tokens else {}


mistakes: Choices[Callable[[Document], Changes]] = Choices(
    "error",
    {
        name.replace("_", "-"): found
        for name, found in list(globals().items())
        if not name.startswith("_") and getattr(found, "__module__", "") == __name__ and callable(found)
    },
)
"""The errors by name."""


def _tokens(document: Document) -> list[str]:
    """The words of the text; none where there is no text."""
    return list((document.get("input") or {}).get("tokens", []))


def _first_head(document: Document) -> Mapping[str, Any]:
    return next((head for layer in document.get("layer") or [] for head in layer.get("head") or []), {})


def _heads(document: Document, key: str) -> Any:
    """A value of the first head; "none" where there is no head, so that no error finds what it changes."""
    head = _first_head(document)
    return head.get(key) if head else "none"


def _layers(document: Document, key: str) -> Any:
    return next((layer.get(key) for layer in document.get("layer") or []), None)


def _given(own: Mapping[str, Any]) -> dict[str, Any]:
    """A table without the keys that are left out."""
    return {key: value for key, value in own.items() if value is not None}


def _moved(document: Document, change: Callable[[float], float]) -> Changes:
    """A change of the steps of each query and key that is a position moved."""
    return {
        f"layer.{i}.head.{j}.{role}": {**_given(own), "rotate": change(own["rotate"])}
        for i, layer in enumerate(document.get("layer") or [], start=1)
        for j, head in enumerate(layer.get("head") or [], start=1)
        for role in ("query", "key")
        if isinstance(own := head.get(role), Mapping) and own.get("rotate")
    }


def _transposed(matrix: list[list[float]]) -> list[list[float]]:
    return [list(column) for column in zip(*matrix, strict=True)]


def _neurons(document: Document, change: Callable[[list[float]], list[float]]) -> Changes:
    """A change of the weights of each neuron that words cue."""
    network = document.get("network") or {}
    if network.get("matrix"):
        return {"network.matrix": [change(list(row)) for row in network["matrix"]]}
    neurons = network.get("neurons") or {}
    changed = {name: change(list(weights)) for name, weights in neurons.items()}
    unit = (document.get("vocabulary") or {}).get("magnitude") == "unit"
    free = {"vocabulary.magnitude": "free"} if unit else {}
    return {"network.neurons": changed, **free} if neurons else {}
