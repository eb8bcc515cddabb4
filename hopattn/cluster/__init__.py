"""Keys and work on many machines (the extra `cluster`).

- `connection.py`: the connection to a Dask cluster, and its errors
- `calls.py`: calls of a cluster, as futures; a scheduler that does not answer
- `workers.py`: objects that lie on the workers of a cluster
- `shard.py`: one part of the keys, where it lies
- `sharded_memory.py`: a memory whose keys lie on many machines
- `partition.py`: keys and values, in memory or in files, divided into shards
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
