"""Updates: the ways to apply a memory's update once.

Add an update by adding a frozen dataclass to a file in this folder that says how it steps and what it guarantees.
"""

from hopattn.foundation.registry import Registry, modules_in
from hopattn.updates.base import Update

updates: Registry[Update] = Registry("update", Update, modules_in(__name__))
