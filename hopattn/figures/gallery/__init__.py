"""The gallery: functions from a result to a sheet, by family.

- `words.py`: words as vectors in a plane
- `vectors.py`: a product of two vectors, and rotation by positions
- `scores.py`: what scores become, by temperature, by offset, in two memories, and by each separation
- `heads.py`: what attends to what, and with which weight
- `layers.py`: a head and a layer, step by step
- `recalls.py`: recall, step by step
- `energies.py`: energies over the plane, between two patterns, by step and by temperature
- `ends.py`: where cues end, how far they may be damaged, and fixed points by β
- `counts.py`: what grows with the number of words, and what arises in training
- `research.py`: for specialists
- `kept.py`: finished sweeps that come with hopattn
"""

from hopattn.figures.gallery import counts as counts
from hopattn.figures.gallery import ends as ends
from hopattn.figures.gallery import energies as energies
from hopattn.figures.gallery import heads as heads
from hopattn.figures.gallery import kept as kept
from hopattn.figures.gallery import layers as layers
from hopattn.figures.gallery import recalls as recalls
from hopattn.figures.gallery import research as research
from hopattn.figures.gallery import scores as scores
from hopattn.figures.gallery import vectors as vectors
from hopattn.figures.gallery import words as words
