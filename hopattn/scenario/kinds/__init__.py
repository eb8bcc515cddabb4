"""The kinds of scenario, one file each: the keys of the file, its arrays, how they are computed and explained.

A subclass of `Spec` in a file of this folder is a kind. A file writes `kind = …` with the class name in snake case, or
with the class attribute `name`.

- `base.py`: the base class of every kind
- `encoded.py`: the base of the kinds whose texts are encoded as vectors
- `layer_arrays.py`: the arrays of a layer of heads
- `layered_text.py`: the base of the kinds with layers of attention
- `attention.py`: a text through layers of attention
- `recall_arrays.py`: the arrays of a recall, for the kind memory
- `*.py`: one kind each
"""

from hopattn.foundation.registry import LazyRegistry, Registry
from hopattn.scenario.kinds.base import Spec

kinds: Registry[Spec] = LazyRegistry("kind", Spec, __name__)
