"""Updates: the rules for one step of a memory.

To add an update, add a frozen dataclass with its step and its guarantee to a file in this folder.

- `base.py`: the form of an update
- `*.py`: one file for each family: synchronous, asynchronous (by the sign or by chance), continuous time,
  layer by layer, sampling
"""

from hopattn.dynamics.updates.base import Update
from hopattn.foundation.registry import Registry, modules_in

updates: Registry[Update] = Registry("update", Update, modules_in(__name__), imports=True)
