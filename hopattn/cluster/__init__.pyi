"""The public names of `ha.cluster`."""

from .partition import sharded as sharded
from .sharded_memory import Sharded as Sharded
