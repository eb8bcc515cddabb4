"""hopattn: associative memory, where attention is one step of associative recall.

    import hopattn as ha
    memory = ha.Memory(patterns, beta=8)
    memory.step(cue)          # attention: one step
    memory.recall(cue)        # Hopfield: to the fixed point

Importing the package costs next to nothing: each name is loaded when it is first used.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hopattn.foundation.version import __version__ as __version__
from hopattn.results.display import ShownInNotebook

if TYPE_CHECKING:
    from hopattn import theory as theory
    from hopattn.circuits.composition import composition as composition
    from hopattn.circuits.composition import composition_baseline as composition_baseline
    from hopattn.circuits.composition import copying as copying
    from hopattn.circuits.composition import head_compositions as head_compositions
    from hopattn.circuits.emergence.record import Recipe as Recipe
    from hopattn.circuits.emergence.record import Training as Training
    from hopattn.circuits.emergence.training import train as train
    from hopattn.circuits.head_scores import attention_sink as attention_sink
    from hopattn.circuits.head_scores import duplicate_token as duplicate_token
    from hopattn.circuits.head_scores import head_scores as head_scores
    from hopattn.circuits.head_scores import prefix_matching as prefix_matching
    from hopattn.circuits.head_scores import previous_token as previous_token
    from hopattn.circuits.head_scores import sink_share as sink_share
    from hopattn.circuits.head_scores import uniform_attention as uniform_attention
    from hopattn.circuits.induction import InductionCircuit as InductionCircuit
    from hopattn.circuits.induction import induction_circuit as induction_circuit
    from hopattn.circuits.induction import position_lead as position_lead
    from hopattn.circuits.maps.walk import Walked as Walked
    from hopattn.circuits.maps.walk import walk as walk
    from hopattn.circuits.maps.world import World as World
    from hopattn.circuits.maps.world import world_of_graph as world_of_graph
    from hopattn.circuits.memory_circuit import MemoryCircuit as MemoryCircuit
    from hopattn.circuits.memory_circuit import TriggerTexts as TriggerTexts
    from hopattn.circuits.memory_circuit import memory_circuit as memory_circuit
    from hopattn.circuits.memory_circuit import memory_curves as memory_curves
    from hopattn.circuits.memory_circuit import outer_product_recall as outer_product_recall
    from hopattn.circuits.memory_circuit import recall_width as recall_width
    from hopattn.circuits.memory_circuit import trigger_texts as trigger_texts
    from hopattn.circuits.position_probe import PositionProbe as PositionProbe
    from hopattn.circuits.position_probe import position_probe as position_probe
    from hopattn.circuits.position_probe import random_blocks as random_blocks
    from hopattn.circuits.position_probe import random_texts as random_texts
    from hopattn.circuits.rasp import Selection as Selection
    from hopattn.circuits.rasp import select as select
    from hopattn.cluster.partition import sharded as sharded
    from hopattn.cluster.sharded_memory import Sharded as Sharded
    from hopattn.dynamics.own_parts import register as register
    from hopattn.dynamics.record import Recall as Recall
    from hopattn.dynamics.record import Status as Status
    from hopattn.dynamics.updates.asynchronous import Asynchronous as Asynchronous
    from hopattn.dynamics.updates.base import Update as Update
    from hopattn.dynamics.updates.continuous_time import Graded as Graded
    from hopattn.dynamics.updates.stochastic import Glauber as Glauber
    from hopattn.dynamics.updates.synchronous import ConcaveConvex as ConcaveConvex
    from hopattn.experiments.certificate import Certificate as Certificate
    from hopattn.experiments.certificate import certify as certify
    from hopattn.experiments.comparison.compare import compare as compare
    from hopattn.experiments.comparison.over_random_patterns import compare_patterns as compare_patterns
    from hopattn.experiments.comparison.over_random_patterns import compare_random as compare_random
    from hopattn.experiments.comparison.result import Comparison as Comparison
    from hopattn.experiments.forgetting import forgetting as forgetting
    from hopattn.experiments.sweep.of_scenario import sweep_scenario as sweep_scenario
    from hopattn.experiments.sweep.runner import sweep as sweep
    from hopattn.experiments.sweep.table import Sweep as Sweep
    from hopattn.experiments.sweep.table import load_sweep as load_sweep
    from hopattn.figures.plotting import plot as plot
    from hopattn.foundation.array_files import mapped as mapped
    from hopattn.foundation.errors import HopattnError as HopattnError
    from hopattn.foundation.errors import InvalidInput as InvalidInput
    from hopattn.foundation.vectors import unit as unit
    from hopattn.memories.memory import Memory as Memory
    from hopattn.memories.models import named_memories as named_memories
    from hopattn.memories.models.addressed import delta as delta
    from hopattn.memories.models.addressed import linear as linear
    from hopattn.memories.models.addressed import nearest as nearest
    from hopattn.memories.models.addressed import sdm as sdm
    from hopattn.memories.models.addressed import universal as universal
    from hopattn.memories.models.classical import bam as bam
    from hopattn.memories.models.classical import graded as graded
    from hopattn.memories.models.classical import hopfield as hopfield
    from hopattn.memories.models.dense import dense as dense
    from hopattn.memories.models.dense import exponential as exponential
    from hopattn.memories.models.dense import sequence as sequence
    from hopattn.memories.models.modern import k_subsets as k_subsets
    from hopattn.memories.models.modern import modern as modern
    from hopattn.memories.models.modern import normmax as normmax
    from hopattn.memories.models.modern import sparse as sparse
    from hopattn.memories.models.modern import spherical as spherical
    from hopattn.memories.saved import load_memory as load_memory
    from hopattn.networks import learning_rules
    from hopattn.networks.associator import Associator as Associator
    from hopattn.networks.curie_weiss import CurieWeiss as CurieWeiss
    from hopattn.networks.curie_weiss import curie_weiss as curie_weiss
    from hopattn.networks.curie_weiss import mean_field as mean_field
    from hopattn.networks.hopfield import Hopfield as Hopfield
    from hopattn.networks.ising import Boltzmann as Boltzmann
    from hopattn.networks.ising import boltzmann as boltzmann
    from hopattn.retrieval.activation import Activation as Activation
    from hopattn.retrieval.activation import activations as activations
    from hopattn.retrieval.cue import cue as cue
    from hopattn.retrieval.features import RandomFeatures as RandomFeatures
    from hopattn.retrieval.learned_similarity import Additive as Additive
    from hopattn.retrieval.learned_similarity import Bilinear as Bilinear
    from hopattn.retrieval.masks import causal as causal
    from hopattn.retrieval.masks import padding as padding
    from hopattn.retrieval.masks import strict as strict
    from hopattn.retrieval.masks import window as window
    from hopattn.retrieval.separation import separations as separations
    from hopattn.retrieval.separation.base import Separation as Separation
    from hopattn.retrieval.similarity import Similarity as Similarity
    from hopattn.retrieval.similarity import cosine as cosine
    from hopattn.retrieval.similarity import similarities as similarities
    from hopattn.retrieval.weight_spread import operating_class as operating_class
    from hopattn.scenario.loading import Scenario as Scenario
    from hopattn.scenario.loading import load as load
    from hopattn.scenario.result import Result as Result
    from hopattn.scenario.running import run as run
    from hopattn.transformer.attention import attention as attention
    from hopattn.transformer.baselines import NGram as NGram
    from hopattn.transformer.blocks import AttentionLayer as AttentionLayer
    from hopattn.transformer.blocks import Block as Block
    from hopattn.transformer.blocks import stack as stack
    from hopattn.transformer.cache import KeyValueCache as KeyValueCache
    from hopattn.transformer.delta_attention import DeltaState as DeltaState
    from hopattn.transformer.delta_attention import delta_attention as delta_attention
    from hopattn.transformer.encoder_decoder import EncoderDecoder as EncoderDecoder
    from hopattn.transformer.feed_forward import Affine as Affine
    from hopattn.transformer.feed_forward import FeedForward as FeedForward
    from hopattn.transformer.first_word import FirstWord as FirstWord
    from hopattn.transformer.gradients.backward_pass import backward as backward
    from hopattn.transformer.gradients.backward_pass import gradient_flow as gradient_flow
    from hopattn.transformer.gradients.backward_pass import softmax_jacobian as softmax_jacobian
    from hopattn.transformer.gradients.curves import saturation_of as saturation_of
    from hopattn.transformer.gradients.curves import softmax_saturation as softmax_saturation
    from hopattn.transformer.gradients.curves import stack_gradients as stack_gradients
    from hopattn.transformer.gradients.curves import vanishing_gradients as vanishing_gradients
    from hopattn.transformer.heads import Head as Head
    from hopattn.transformer.heads import MultiHead as MultiHead
    from hopattn.transformer.linear_attention import LinearState as LinearState
    from hopattn.transformer.linear_attention import linear_attention as linear_attention
    from hopattn.transformer.message_passing import layer_by_messages as layer_by_messages
    from hopattn.transformer.message_passing import pass_messages as pass_messages
    from hopattn.transformer.message_passing import token_graph as token_graph
    from hopattn.transformer.normalisation import LayerNorm as LayerNorm
    from hopattn.transformer.normalisation import RMSNorm as RMSNorm
    from hopattn.transformer.positions.alibi import Alibi as Alibi
    from hopattn.transformer.positions.alibi import alibi as alibi
    from hopattn.transformer.positions.alibi import alibi_slopes as alibi_slopes
    from hopattn.transformer.positions.planes import rotation as rotation
    from hopattn.transformer.positions.rotary import Rotary as Rotary
    from hopattn.transformer.positions.rotary import rope as rope
    from hopattn.transformer.positions.sinusoidal import sinusoidal as sinusoidal
    from hopattn.transformer.positions.sinusoidal import sinusoidal_shift as sinusoidal_shift
    from hopattn.transformer.positions.sinusoidal import with_positions as with_positions
    from hopattn.transformer.recurrent import Recurrent as Recurrent
    from hopattn.transformer.recurrent import RecurrentDecoder as RecurrentDecoder
    from hopattn.views.explorer.explorer import explore as explore
    from hopattn.views.notebook import html as html

    learning = learning_rules  # an assignment, because type checkers hide a name that an import changes

_NAMES = {
    "hopattn.circuits.composition": ("composition", "composition_baseline", "copying", "head_compositions"),
    "hopattn.circuits.emergence.record": ("Recipe", "Training"),
    "hopattn.circuits.emergence.training": ("train",),
    "hopattn.circuits.head_scores": (
        "attention_sink",
        "duplicate_token",
        "head_scores",
        "prefix_matching",
        "previous_token",
        "sink_share",
        "uniform_attention",
    ),
    "hopattn.circuits.induction": ("InductionCircuit", "induction_circuit", "position_lead"),
    "hopattn.circuits.maps.walk": ("Walked", "walk"),
    "hopattn.circuits.maps.world": ("World", "world_of_graph"),
    "hopattn.circuits.memory_circuit": (
        "MemoryCircuit",
        "TriggerTexts",
        "memory_circuit",
        "memory_curves",
        "outer_product_recall",
        "recall_width",
        "trigger_texts",
    ),
    "hopattn.circuits.position_probe": ("PositionProbe", "position_probe", "random_blocks", "random_texts"),
    "hopattn.circuits.rasp": ("Selection", "select"),
    "hopattn.cluster.partition": ("sharded",),
    "hopattn.cluster.sharded_memory": ("Sharded",),
    "hopattn.dynamics.own_parts": ("register",),
    "hopattn.dynamics.record": ("Recall", "Status"),
    "hopattn.dynamics.updates.asynchronous": ("Asynchronous",),
    "hopattn.dynamics.updates.base": ("Update",),
    "hopattn.dynamics.updates.continuous_time": ("Graded",),
    "hopattn.dynamics.updates.stochastic": ("Glauber",),
    "hopattn.dynamics.updates.synchronous": ("ConcaveConvex",),
    "hopattn.experiments.certificate": ("Certificate", "certify"),
    "hopattn.experiments.comparison.compare": ("compare",),
    "hopattn.experiments.comparison.over_random_patterns": ("compare_patterns", "compare_random"),
    "hopattn.experiments.comparison.result": ("Comparison",),
    "hopattn.experiments.forgetting": ("forgetting",),
    "hopattn.experiments.sweep.of_scenario": ("sweep_scenario",),
    "hopattn.experiments.sweep.runner": ("sweep",),
    "hopattn.experiments.sweep.table": ("Sweep", "load_sweep"),
    "hopattn.figures.plotting": ("plot",),
    "hopattn.foundation.array_files": ("mapped",),
    "hopattn.foundation.errors": ("HopattnError", "InvalidInput"),
    "hopattn.foundation.vectors": ("unit",),
    "hopattn.memories.memory": ("Memory",),
    "hopattn.memories.models": ("named_memories",),
    "hopattn.memories.models.addressed": ("delta", "linear", "nearest", "sdm", "universal"),
    "hopattn.memories.models.classical": ("bam", "graded", "hopfield"),
    "hopattn.memories.models.dense": ("dense", "exponential", "sequence"),
    "hopattn.memories.models.modern": ("k_subsets", "modern", "normmax", "sparse", "spherical"),
    "hopattn.memories.saved": ("load_memory",),
    "hopattn.networks.associator": ("Associator",),
    "hopattn.networks.curie_weiss": ("CurieWeiss", "curie_weiss", "mean_field"),
    "hopattn.networks.hopfield": ("Hopfield",),
    "hopattn.networks.ising": ("Boltzmann", "boltzmann"),
    "hopattn.retrieval.activation": ("Activation", "activations"),
    "hopattn.retrieval.cue": ("cue",),
    "hopattn.retrieval.learned_similarity": ("Additive", "Bilinear"),
    "hopattn.retrieval.features": ("RandomFeatures",),
    "hopattn.retrieval.masks": ("causal", "padding", "strict", "window"),
    "hopattn.retrieval.separation": ("separations",),
    "hopattn.retrieval.separation.base": ("Separation",),
    "hopattn.retrieval.similarity": ("Similarity", "cosine", "similarities"),
    "hopattn.retrieval.weight_spread": ("operating_class",),
    "hopattn.scenario.loading": ("Scenario", "load"),
    "hopattn.scenario.result": ("Result",),
    "hopattn.scenario.running": ("run",),
    "hopattn.transformer.attention": ("attention",),
    "hopattn.transformer.baselines": ("NGram",),
    "hopattn.transformer.blocks": ("AttentionLayer", "Block", "stack"),
    "hopattn.transformer.cache": ("KeyValueCache",),
    "hopattn.transformer.delta_attention": ("DeltaState", "delta_attention"),
    "hopattn.transformer.encoder_decoder": ("EncoderDecoder",),
    "hopattn.transformer.feed_forward": ("Affine", "FeedForward"),
    "hopattn.transformer.first_word": ("FirstWord",),
    "hopattn.transformer.gradients.backward_pass": ("backward", "gradient_flow", "softmax_jacobian"),
    "hopattn.transformer.gradients.curves": (
        "saturation_of",
        "softmax_saturation",
        "stack_gradients",
        "vanishing_gradients",
    ),
    "hopattn.transformer.heads": ("Head", "MultiHead"),
    "hopattn.transformer.linear_attention": ("LinearState", "linear_attention"),
    "hopattn.transformer.message_passing": ("layer_by_messages", "pass_messages", "token_graph"),
    "hopattn.transformer.normalisation": ("LayerNorm", "RMSNorm"),
    "hopattn.transformer.positions.alibi": ("Alibi", "alibi", "alibi_slopes"),
    "hopattn.transformer.positions.planes": ("rotation",),
    "hopattn.transformer.positions.rotary": ("Rotary", "rope"),
    "hopattn.transformer.positions.sinusoidal": ("sinusoidal", "sinusoidal_shift", "with_positions"),
    "hopattn.transformer.recurrent": ("Recurrent", "RecurrentDecoder"),
    "hopattn.views.explorer.explorer": ("explore",),
    "hopattn.views.notebook": ("html",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

_MODULES = {"learning": "hopattn.networks.learning_rules", "theory": "hopattn.theory"}
"""Modules whose functions are called by the name of the module: `ha.learning.hebb(patterns)`."""

__all__ = sorted(_HOMES)


if not TYPE_CHECKING:  # type checkers know every name from above, so that `ha.Memry` is an error to them

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            value = globals()[name] = getattr(import_module(_HOMES[name]), name)
            return value
        if name in _MODULES:
            return import_module(_MODULES[name])
        if name.startswith("__"):
            raise AttributeError(f"module 'hopattn' has no attribute '{name}'")
        from hopattn.foundation.errors import unknown

        raise AttributeError(f"hopattn: {unknown(name, [*_HOMES, *_MODULES])}")


def __dir__() -> list[str]:
    return [*__all__, *_MODULES, "__version__"]


ShownInNotebook._public = lambda name: getattr(sys.modules[__name__], name)
