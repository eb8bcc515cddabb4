"""Keys and work on many machines, by Dask (the extra `cluster`).

- `connection.py`: the connection to a scheduler, the wait for its results, and the errors of both
- `sharded_memory.py`: a memory whose keys are tasks of Dask, and whose sums a tree of tasks merges
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
