"""Updates: the ways to apply a memory's update once.

Add an update by adding a frozen dataclass to a file in this folder that says how it steps and what it guarantees.

- `base.py`: the form of an update, and the protocol of what it is applied to
- `*.py`: one file for each family: together, single, graded
"""

from hopattn.dynamics.updates.base import Update
from hopattn.foundation.registry import Registry, modules_in

updates: Registry[Update] = Registry("update", Update, modules_in(__name__))
