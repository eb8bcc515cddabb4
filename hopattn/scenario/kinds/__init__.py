"""The kinds of scenario, one file each: what the file says, how it runs, how it is explained.

A class `Spec` subclass that lies in this folder is a kind; its class name is what `kind = …` says.
"""

from hopattn.foundation.registry import Registry, modules_in
from hopattn.scenario.kinds.base import Spec

kinds: Registry[Spec] = Registry("kind", Spec, modules_in(__name__))
