"""hopattn: associative memory, where attention is one step of associative recall.

    import hopattn as ha
    memory = ha.Memory(patterns, beta=8)
    memory.step(cue)          # attention: one step
    memory.recall(cue)        # Hopfield: to the fixed point

Importing the package costs next to nothing: each name is loaded when it is first used. `__init__.pyi` states the names;
those of a room are found by its name, such as `ha.memories.modern`.
"""

from hopattn.foundation.lazy import attach
from hopattn.foundation.version import __version__ as __version__
from hopattn.results.display import ShownInNotebook

__getattr__, __dir__, __all__ = attach(__name__, __file__)

ShownInNotebook._public = __getattr__
