"""Another name of `checks.py`, for the files that still import it."""

from hopattn.foundation.checks import MOST_BYTES as MOST_BYTES
from hopattn.foundation.checks import each as each
from hopattn.foundation.checks import entries_of as entries_of
from hopattn.foundation.checks import flag as flag
from hopattn.foundation.checks import function as function
from hopattn.foundation.checks import instance as instance
from hopattn.foundation.checks import is_iterable as is_iterable
from hopattn.foundation.checks import path_of as path_of
