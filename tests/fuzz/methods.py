"""Calls of methods that work, by class and name: wrong arguments replace these."""

import inspect
from functools import cache, partial
from pathlib import Path
from types import FunctionType

import numpy as np

import hopattn as ha
from hopattn.experiments.model_heads import trained
from hopattn.foundation.registry import Choices
from tests.checkpoints.written import GPT2, lasting_folder, state_of, write
from tests.fuzz.calls import ARGUMENTS, EYE, ONES, REAL, SPINS, TOKENS, block, public, recipe, trigger_texts
from tests.fuzz.values import words

MADE = words("""
retrieval.Additive transformer.Affine positions.Alibi Asynchronous retrieval.Bilinear Block retrieval.Capped
ConcaveConvex networks.EnergyTransformer networks.Patches transformer.EncoderDecoder transformer.FeedForward
transformer.FirstWord Glauber Graded Head Hopfield KeyValueCache transformer.LayerNorm Memory transformer.RMSNorm
retrieval.RandomFeatures circuits.Recipe transformer.Recurrent transformer.RecurrentDecoder positions.LinearScaling
positions.Rotary positions.WavelengthScaling positions.YarnScaling memories.bam networks.boltzmann certify compare
circuits.composition_baseline networks.Network Langevin Metropolis landscapes.bifurcation landscapes.fixed_points
landscapes.radii landscapes.returns landscapes.spin_states theory.margins theory.random_storage networks.curie_weiss
memories.delta explore circuits.head_census circuits.induction_circuit load circuits.memory_circuit
circuits.position_probe circuits.random_texts run circuits.select sweep transformer.token_graph circuits.trigger_texts
circuits.walk window padding Step networks.MaxCut networks.Quadratic networks.Queens networks.TravellingSalesman
networks.minimise
""")
"""The calls whose results are objects with methods, or of a public class."""
OBJECTS = {
    "Causal": lambda: ha.causal,
    "Strict": lambda: ha.strict,
    "Basins": lambda: ha.landscapes.spin_states(ha.memories.hopfield(SPINS)).basins(),
    "Checkpoint": lambda: ha.Checkpoint(write(lasting_folder(), GPT2, state_of(GPT2))),
    "Choices": lambda: ha.memories.named_memories,
    "DeltaState": lambda: ha.transformer.DeltaState().attended(REAL, REAL, REAL)[1],
    "FreeEnergy": lambda: ha.Memory(SPINS).free_energy(SPINS),
    "LinearState": lambda: ha.transformer.LinearState().extended(REAL, REAL),
    "MultiHead": lambda: block().attention,
    "NGram": lambda: ha.transformer.NGram.counted([TOKENS]),
    "Recall": lambda: ha.memories.dense(SPINS).recall(SPINS),
    "Registry": lambda: ha.activations,
    "Separations": lambda: ha.separations,
    "Similarities": lambda: ha.similarities,
    "Training": lambda: trained(Path("two-layers")),
    "World": lambda: ha.circuits.World.line(3),
}
"""Objects that no call of the table gives, or not with all that their methods need."""

CUES, STATES, FILE, X = {"cues": SPINS}, {"states": SPINS}, {"path": "saved.npz"}, {"x": REAL}
UPDATE, RECALL, Q, NAME = {"update": "sync"}, {"cues": SPINS, "rng": 0}, {"q": REAL}, {"name": None}
ANY = {
    **dict.fromkeys(("__call__", "trace", "hidden", "mapped", "append"), X),
    **{"read": Q, "attended": {**Q, "k": REAL, "v": REAL}},
    **dict.fromkeys(("step", "weights", "rest", "scores", "field", "answer", "free_energy"), CUES),
    **{"energy": STATES, "gradient": STATES, "without": {"pattern": 0}},
    "why_not": {"capability": "energy"},
    **{"recall": RECALL, "descends": UPDATE, "save": FILE, "plot": NAME, "get": {"name": "softmax"}},
}
"""Arguments by the name of a method, for all classes that have no arguments of their own below."""


def _encoder_decoder():
    return ha.transformer.EncoderDecoder(**ARGUMENTS["transformer.EncoderDecoder"]())


PREVIOUS = {"previous": REAL, "memory": REAL}
AFTER = {"after": ["a"]}
PROBLEMS = ("MaxCut", 4), ("Quadratic", 4), ("Queens", 16), ("TravellingSalesman", 16)
# fmt: off
OWN = {
    "Memory.jacobian": {"cues": REAL}, "Margins.softmax_radius": {"beta": 2.0}, "Margins.sparse_radius": {"beta": 2.0},
    "SpinStates.number": {"states": SPINS}, "SpinStates.successors": {"update": "sync"},
    "Additive.__call__": {"cues": REAL, "keys": REAL}, "Alibi.__call__": {"n": 3}, "Associator.step": {"cues": SPINS},
    "Baseline.deviations": {"score": 1.0}, "Bilinear.__call__": {"cues": REAL, "keys": REAL},
    "Block.from_torch": {"module": block().to_torch(), "n_heads": 1}, "Capped.__call__": {"cues": REAL, "keys": REAL},
    **{f"{kind}.__call__": CUES for kind in ("Memory", "Hopfield", "Associator", "Bidirectional", "Network")},
    **{f"Step.{name}": {"cues": REAL, "keys": REAL} for name in ("__call__", "scores", "weights", "free_energy")},
    "Step.energy": {"states": REAL, "keys": REAL},
    "Checkpoint.attribution": {"ids": [1, 2], "token": 1}, "Checkpoint.block": {"layer": 0},
    "Checkpoint.census": {"ids": [1, 2]},
    "Checkpoint.effects": {"ids": [1, 2], "measure": lambda run: run.logits[-1, 1]},
    "Checkpoint.head": {"layer": 0, "head": 0}, "Checkpoint.layer": {"layer": 0, "states": np.ones((1, 8))},
    "Checkpoint.patch": {"place": "residual", "layer": 0}, "Checkpoint.layers": {"ids": [1, 2]},
    "Checkpoint.logits": {"states": np.ones((1, 8))}, "Checkpoint.multi_head": {"layer": 0},
    "Checkpoint.run": {"ids": [1, 2]}, "Checkpoint.tokens": {"text": "a dog"},
    "Choices.__getitem__": {"name": "hopfield"},
    "EncoderDecoder.__call__": {"source": REAL, "target": REAL},
    "EncoderDecoder.from_torch": {"n_heads": 1, "module": _encoder_decoder().to_torch()},
    "EncoderDecoder.memory": {"source": REAL},
    **{f"EnergyTransformer.{name}": {"tokens": REAL} for name in ("energies", "energy", "field", "step", "recall")},
    "EnergyTransformer.memory": {"n_tokens": 2},
    "EnergyTransformer.of_pictures": {"pictures": np.sign(SPINS[:, :4]), "patches": ha.networks.Patches(4, 2)},
    "Patches.pictures": {"tokens": np.ones((2, 12))}, "Patches.tokens": {"pictures": SPINS[:, :4]},
    "Explorer.save": {"file": "page.html"}, "FirstWord.accuracy": {"n": 3, "names": 2, "attention": True},
    "FirstWord.cosine": {"n": 3, "attention": True}, "FirstWord.read": {"words": np.ones((2, 3, 8)), "attention": True},
    "FirstWord.shares": {"n": 3, "attention": True}, "Hopfield.by_hebb": {"patterns": SPINS},
    "Hopfield.from_quadratic": {"Q": EYE, "c": ONES}, "Glauber.temperature_at": {"step": 2},
    **{f"{kind}.{name}": {"x": np.ones((1, size))} for kind, size in PROBLEMS for name in ("objective", "valid")},
    **{f"{kind}.value": {"x": np.ones((1, size))} for kind, size in PROBLEMS},
    **{f"{kind}.{name}": {"x": np.eye(size)[0]} for kind, size in PROBLEMS for name in ("said", "terms")},
    "InductionCircuit.__call__": {"words": EYE}, "InductionCircuit.encode": {"words": EYE},
    "InductionCircuit.trace": {"words": EYE}, "LinearState.extended": {"k": REAL, "v": REAL},
    "DeltaState.extended": {"k": REAL, "v": REAL},
    "MemoryCircuit.__call__": {"words": [[0, 1, 2]]}, "MemoryCircuit.encode": {"words": [[0, 1, 2]]},
    "MemoryCircuit.inputs": {"words": [[0, 1, 2]]}, "MemoryCircuit.logits": {"words": [[0, 1, 2]]},
    "MemoryCircuit.trace": {"words": [[0, 1, 2]]}, "MemoryCircuit.accuracy": {"texts": trigger_texts()},
    "Head.from_right": {"w_query": EYE, "w_key": EYE, "w_value": EYE},
    "Head.with_sink": {"sink": 0.0}, "Head.without": {"token": 0, "at": 1}, "Memory.without": {"pattern": 0},
    "MultiHead.from_torch": {"module": block().attention.to_torch(), "n_heads": 1},
    **{f"Census.{name}": {"measure": "attention_sink"} for name in ("matrix", "chance", "strongest")},
    "MultiHead.without": {"token": 0, "at": 1}, "NGram.counted": {"texts": [TOKENS], "n": 2},
    "NGram.distribution": AFTER, "NGram.likeliest": AFTER, "NGram.probability": {"word": "a", **AFTER},
    "LayerNorm.from_torch": {"state": ha.transformer.LayerNorm(ONES, ONES).to_torch("norm"), "name": "norm",
        "epsilon": 1e-5},
    "LayerNorm.to_torch": {"name": "norm"}, "RMSNorm.to_torch": {"name": "norm"},
    "Network.clamped": {"clamp": [True] + [False] * (SPINS.shape[1] - 1)}, "Network.energies": STATES,
    "Network.join": {"activities": {"a": SPINS}}, "Network.split": STATES, "Recipe.batch_of": {"step": 0},
    "Recipe.held_out": {"count": 2}, "Recurrent.start": {"word": ONES}, "Recurrent.step": {"word": ONES, "state": ONES},
    "RecurrentDecoder.__call__": PREVIOUS, "RecurrentDecoder.trace": PREVIOUS, "Registry.__getitem__": {"name": "sign"},
    "Registry.find": {"name": "sign"}, "Registry.make": {"choice": "sign"}, "Result.provenance": {"command": "x"},
    "Result.save": {"folder": "saved"}, "Rotary.undone": X, "Selection.aggregate": {"values": [1.0, 2.0]},
    "Selection.head": {"dim": 2}, "Selection.text": {"values": EYE[:2]}, "Sweep.interval": {"name": "y"},
    "Sweep.mean": {"name": "y"}, "Training.begun": {"recipe": recipe()}, "Training.load": {"file": "training.npz"},
    "Training.model": {"mask": "causal"}, "Training.save": {"file": "training.npz"},
    "Training.save_checkpoint": {"folder": "model"}, "Walked.with_noise": {"noise": 0.1, "rng": 0},
    **{f"{rule}.array": {"n": 3} for rule in ("Window", "Causal", "Strict", "Padding")},
    "World.grid": {"rows": 2, "columns": 2}, "World.line": {"n": 3},
    "World.torus": {"size": 3},
}
"""Arguments by class and name."""
# fmt: on

INTERNAL = {
    *words("""
Block.computed_with MultiHead.joined MultiHead.outputs LayerNorm.held RMSNorm.held
LayerNorm.unit RMSNorm.unit Affine.split
Affine.of Affine.stacked Additive.rounding Bilinear.rounding RandomFeatures.directions RandomFeatures.exponents
RandomFeatures.kernel RandomFeatures.log_kernel RandomFeatures.projections
Window.allowed Window.sees
Causal.allowed Causal.sees Strict.allowed Strict.sees Padding.allowed Padding.on
Alibi.at Training.resumed Registry.__call__
Training.with_measures FirstWord.measured Registry.made Registry.register Recall.only_row Recipe.texts Sweep.of
Sweep.with_scenario
Capped.rounding LinearScaling.__call__ WavelengthScaling.__call__ YarnScaling.__call__
""")
}
"""Methods that other files of hopattn call, with what they have checked."""
OF_RECALL = {
    *words("""
drawn guarantee internal obstacle residual move limits
cue_term step_of_layers spread
""")
}
"""Methods that recall and the certificate call, of every memory or update, with what they have checked."""
REFUSED = {
    *(f"{rule}.__call__" for rule in ("Window", "Causal", "Strict")),
    *(
        "Checkpoint.tokens",
        "Associator.energy",
        "Associator.gradient",
        "Hopfield.gradient",
        "Bidirectional.gradient",
        "Network.save",
    ),
    *(
        f"{memory}.{name}"
        for memory in ("Associator", "Bidirectional", "Hopfield", "Network")
        for name in ("free_energy", "without")
    ),
}
"""Methods that an object of the tables cannot do."""
LABELS = (*OBJECTS, *MADE)
USED_UP = {"KeyValueCache"}
"""Objects that a method uses up, so that they are made anew for each call."""


def methods():
    """Each public method of an object of the tables, by class and name: a function that gives it with arguments."""
    found = {}
    for label in LABELS:
        for name in methods_of(made(label)):
            whole = f"{type(made(label)).__name__}.{name}"
            found.setdefault(whole, partial(_with_arguments, label, name, whole))
    return found


@cache
def made(label):
    """An object, made once."""
    return _made_anew(label)


def _made_anew(label):
    return OBJECTS[label]() if label in OBJECTS else public(label)(**ARGUMENTS[label]())


def methods_of(one):
    """The names of the methods that a user calls."""
    kind = type(one)
    if kind.__module__.partition(".")[0] != "hopattn":
        return
    of_update = hasattr(kind, "guarantee")  # an update, whose other methods recall calls
    for name in dir(kind):
        hidden = (
            name.startswith("_") and name != "__call__" and not (name == "__getitem__" and isinstance(one, Choices))
        )
        internal = f"{kind.__name__}.{name}" in INTERNAL or name in OF_RECALL
        if hidden or internal or (of_update and name in ("step", "descends")):
            continue
        if isinstance(inspect.getattr_static(kind, name), (FunctionType, classmethod, staticmethod)):
            yield name


def _with_arguments(label, name, whole):
    one = _made_anew(label) if label in USED_UP else made(label)
    return getattr(one, name), dict(OWN.get(whole, ANY.get(name, {})))
