"""The variable SOURCE_DATE_EPOCH, which NumPy and matplotlib read; hopattn itself writes no dates."""

import os
from datetime import UTC, datetime

from hopattn.foundation.errors import InvalidInput, quoted


def require_date() -> None:
    """Raise `InvalidInput` if the environment holds a date that NumPy or matplotlib cannot read."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        if seconds is not None:
            datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        message = f"SOURCE_DATE_EPOCH={quoted(seconds)}: expected whole seconds since 1970; unset the variable"
        raise InvalidInput(message) from None
