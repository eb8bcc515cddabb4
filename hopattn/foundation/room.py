"""Room: the memory of this machine, asked before an array is made."""

import os

from hopattn.foundation.errors import InvalidInput

ADDRESSED = 2**63
"""The number of bytes that no array reaches."""


def require_room(numbers: int, what: str) -> None:
    """Raise `InvalidInput` if an array of so many float64 `numbers` does not fit into this machine's memory."""
    if numbers < 2**24:  # 128 MiB, which any machine has
        return
    try:
        room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not say
        room = ADDRESSED
    if 8 * numbers > room:
        gib = 2**30
        size = f"{8 * numbers / gib:,.1f} GiB" if 8 * numbers <= ADDRESSED else f"more than {ADDRESSED // gib:,} GiB"
        raise InvalidInput(f"{what} would take {size}; this machine has {room / gib:,.1f} GiB")
