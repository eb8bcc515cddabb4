"""Another name of `checks.py`, for the files that still import it."""

from hopattn.foundation.checks import COUNTED as COUNTED
from hopattn.foundation.checks import REPEATED as REPEATED
from hopattn.foundation.checks import positive as positive
from hopattn.foundation.checks import positive_or_followed as positive_or_followed
from hopattn.foundation.checks import real as real
from hopattn.foundation.checks import whole as whole
