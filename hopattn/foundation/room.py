"""Another name of `checks.py`, for the files that still import it."""

from hopattn.foundation.checks import require_room as require_room
from hopattn.foundation.checks import require_time as require_time
