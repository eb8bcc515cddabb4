"""Another name of `arrays.py`, for the files that still import it."""

from hopattn.foundation.arrays import PLAIN as PLAIN
from hopattn.foundation.arrays import plain_array as plain_array
