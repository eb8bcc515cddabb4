"""The public names of `ha.cluster`."""

from .sharded_memory import Sharded as Sharded
from .sharded_memory import sharded as sharded
