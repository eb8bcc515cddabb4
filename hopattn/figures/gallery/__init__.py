"""The gallery: functions from a result to a sheet, a family in each module."""

from hopattn.figures.gallery import chains as chains
from hopattn.figures.gallery import counts as counts
from hopattn.figures.gallery import ends as ends
from hopattn.figures.gallery import energies as energies
from hopattn.figures.gallery import heads as heads
from hopattn.figures.gallery import kept as kept
from hopattn.figures.gallery import layers as layers
from hopattn.figures.gallery import recalls as recalls
from hopattn.figures.gallery import research as research
from hopattn.figures.gallery import scores as scores
from hopattn.figures.gallery import strip as strip
from hopattn.figures.gallery import tours as tours
from hopattn.figures.gallery import vectors as vectors
from hopattn.figures.gallery import words as words
