"""Room and time: whether work fits into the memory of this machine and into minutes, asked before it begins."""

import os
from pathlib import Path

from hopattn.foundation.errors import InvalidInput

ADDRESSED = 2**63
"""The number of bytes that no array reaches."""
SPEED = 1e9
"""The multiplications of one core in a second, in products of small matrices."""
MOST_MINUTES = 10
"""The minutes that a call may take whose time is known before."""


def require_room(numbers: int, what: str) -> None:
    """Raise `InvalidInput` if an array of so many float64 `numbers` does not fit into the memory.

    That is the memory of this machine, or the part of it that this process may still have.
    """
    if numbers < 2**24:  # 128 MiB, which any machine has
        return
    memory, allowed = _memory(), _allowed()
    if 8 * numbers > min(memory, allowed):
        gib = 2**30
        size = f"{8 * numbers / gib:,.1f} GiB" if 8 * numbers <= ADDRESSED else f"more than {ADDRESSED // gib:,} GiB"
        holder = "this machine has" if memory <= allowed else "this process may still have"
        raise InvalidInput(f"{what} would take {size}; {holder} {min(memory, allowed) / gib:,.1f} GiB")


def require_time(multiplications: float, what: str) -> None:
    """Raise `InvalidInput` if work of so many multiplications, or of steps as long, would take more than minutes."""
    minutes = multiplications / SPEED / 60
    if minutes > MOST_MINUTES:
        raise InvalidInput(f"{what} would take about {minutes:,.0f} minutes; choose sizes for at most {MOST_MINUTES}")


def _memory() -> int:
    """The bytes of this machine's memory."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not say
        return ADDRESSED


def _allowed() -> int:
    """The bytes that this process may still have, as by `ulimit -v`."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return ADDRESSED
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return ADDRESSED if limit == resource.RLIM_INFINITY else limit - _used()


def _used() -> int:
    """The bytes of addresses that this process has, 0 on a system that does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
