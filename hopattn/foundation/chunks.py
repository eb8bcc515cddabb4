"""Another name of `threads.py`, for the files that still import it."""

from hopattn.foundation.threads import blocks as blocks
from hopattn.foundation.threads import ranges as ranges
