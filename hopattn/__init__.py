"""hopattn: associative memory, where attention is one step of associative recall.

    import hopattn as ha
    memory = ha.Memory(patterns, beta=8)
    memory.step(cue)          # attention: one step
    memory.recall(cue)        # Hopfield: to the fixed point

Importing the package costs next to nothing: each name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hopattn.foundation.version import __version__ as __version__

if TYPE_CHECKING:
    from hopattn import learning as learning
    from hopattn.association import Associator as Associator
    from hopattn.certificate import Certificate as Certificate
    from hopattn.certificate import certify as certify
    from hopattn.comparison.comparing import compare as compare
    from hopattn.comparison.drawing import compare_patterns as compare_patterns
    from hopattn.comparison.drawing import compare_random as compare_random
    from hopattn.comparison.record import Comparison as Comparison
    from hopattn.couplings import Hopfield as Hopfield
    from hopattn.cutting import sharded as sharded
    from hopattn.foundation.array_files import mapped as mapped
    from hopattn.foundation.errors import HopattnError as HopattnError
    from hopattn.foundation.errors import InvalidInput as InvalidInput
    from hopattn.foundation.vectors import unit as unit
    from hopattn.heads import Head as Head
    from hopattn.heads import MultiHead as MultiHead
    from hopattn.heads import attention as attention
    from hopattn.memories import named_memories as named_memories
    from hopattn.memories.addressed import nearest as nearest
    from hopattn.memories.addressed import sdm as sdm
    from hopattn.memories.addressed import universal as universal
    from hopattn.memories.bidirectional import bam as bam
    from hopattn.memories.classical import graded as graded
    from hopattn.memories.classical import hopfield as hopfield
    from hopattn.memories.dense import dense as dense
    from hopattn.memories.dense import exponential as exponential
    from hopattn.memories.linear import delta as delta
    from hopattn.memories.linear import linear as linear
    from hopattn.memories.modern import k_subsets as k_subsets
    from hopattn.memories.modern import modern as modern
    from hopattn.memories.modern import normmax as normmax
    from hopattn.memories.modern import sparse as sparse
    from hopattn.memories.modern import spherical as spherical
    from hopattn.memories.sequence import sequence as sequence
    from hopattn.memory import Memory as Memory
    from hopattn.notebook import html as html
    from hopattn.position import rotation as rotation
    from hopattn.record import Recall as Recall
    from hopattn.retrieval.activation import activations as activations
    from hopattn.retrieval.cue import cue as cue
    from hopattn.retrieval.masks import causal as causal
    from hopattn.retrieval.masks import padding as padding
    from hopattn.retrieval.masks import strict as strict
    from hopattn.retrieval.masks import window as window
    from hopattn.retrieval.separation import separations as separations
    from hopattn.retrieval.similarity import cosine as cosine
    from hopattn.retrieval.similarity import similarities as similarities
    from hopattn.retrieval.weight_spread import operating_class as operating_class
    from hopattn.scenario.loading import Scenario as Scenario
    from hopattn.scenario.loading import load as load
    from hopattn.scenario.result import Result as Result
    from hopattn.scenario.running import run as run
    from hopattn.scenario.sweeps import sweep_scenario as sweep_scenario
    from hopattn.sharding import Sharded as Sharded
    from hopattn.sweeping import sweep as sweep
    from hopattn.swept import Sweep as Sweep
    from hopattn.swept import load_sweep as load_sweep
    from hopattn.transformer import AttentionLayer as AttentionLayer
    from hopattn.transformer import stack as stack
    from hopattn.updates.graded import Graded as Graded
    from hopattn.updates.single import Asynchronous as Asynchronous
    from hopattn.updates.single import Glauber as Glauber
    from hopattn.updates.together import ConcaveConvex as ConcaveConvex

_NAMES = {
    "hopattn.association": ("Associator",),
    "hopattn.certificate": ("Certificate", "certify"),
    "hopattn.comparison.comparing": ("compare",),
    "hopattn.comparison.drawing": ("compare_patterns", "compare_random"),
    "hopattn.comparison.record": ("Comparison",),
    "hopattn.couplings": ("Hopfield",),
    "hopattn.cutting": ("sharded",),
    "hopattn.foundation.array_files": ("mapped",),
    "hopattn.foundation.errors": ("HopattnError", "InvalidInput"),
    "hopattn.foundation.vectors": ("unit",),
    "hopattn.heads": ("Head", "MultiHead", "attention"),
    "hopattn.memories": ("named_memories",),
    "hopattn.memories.addressed": ("nearest", "sdm", "universal"),
    "hopattn.memories.bidirectional": ("bam",),
    "hopattn.memories.classical": ("graded", "hopfield"),
    "hopattn.memories.dense": ("dense", "exponential"),
    "hopattn.memories.linear": ("delta", "linear"),
    "hopattn.memories.modern": ("k_subsets", "modern", "normmax", "sparse", "spherical"),
    "hopattn.memories.sequence": ("sequence",),
    "hopattn.memory": ("Memory",),
    "hopattn.notebook": ("html",),
    "hopattn.position": ("rotation",),
    "hopattn.record": ("Recall",),
    "hopattn.retrieval.activation": ("activations",),
    "hopattn.retrieval.cue": ("cue",),
    "hopattn.retrieval.masks": ("causal", "padding", "strict", "window"),
    "hopattn.retrieval.separation": ("separations",),
    "hopattn.retrieval.similarity": ("cosine", "similarities"),
    "hopattn.retrieval.weight_spread": ("operating_class",),
    "hopattn.scenario.loading": ("Scenario", "load"),
    "hopattn.scenario.result": ("Result",),
    "hopattn.scenario.running": ("run",),
    "hopattn.scenario.sweeps": ("sweep_scenario",),
    "hopattn.sharding": ("Sharded",),
    "hopattn.sweeping": ("sweep",),
    "hopattn.swept": ("Sweep", "load_sweep"),
    "hopattn.transformer": ("AttentionLayer", "stack"),
    "hopattn.updates.graded": ("Graded",),
    "hopattn.updates.single": ("Asynchronous", "Glauber"),
    "hopattn.updates.together": ("ConcaveConvex",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

_ROOMS = ("learning",)
"""Modules whose functions are called by the module's name: `ha.learning.hebb(patterns)`."""

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return value
    if name in _ROOMS:
        return import_module(f"hopattn.{name}")
    if name.startswith("__"):
        raise AttributeError(f"module 'hopattn' has no attribute '{name}'")
    from hopattn.foundation.errors import unknown

    raise AttributeError(f"hopattn: {unknown(name, [*_HOMES, *_ROOMS])}")


def __dir__() -> list[str]:
    return [*__all__, *_ROOMS, "__version__"]
