"""The kinds of scenario, one file each: what the file says, how it runs, how it is explained.

A subclass of `Spec` that lies in a file of this folder is a kind; its class name is what `kind = …` says.

- `base.py`: what every kind shares
- `attention.py`: a text through layers of attention
- `*.py`: one kind: cue, task, memory, ensemble
"""

from hopattn.foundation.registry import Registry, modules_in
from hopattn.scenario.kinds.base import Spec

kinds: Registry[Spec] = Registry("kind", Spec, modules_in(__name__))
