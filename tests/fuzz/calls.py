"""Calls of public names that work, by name: wrong arguments replace these."""

from functools import partial

import numpy as np

import hopattn as ha
from tests.fuzz.samples import (
    ATTENTION,
    EYE,
    ONES,
    REAL,
    SPINS,
    TOKENS,
    WIDE_ATTENTION,
    block,
    decoder_block,
    graph,
    head,
    layer,
    modern_at,
    multi_head,
    recipe,
    texts,
    trial,
)

PATTERNS = {"patterns": SPINS}
HEADS = REAL[[[0, 1], [1, 2]]]
VECTORS = {"patterns": REAL}
PAIRS = {"keys": REAL, "values": REAL}
QKV = {"q": REAL, "k": REAL, "v": REAL}
COMPARED = {"memories": ["modern"], "trials": 1, "rng": 0}
STACKED = {"n_layers": 1, "dim": 8, "n_words": 2, "n_draws": 1, "rng": 0}
TEXTS = {"n_texts": 1, "length": 16, "n_triggers": 2}


def own_layer():
    return ha.networks.Layer("a", SPINS.shape[1], "tanh")


def own_synapse():
    return ha.networks.Dense(np.eye(SPINS.shape[1])).on("a", "a")


ARGUMENTS = {
    "retrieval.Additive": lambda: {"w_cue": EYE, "w_key": EYE, "v": ONES},
    "transformer.Affine": lambda: {"weight": EYE, "bias": ONES},
    "positions.Alibi": lambda: {"slope": 0.5},
    "Associator": lambda: {"couplings": EYE, "activation": "identity", "patterns": SPINS},
    "Asynchronous": lambda: {"order": "random"},
    "transformer.AttentionLayer": lambda: {"attention": multi_head(), "residual": True},
    "retrieval.Bilinear": lambda: {"matrix": EYE},
    "Block": lambda: {name: getattr(block(), name) for name in ("attention", "feed_forward", "norms")},
    "retrieval.Capped": lambda: {"cap": 2.0},
    "Checkpoint": lambda: {"path": "folder", "missing": {}},
    "ConcaveConvex": dict,
    "transformer.DeltaState": dict,
    "transformer.EncoderDecoder": lambda: {"encoder": [block()], "decoder": [decoder_block()]},
    "transformer.FeedForward": lambda: {"w_in": EYE, "w_out": EYE, "activation": "relu", "gate": EYE},
    "transformer.FirstWord": lambda: {"dim": 8, "carry": 0.9, "beta": 8.0},
    "Glauber": lambda: {"temperature": 0.5, "cooling": 1.0},
    "Graded": lambda: {"dt": 1.0},
    "Langevin": lambda: {"temperature": 0.5, "dt": 0.2, "correction": True},
    "Metropolis": lambda: {"temperature": 0.5, "width": 1.0},
    "Head": lambda: {"w_query": EYE, "w_key": EYE, "w_value": EYE, "key_norm": ha.transformer.RMSNorm()},
    "Hopfield": lambda: {"couplings": 1 - EYE, "activation": "sign", "patterns": SPINS},
    "KeyValueCache": lambda: {"layers": [ha.transformer.AttentionLayer(ha.MultiHead([head()], EYE))]},
    "transformer.LinearState": dict,
    "Memory": lambda: {**PAIRS, "sink": 0.0},
    "MultiHead": lambda: {"heads": [head(mask="none")], "w_out": EYE},
    "transformer.LayerNorm": lambda: {"gain": ONES, "shift": ONES, "epsilon": 1e-5},
    "transformer.RMSNorm": lambda: {"gain": ONES, "shift": ONES, "epsilon": 1e-5},
    "retrieval.RandomFeatures": lambda: {"n": 8, "rng": 0},
    "circuits.Recipe": lambda: {"layers": 1, "dim": 8, "heads": 2},
    "transformer.Recurrent": lambda: {"w_input": EYE, "w_hidden": EYE, "bias": ONES, "activation": "tanh"},
    "transformer.RecurrentDecoder": lambda: {
        "cell": ha.transformer.Recurrent(EYE.repeat(2, axis=1), EYE),
        "similarity": "dot",
    },
    "positions.LinearScaling": lambda: {"factor": 2.0},
    "positions.Rotary": lambda: {
        "base": 10.0,
        "layout": "half",
        "dim": 2,
        "scaling": ha.positions.LinearScaling(2.0),
    },
    "positions.WavelengthScaling": lambda: {"factor": 2.0, "low": 1.0, "high": 4.0, "original": 8},
    "positions.YarnScaling": lambda: {
        "factor": 2.0,
        "original": 8,
        "fast": 32.0,
        "slow": 1.0,
        "whole": True,
        "length": 1.0,
    },
    "positions.alibi": lambda: {"n_heads": 2, "n": 3},
    "positions.alibi_slopes": lambda: {"n_heads": 4},
    "attention": lambda: {**QKV, "beta": 1.0, "sink": 0.0},
    "circuits.attention_sink": lambda: {"attention": ATTENTION, "position": 0},
    "gradients.backward": lambda: {"block": block(), "x": REAL, "upstream": REAL},
    "memories.bam": lambda: {"left": SPINS, "right": SPINS},
    "networks.Attention": lambda: {"query": EYE, "key": EYE, "separation": "softmax", "beta": 1.0},
    "networks.Convolution": lambda: {"kernel": EYE[None], "stride": 1},
    "networks.Dense": lambda: {"weights": EYE},
    "networks.Function": lambda: {"value": sum, "slopes": tuple, "curvature": 0.0},
    "networks.Layer": lambda: {"name": "a", "shape": 3, "activation": "tanh", "tau": 1.0},
    "networks.Network": lambda: {"layers": [own_layer()], "synapses": [own_synapse()], "patterns": SPINS},
    "networks.Stored": lambda: {"keys": EYE, "separation": "softmax", "beta": 1.0},
    "memories.of_network": lambda: {"network": ha.networks.Network([own_layer()], [own_synapse()])},
    "networks.EnergyTransformer": lambda: {"w_query": HEADS, "w_key": HEADS, "memories": REAL},
    "networks.Patches": lambda: {"n_pixels": 4, "n_tokens": 2},
    "networks.boltzmann": lambda: {"memory": ha.memories.hopfield(SPINS), "temperature": [0.5, 1.0]},
    "causal": lambda: {"n": 3},
    "certify": lambda: {"memory": "hopfield", "update": "async", "count": 3, "rng": 0},
    "compare": lambda: {**PAIRS, "cues": REAL, "memories": ["modern"]},
    "experiments.compare_patterns": lambda: {**PATTERNS, **COMPARED},
    "experiments.compare_random": lambda: {"dim": 8, "n_patterns": 2, **COMPARED},
    "circuits.composition": lambda: {"w_out": EYE, "w_in": EYE},
    "circuits.composition_baseline": lambda: {"w_out": REAL, "w_in": REAL[:, :3], "n_draws": 2, "rng": 0},
    "circuits.copying": lambda: {"w_ov": EYE, "embed": EYE},
    "cosine": lambda: {"a": REAL, "b": REAL},
    "cue": lambda: {"weights": ONES, "activation": ONES},
    "networks.curie_weiss": lambda: {"n": 4, "temperature": [0.5, 1.0]},
    "memories.delta": lambda: {**PAIRS, "rate": 1.0, "sweeps": 1},
    "transformer.delta_attention": lambda: dict(QKV),
    "memories.dense": lambda: {**PATTERNS, "n": 3},
    "circuits.duplicate_token": lambda: {"attention": ATTENTION, "tokens": TOKENS},
    "explore": lambda: {"scenario": [[1.0, 0.0], [0.5, 0.5]], "tokens": ["a", "b"]},
    "memories.exponential": lambda: dict(PATTERNS),
    "experiments.forgetting": lambda: {
        "lengths": [0, 1],
        "model": ha.transformer.FirstWord(8),
        "names": 2,
        "trials": 2,
        "rng": 0,
    },
    "transformer.free_energy": lambda: {"q": REAL, "k": REAL, "beta": 1.0, "sink": 0.0},
    "memories.graded": lambda: {**PATTERNS, "beta": 4.0},
    "gradients.gradient_flow": lambda: {"blocks": [block()], "x": REAL, "upstream": REAL},
    "circuits.head_census": lambda: {"layers": [(multi_head(), REAL)], "tokens": TOKENS},
    "circuits.head_compositions": lambda: {"earlier": head(), "later": head()},
    "circuits.head_scores": lambda: {"attention": ATTENTION, "tokens": TOKENS},
    "memories.hopfield": lambda: {**PATTERNS, "rule": "hebb"},
    "html": lambda: {"thing": ha.memories.hopfield(SPINS)},
    "circuits.induction_circuit": lambda: {"dim": 4, "length": 4},
    "memories.k_subsets": lambda: {**VECTORS, "k": 2},
    "transformer.layer_by_messages": lambda: {"layer": layer(), "x": REAL},
    "learning.associate": lambda: {"left": SPINS, "right": SPINS},
    "learning.covariance": lambda: dict(PATTERNS),
    "learning.delta": lambda: dict(PAIRS),
    "learning.hebb": lambda: dict(PATTERNS),
    "learning.perceptron": lambda: dict(PATTERNS),
    "learning.pseudo_inverse": lambda: dict(PATTERNS),
    "learning.storkey": lambda: dict(PATTERNS),
    "learning.storkey_by_definition": lambda: dict(PATTERNS),
    "learning.perceptron_by_definition": lambda: dict(PATTERNS),
    "memories.linear": lambda: {**PAIRS, "feature_map": "elu", "normalise": True},
    "transformer.linear_attention": lambda: dict(QKV),
    "load": lambda: {"path": "bank"},
    "load_memory": lambda: {"path": "memory.npz"},
    "load_sweep": lambda: {"file": "sweep.npz"},
    "mapped": lambda: {"path": "array.npy"},
    "networks.mean_field": lambda: {"temperature": [0.5, 1.0]},
    "circuits.memory_circuit": lambda: {"width": 8, "n_words": 4, "length": 16, "rng": 0},
    "circuits.memory_curves": lambda: {"widths": [8], "n_words": 8, **TEXTS, "n_draws": 1, "rng": 0},
    "memories.input_driven": lambda: {**PATTERNS, "input": SPINS[0], "beta": 2.0},
    "memories.log_sum_relu": lambda: {**VECTORS, "beta": 1.0, "epsilon": 0.1},
    "memories.random_features": lambda: {**VECTORS, "beta": 1.0, "n": 16, "rng": 0},
    "memories.threshold_layer": lambda: {**VECTORS, "threshold": 0.5},
    "memories.stable_hidden_states": lambda: {"memory": ha.memories.threshold_layer(SPINS)},
    "memories.modern": lambda: {**VECTORS, "beta": 8.0, "sink": 0.0},
    "memories.nearest": lambda: dict(PAIRS),
    "memories.normmax": lambda: {**VECTORS, "alpha": 2.0},
    "retrieval.operating_class": lambda: {"weights": WIDE_ATTENTION},
    "circuits.outer_product_recall": lambda: {"n_keys": 2, "width": 8},
    "padding": lambda: {"lengths": [1, 2], "n": 3},
    "transformer.pass_messages": lambda: {"graph": ha.transformer.token_graph(head().trace(REAL), TOKENS)},
    "plot": lambda: {"thing": ATTENTION, "name": "attention"},
    "landscapes.bifurcation": lambda: {"build": modern_at, "values": [2.0, 1.0], "count": 10, "rng": 0},
    "landscapes.fixed_points": lambda: {"memory": ha.memories.modern(REAL), "count": 10, "rng": 0},
    "landscapes.radii": lambda: {
        "build": ha.memories.hopfield,
        "load": [0.1, 0.2],
        "neurons": 20,
        "damage": [0.1, 0.3],
        "cues": 4,
        "memories": 2,
        "rng": 0,
    },
    "landscapes.returns": lambda: {"memory": ha.memories.hopfield(SPINS), "damage": [0.25, 0.5], "cues": 4, "rng": 0},
    "landscapes.spin_states": lambda: {"memory": ha.memories.hopfield(SPINS)},
    "circuits.position_lead": lambda: {"turns": [0.1, 0.2], "length": 4},
    "circuits.position_probe": lambda: {"layers": [block()], "texts": texts()},
    "circuits.prefix_matching": lambda: {"attention": ATTENTION, "tokens": TOKENS},
    "circuits.previous_token": lambda: {"attention": ATTENTION},
    "circuits.random_blocks": lambda: {"n_layers": 1, "dim": 4, "n_heads": 1, "rng": 0},
    "circuits.random_texts": lambda: {"n_texts": 2, "length": 3, "n_words": 3, "dim": 4, "rng": 0},
    "circuits.recall_width": lambda: {"n_keys": 2},
    "register": lambda: {"part": ha.separations.softmax},
    "rope": lambda: {"x": REAL, "positions": [0, 1, 2]},
    "rotation": lambda: {"angle": 0.5, "dim": 2},
    "run": lambda: {"scenario": ha.load("bank"), "rng": 0},
    "gradients.saturation_of": lambda: {"scores": ATTENTION, "magnitudes": [1.0]},
    "memories.sdm": lambda: {"addresses": SPINS, "values": SPINS, "radius": 2, "locations": SPINS},
    "circuits.select": lambda: {"keys": [0, 1], "queries": [1, 0], "where": "=="},
    "memories.sequence": lambda: {**PATTERNS, "n": 3},
    "cluster.sharded": lambda: {**PAIRS, "cluster": None},
    "circuits.sink_share": lambda: {"attention": ATTENTION},
    "sinusoidal": lambda: {"n": 3, "dim": 4},
    "positions.sinusoidal_shift": lambda: {"k": 1, "dim": 4},
    "gradients.softmax_jacobian": lambda: {"scores": [0.0, 1.0]},
    "gradients.softmax_saturation": lambda: {"magnitudes": [1.0], "n_scores": 3, "n_draws": 1, "rng": 0},
    "memories.sparse": lambda: {**VECTORS, "alpha": 2.0},
    "memories.spherical": lambda: {**VECTORS, "separation": "softmax"},
    "transformer.stack": lambda: {"layers": [layer()], "x": REAL},
    "gradients.stack_gradients": lambda: dict(STACKED),
    "strict": lambda: {"n": 3},
    "sweep": lambda: {"trial": trial, "axes": {"x": [1, 2]}, "trials": 1, "workers": 1},
    "experiments.sweep_scenario": lambda: {
        "scenario": ha.load("bank"),
        "over": {"layer.head.beta": [1, 2]},
        "workers": 1,
    },
    "theory.critical_load": lambda: {"temperature": [0.0, 0.5]},
    "theory.dense_capacity": lambda: {"neurons": [10, 20], "n": 3},
    "theory.diluted_load": lambda: {"temperature": 0.5},
    "theory.forgetting_load": lambda: {"rate": 4.0},
    "theory.glass_temperature": lambda: {"load": [0.05, 0.1]},
    "theory.margins": lambda: {"patterns": REAL},
    "theory.metastable_rate": lambda: {"neurons": 12},
    "theory.noisy_load": lambda: {"noise": [0.0, 0.5]},
    "theory.overlap": lambda: {"load": [0.05, 0.1], "temperature": 0.1},
    "theory.retrieval_temperature": lambda: {"load": [0.05, 0.1]},
    "theory.sparse_load": lambda: {"activity": [0.1, 0.2]},
    "theory.sparse_overlap": lambda: {"load": [0.1, 0.2], "activity": 0.1, "threshold": 0.5},
    "theory.stable_load": lambda: {"temperature": [0.0, 0.5]},
    "theory.stable_temperature": lambda: {"load": [0.01, 0.02]},
    "transformer.worth": lambda: {"head": head(), "x": REAL, "token": 0, "mask": None},
    "transformer.token_graph": lambda: {"trace": head().trace(REAL), "tokens": TOKENS},
    "circuits.train": lambda: {"recipe": recipe()},
    "circuits.trigger_texts": lambda: {"n_words": 8, "rng": 0, **TEXTS},
    "circuits.uniform_attention": lambda: {"n": 3},
    "unit": lambda: {"x": REAL},
    "memories.universal": lambda: dict(PAIRS),
    "memories.worth": lambda: {"memory": ha.Memory(REAL), "cues": REAL, "pattern": 0},
    "gradients.vanishing_gradients": lambda: dict(STACKED),
    "circuits.walk": lambda: {"world": ha.circuits.World.line(3), "steps": 5, "planes": 2, "kinds": 2, "rng": 0},
    "window": lambda: {"n": 2},
    "positions.with_positions": lambda: {"words": EYE, "positions": EYE, "how": "add"},
    "circuits.world_of_graph": lambda: {"graph": graph(), "inverse": {"go": "back"}},
}
"""Functions that make the arguments anew, because a call may use one up."""

MISSING = {"Checkpoint", "load_memory", "load_sweep", "mapped", "cluster.sharded", "Training.load"}
"""Calls of what is not there, a file or a cluster: they must refuse it."""


def public(name):
    """The function or class of a name: of the package, or of one of its modules such as `theory`."""
    module, _, own = name.rpartition(".")
    return getattr(getattr(ha, module) if module else ha, own)


def functions():
    """Each public function and class by its name: a function that gives it with arguments that work."""
    return {name: partial(_with_arguments, name) for name in ARGUMENTS}


def _with_arguments(name):
    return public(name), ARGUMENTS[name]()
