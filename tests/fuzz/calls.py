"""Calls of public names that work, by name, and the small arrays in them: wrong arguments replace these."""

from functools import partial

import numpy as np

import hopattn as ha

SPINS = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]])
REAL = np.array([[0.6, 0.8, 0.0, 0.0], [0.0, 0.0, 0.8, 0.6], [1.0, 0.0, 0.0, 0.0]])
EYE = np.eye(4)
ONES = np.ones(4)
ATTENTION = np.array([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
WIDE_ATTENTION = np.eye(32)
TOKENS = ["a", "b", "a"]


def head(mask="causal", **options):
    return ha.Head(EYE[:2], EYE[:2], EYE, mask=mask, **options)


def multi_head():
    return ha.MultiHead([head(mask="none")], EYE)


def layer():
    return ha.transformer.AttentionLayer(multi_head())


def block(**options):
    """A block that PyTorch has too."""
    attention = ha.circuits.random_blocks(1, 4, 1, rng=0)[0].attention
    norms = [ha.transformer.LayerNorm(ONES, ONES)] * (2 + len(options))
    return ha.Block(
        attention,
        ha.transformer.FeedForward(ha.transformer.Affine(EYE, ONES), ha.transformer.Affine(EYE, ONES)),
        norms=norms,
        **options,
    )


def modern_at(beta):
    return ha.memories.modern(REAL, beta=beta)


def decoder_block():
    return block(cross=block().attention)


def texts():
    return ha.circuits.random_texts(4, 4, n_words=3, dim=4, rng=0)


def trigger_texts():
    return ha.circuits.trigger_texts(n_texts=1, length=16, n_words=4, n_triggers=2, rng=0)


def recipe():
    return ha.circuits.Recipe(
        layers=1, dim=4, heads=2, words=6, length=8, shortest=2, longest=3, steps=1, batch=1, every=1, seed=0
    )


def trial(point, seed):
    return {"y": float(point["x"])}


def graph():
    import networkx

    made = networkx.MultiDiGraph()
    made.add_edge("here", "there", action="go")
    made.add_edge("there", "here", action="back")
    return made


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


# fmt: off
ARGUMENTS = {
    "retrieval.Additive": lambda: {"w_cue": EYE, "w_key": EYE, "v": ONES},
    "transformer.Affine": lambda: {"weight": EYE, "bias": ONES}, "positions.Alibi": lambda: {"slope": 0.5},
    "Associator": lambda: {"couplings": EYE, "activation": "identity", "patterns": SPINS},
    "Asynchronous": lambda: {"order": "random"},
    "transformer.AttentionLayer": lambda: {"attention": multi_head(), "residual": True},
    "retrieval.Bilinear": lambda: {"matrix": EYE},
    "Block": lambda: {name: getattr(block(), name) for name in ("attention", "feed_forward", "norms")},
    "retrieval.Capped": lambda: {"cap": 2.0}, "Checkpoint": lambda: {"path": "folder", "missing": {}},
    "transformer.EncoderDecoder": lambda: {"encoder": [block()], "decoder": [decoder_block()]},
    "transformer.FeedForward": lambda: {"w_in": EYE, "w_out": EYE, "activation": "relu", "gate": EYE},
    "transformer.FirstWord": lambda: {"dim": 8, "carry": 0.9, "beta": 8.0},
    "Glauber": lambda: {"temperature": 0.5, "cooling": 1.0}, "Graded": lambda: {"dt": 1.0},
    "Langevin": lambda: {"temperature": 0.5, "dt": 0.2, "correction": True},
    "Metropolis": lambda: {"temperature": 0.5, "width": 1.0},
    "Head": lambda: {"w_query": EYE, "w_key": EYE, "w_value": EYE, "key_norm": ha.transformer.RMSNorm()},
    "Hopfield": lambda: {"couplings": 1 - EYE, "activation": "sign", "patterns": SPINS},
    "KeyValueCache": lambda: {"layers": [ha.transformer.AttentionLayer(ha.MultiHead([head()], EYE))]},
    "Memory": lambda: {**PAIRS, "sink": 0.0}, "MultiHead": lambda: {"heads": [head(mask="none")], "w_out": EYE},
    "retrieval.RandomFeatures": lambda: {"n": 8, "rng": 0},
    "circuits.Recipe": lambda: {"layers": 1, "dim": 8, "heads": 2},
    "transformer.Recurrent": lambda: {"w_input": EYE, "w_hidden": EYE, "bias": ONES, "activation": "tanh"},
    "transformer.RecurrentDecoder": lambda: {"cell": ha.transformer.Recurrent(EYE.repeat(2, axis=1), EYE),
        "similarity": "dot"},
    "positions.LinearScaling": lambda: {"factor": 2.0},
    "positions.Rotary": lambda: {"base": 10.0, "layout": "half", "dim": 2, "scaling": ha.positions.LinearScaling(2.0)},
    "positions.WavelengthScaling": lambda: {"factor": 2.0, "low": 1.0, "high": 4.0, "original": 8},
    "positions.YarnScaling": lambda: {"factor": 2.0, "original": 8, "fast": 32.0, "slow": 1.0, "whole": True,
        "length": 1.0},
    "positions.alibi": lambda: {"n_heads": 2, "n": 3}, "positions.alibi_slopes": lambda: {"n_heads": 4},
    "attention": lambda: {**QKV, "beta": 1.0, "sink": 0.0},
    "circuits.attention_sink": lambda: {"attention": ATTENTION, "position": 0},
    "gradients.backward": lambda: {"block": block(), "x": REAL, "upstream": REAL},
    "networks.Attention": lambda: {"query": EYE, "key": EYE, "separation": "softmax", "beta": 1.0},
    "networks.Convolution": lambda: {"kernel": EYE[None], "stride": 1}, "networks.Dense": lambda: {"weights": EYE},
    "networks.Function": lambda: {"value": sum, "slopes": tuple, "curvature": 0.0},
    "networks.Layer": lambda: {"name": "a", "shape": 3, "activation": "tanh", "tau": 1.0},
    "networks.Network": lambda: {"layers": [own_layer()], "synapses": [own_synapse()], "patterns": SPINS},
    "networks.Stored": lambda: {"keys": EYE, "separation": "softmax", "beta": 1.0},
    "memories.of_network": lambda: {"network": ha.networks.Network([own_layer()], [own_synapse()])},
    "networks.EnergyTransformer": lambda: {"w_query": HEADS, "w_key": HEADS, "memories": REAL},
    "networks.Patches": lambda: {"n_pixels": 4, "n_tokens": 2},
    "networks.boltzmann": lambda: {"memory": ha.memories.hopfield(SPINS), "temperature": [0.5, 1.0]},
    "certify": lambda: {"memory": "hopfield", "update": "async", "count": 3, "rng": 0},
    "compare": lambda: {**PAIRS, "cues": REAL, "memories": ["modern"]},
    "experiments.compare_patterns": lambda: {**PATTERNS, **COMPARED},
    "experiments.compare_random": lambda: {"dim": 8, "n_patterns": 2, **COMPARED},
    "circuits.composition": lambda: {"w_out": EYE, "w_in": EYE},
    "circuits.composition_baseline": lambda: {"w_out": REAL, "w_in": REAL[:, :3], "n_draws": 2, "rng": 0},
    "circuits.copying": lambda: {"w_ov": EYE, "embed": EYE}, "cosine": lambda: {"a": REAL, "b": REAL},
    "cue": lambda: {"weights": ONES, "activation": ONES},
    "networks.curie_weiss": lambda: {"n": 4, "temperature": [0.5, 1.0]},
    "memories.delta": lambda: {**PAIRS, "rate": 1.0, "sweeps": 1}, "memories.dense": lambda: {**PATTERNS, "n": 3},
    "explore": lambda: {"scenario": [[1.0, 0.0], [0.5, 0.5]], "tokens": ["a", "b"]},
    "experiments.forgetting": lambda: {"lengths": [0, 1], "model": ha.transformer.FirstWord(8), "names": 2,
        "trials": 2, "rng": 0},
    "transformer.free_energy": lambda: {"q": REAL, "k": REAL, "beta": 1.0, "sink": 0.0},
    "memories.graded": lambda: {**PATTERNS, "beta": 4.0},
    "gradients.gradient_flow": lambda: {"blocks": [block()], "x": REAL, "upstream": REAL},
    "circuits.head_census": lambda: {"layers": [(multi_head(), REAL)], "tokens": TOKENS},
    "circuits.head_compositions": lambda: {"earlier": head(), "later": head()},
    "memories.hopfield": lambda: {**PATTERNS, "rule": "hebb"}, "html": lambda: {"thing": ha.memories.hopfield(SPINS)},
    "circuits.induction_circuit": lambda: {"dim": 4, "length": 4}, "memories.k_subsets": lambda: {**VECTORS, "k": 2},
    "transformer.layer_by_messages": lambda: {"layer": layer(), "x": REAL},
    "memories.linear": lambda: {**PAIRS, "feature_map": "elu", "normalise": True}, "load": lambda: {"path": "bank"},
    "networks.MaxCut": lambda: {"weights": 1 - EYE},
    "networks.Quadratic": lambda: {"Q": EYE, "c": ONES, "constant": 1.0, "states": "01"},
    "networks.Queens": lambda: {"size": 4, "A": 1.0},
    "networks.TravellingSalesman": lambda: {"distances": 1 - EYE, "A": 500.0, "n": 6.0},
    "networks.minimise": lambda: {"problem": ha.networks.Queens(4), "starts": 5, "u0": None, "max_steps": 20, "rng": 0},
    "networks.mean_field": lambda: {"temperature": [0.5, 1.0]},
    "circuits.memory_circuit": lambda: {"width": 8, "n_words": 4, "length": 16, "rng": 0},
    "circuits.memory_curves": lambda: {"widths": [8], "n_words": 8, **TEXTS, "n_draws": 1, "rng": 0},
    "memories.input_driven": lambda: {**PATTERNS, "input": SPINS[0], "beta": 2.0},
    "memories.log_sum_relu": lambda: {**VECTORS, "beta": 1.0, "epsilon": 0.1},
    "memories.random_features": lambda: {**VECTORS, "beta": 1.0, "n": 16, "rng": 0},
    "memories.threshold_layer": lambda: {**VECTORS, "threshold": 0.5},
    "memories.stable_hidden_states": lambda: {"memory": ha.memories.threshold_layer(SPINS)},
    "memories.modern": lambda: {**VECTORS, "beta": 8.0, "sink": 0.0},
    "memories.normmax": lambda: {**VECTORS, "alpha": 2.0},
    "retrieval.operating_class": lambda: {"weights": WIDE_ATTENTION},
    "circuits.outer_product_recall": lambda: {"n_keys": 2, "width": 8}, "padding": lambda: {"lengths": [1, 2]},
    "transformer.pass_messages": lambda: {"graph": ha.transformer.token_graph(head().trace(REAL), TOKENS)},
    "plot": lambda: {"thing": ATTENTION, "name": "attention"},
    "landscapes.bifurcation": lambda: {"build": modern_at, "values": [2.0, 1.0], "count": 10, "rng": 0},
    "landscapes.fixed_points": lambda: {"memory": ha.memories.modern(REAL), "count": 10, "rng": 0},
    "landscapes.radii": lambda: {"build": ha.memories.hopfield, "load": [0.1, 0.2], "neurons": 20, "damage": [0.1,
        0.3], "cues": 4, "memories": 2, "rng": 0},
    "landscapes.returns": lambda: {"memory": ha.memories.hopfield(SPINS), "damage": [0.25, 0.5], "cues": 4, "rng": 0},
    "landscapes.spin_states": lambda: {"memory": ha.memories.hopfield(SPINS)},
    "circuits.position_lead": lambda: {"turns": [0.1, 0.2], "length": 4},
    "circuits.position_probe": lambda: {"layers": [block()], "texts": texts()},
    "circuits.random_blocks": lambda: {"n_layers": 1, "dim": 4, "n_heads": 1, "rng": 0},
    "circuits.random_texts": lambda: {"n_texts": 2, "length": 3, "n_words": 3, "dim": 4, "rng": 0},
    "circuits.recall_width": lambda: {"n_keys": 2}, "register": lambda: {"part": ha.separations.softmax},
    "rope": lambda: {"x": REAL, "positions": [0, 1, 2]}, "rotation": lambda: {"angle": 0.5, "dim": 2},
    "run": lambda: {"scenario": ha.load("bank"), "rng": 0},
    "gradients.saturation_of": lambda: {"scores": ATTENTION, "magnitudes": [1.0]},
    "memories.sdm": lambda: {"addresses": SPINS, "values": SPINS, "radius": 2, "locations": SPINS},
    "circuits.select": lambda: {"keys": [0, 1], "queries": [1, 0], "where": "=="},
    "memories.sequence": lambda: {**PATTERNS, "n": 3}, "cluster.sharded": lambda: {**PAIRS, "cluster": None},
    "sinusoidal": lambda: {"n": 3, "dim": 4}, "Step": dict, "positions.sinusoidal_shift": lambda: {"k": 1, "dim": 4},
    "gradients.softmax_jacobian": lambda: {"scores": [0.0, 1.0]},
    "gradients.softmax_saturation": lambda: {"magnitudes": [1.0], "n_scores": 3, "n_draws": 1, "rng": 0},
    "memories.sparse": lambda: {**VECTORS, "alpha": 2.0},
    "memories.spherical": lambda: {**VECTORS, "separation": "softmax"},
    "transformer.stack": lambda: {"layers": [layer()], "x": REAL},
    "sweep": lambda: {"trial": trial, "axes": {"x": [1, 2]}, "trials": 1, "workers": 1},
    "experiments.sweep_scenario": lambda: {"scenario": ha.load("bank"), "over": {"layer.head.beta": [1, 2]},
        "workers": 1},
    "theory.dense_capacity": lambda: {"neurons": [10, 20], "n": 3},
    "theory.active_share": lambda: {"bits": 20, "radius": 8},
    "theory.bit_error": lambda: {"load": [0.1, 0.2], "neurons": 50},
    "theory.linear_denoising_error": lambda: {"dim": 4, "signal": 1.0, "noise": 0.5, "context": 100.0},
    "theory.random_storage": lambda: {"dim": 20, "scale": 3.0, "beta": 1.0},
    "theory.sphere_denoising_error": lambda: {"dim": 3, "radius": 1.0, "noise": 0.5},
    "theory.critical_distance": lambda: {"bits": 20, "radius": 8, "locations": 1000, "words": 10},
    "theory.dense_error": lambda: {"patterns": [10.0, 20.0], "neurons": 30, "n": 3},
    "theory.dichotomies": lambda: {"points": 6, "dim": 3},
    "theory.exponential_error": lambda: {"patterns": [10.0, 200.0], "neurons": 12, "beta": 0.5},
    "theory.faultless_patterns": lambda: {"neurons": [10, 20], "rule": "storkey"},
    "theory.faultless_share": lambda: {"patterns": 5, "neurons": 30},
    "theory.free_energy": lambda: {"load": [0.05, 0.1], "temperature": 0.1},
    "theory.gardner_load": lambda: {"margin": [0.0, 0.5]}, "theory.gardner_margin": lambda: {"load": 0.5},
    "theory.held_share": lambda: {"spread": [0.5, 2.0]},
    "theory.kept_sums": lambda: {"neurons": 100, "parts": 10, "threshold": 0.5},
    "theory.load_at_error": lambda: {"error": [0.01, 0.1]},
    "theory.mixture_overlap": lambda: {"n": 3, "temperature": [0.1, 0.3]},
    "theory.replica_load": lambda: {"temperature": [0.01, 0.5]},
    "theory.separable_share": lambda: {"points": 6, "dim": 3},
    "theory.sequence_capacity": lambda: {"neurons": 30.0, "n": 2},
    "theory.sequence_error": lambda: {"patterns": 20, "neurons": 30, "n": 2, "rectified": True},
    "theory.sdm_error": lambda: {"bits": 20, "radius": 8, "locations": 1000, "words": 10, "distance": 3},
    "theory.shared_overlap": lambda: {"empty": 0.4, "which": 2},
    "theory.shared_share": lambda: {"bits": 20, "radius": 8, "distance": 3},
    "theory.sphere_load": lambda: {"beta": [0.5, 2.0], "temperature": 0.1},
    "theory.sphere_noise": lambda: {"beta": [0.5, 2.0], "neurons": 10},
    "theory.sphere_overlap": lambda: {"temperature": [0.5, 2.0], "neurons": 10},
    "theory.sphere_temperature": lambda: {"load": [0.1, 0.2], "beta": 1.0},
    "theory.sphere_weight": lambda: {"load": [0.1, 0.2], "beta": 1.0, "neurons": 10},
    "theory.diluted_load": lambda: {"temperature": 0.5}, "theory.forgetting_load": lambda: {"rate": 4.0},
    "theory.margins": lambda: {"patterns": REAL}, "theory.metastable_rate": lambda: {"neurons": 12},
    "theory.noisy_load": lambda: {"noise": [0.0, 0.5]},
    "theory.overlap": lambda: {"load": [0.05, 0.1], "temperature": 0.1},
    "theory.sparse_load": lambda: {"activity": [0.1, 0.2]},
    "theory.sparse_overlap": lambda: {"load": [0.1, 0.2], "activity": 0.1, "threshold": 0.5},
    "transformer.worth": lambda: {"head": head(), "x": REAL, "token": 0, "mask": None},
    "transformer.token_graph": lambda: {"trace": head().trace(REAL), "tokens": TOKENS},
    "circuits.train": lambda: {"recipe": recipe()}, "circuits.trigger_texts": lambda: {"n_words": 8, "rng": 0, **TEXTS},
    "unit": lambda: {"x": REAL}, "memories.worth": lambda: {"memory": ha.Memory(REAL), "cues": REAL, "pattern": 0},
    "circuits.walk": lambda: {"world": ha.circuits.World.line(3), "steps": 5, "planes": 2, "kinds": 2, "rng": 0},
    "window": lambda: {"width": 2}, "positions.with_positions": lambda: {"words": EYE, "positions": EYE, "how": "add"},
    "circuits.world_of_graph": lambda: {"graph": graph(), "inverse": {"go": "back"}},
    **dict.fromkeys(("memories.exponential", "learning.covariance", "learning.hebb", "learning.outer_products",
        "learning.perceptron",
        "learning.pseudo_inverse", "learning.storkey", "learning.storkey_by_definition",
        "learning.perceptron_by_definition"), lambda: dict(PATTERNS)),
    **dict.fromkeys(("ConcaveConvex", "transformer.DeltaState", "transformer.LinearState"), dict),
    **dict.fromkeys(("transformer.delta_attention", "transformer.linear_attention"), lambda: dict(QKV)),
    **dict.fromkeys(("learning.delta", "memories.nearest", "memories.universal"), lambda: dict(PAIRS)),
    **dict.fromkeys(("circuits.uniform_attention", "theory.mixture_energy", "theory.mixture_load",
        "theory.mixture_temperature"), lambda: {"n": 3}),
    **dict.fromkeys(("theory.gaussian_load", "theory.relu_load", "theory.sphere_bound"), lambda: {"beta": [0.5, 2.0]}),
    **dict.fromkeys(("theory.glass_temperature", "theory.replica_temperature", "theory.retrieval_temperature",
        "theory.retrieval_temperatures"), lambda: {"load": [0.05, 0.1]}),
    **dict.fromkeys(("theory.stable_temperature", "theory.stable_temperatures"), lambda: {"load": [0.01, 0.02]}),
    **dict.fromkeys(("theory.critical_load", "theory.stable_load"), lambda: {"temperature": [0.0, 0.5]}),
    **dict.fromkeys(("theory.contraction_bound", "theory.retrieval_bound"), lambda: {"patterns": REAL, "beta": 2.0,
        "damage": 0.1} ),
    **dict.fromkeys(("gradients.stack_gradients", "gradients.vanishing_gradients"), lambda: dict(STACKED)),
    **dict.fromkeys(("transformer.LayerNorm", "transformer.RMSNorm"), lambda: {"gain": ONES, "shift": ONES,
        "epsilon": 1e-5} ),
    **dict.fromkeys(("circuits.duplicate_token", "circuits.head_scores", "circuits.prefix_matching"),
        lambda: {"attention": ATTENTION, "tokens": TOKENS}),
    **dict.fromkeys(("circuits.previous_token", "circuits.sink_share"), lambda: {"attention": ATTENTION}),
    **dict.fromkeys(("learning.associate", "memories.bam"), lambda: {"left": SPINS, "right": SPINS}),
}
"""Functions that make the arguments anew, because a call may use one up."""
# fmt: on

MISSING = {"Checkpoint", "Training.load"}
"""Calls of a file that is not there: they must refuse it."""


def public(name):
    """The function or class of a name: of the package, or of one of its modules such as `theory`."""
    module, _, own = name.rpartition(".")
    return getattr(getattr(ha, module) if module else ha, own)


def functions():
    """Each public function and class by its name: a function that gives it with arguments that work."""
    return {name: partial(_with_arguments, name) for name in ARGUMENTS}


def _with_arguments(name):
    return public(name), ARGUMENTS[name]()
