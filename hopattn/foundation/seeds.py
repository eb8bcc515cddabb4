"""Another name of `checks.py`, for the files that still import it."""

from hopattn.foundation.checks import Seed as Seed
from hopattn.foundation.checks import generator as generator
from hopattn.foundation.checks import whole_seed as whole_seed
