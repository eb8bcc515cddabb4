"""Measurements over many trials: sweeps, comparisons, the certificate of descent, forgetting.

- `processes.py`: work on several processes, which end with the one that started them
- `random_memories.py`: named memories with random arguments
- `own_memories.py`: memories with a part of the user's own
- `certificate.py`: whether a claimed descent holds, on random memories, states and updates
- `sweeps/`: a function or a scenario over a grid
- `first_words.py`: the first word of a text, read out with attention and without it
- `comparison/`: several memories on the same keys, values and cues
- `separation.py`: whether a memory can tell the patterns of a file apart, and which to take
- `model_heads.py`: the census of the heads of a model on disk
- `loading.py`: what a file of any kind holds
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
