"""Counts of the tests: how many examples, seeds, trials and figures a test takes, and which of its cases run.

`make test` runs every law with the quick counts, and of a test marked `quick(n)` only n cases: variants of what other
tests show too. HOPATTN_VARIANTS=1, as `.ci/full` sets it, runs them all. `make test-all` sets HOPATTN_FULL=1 and runs
everything with the full counts.
"""

import os

import pytest

FULL = os.environ.get("HOPATTN_FULL") == "1"
VARIANTS = FULL or os.environ.get("HOPATTN_VARIANTS") == "1"


def count(full, quick):
    """The count of this run."""
    return full if FULL else quick


def spread(items, quick):
    """All items in a full run; in a quick one `quick` of them, evenly spaced from the first to the last."""
    return list(items) if FULL else evenly(list(items), quick)


def evenly(items, n):
    """So many of a list, evenly spaced from the first to the last; all of a shorter one."""
    if len(items) <= n:
        return items
    return [items[i * (len(items) - 1) // max(1, n - 1)] for i in range(n)]


def some(items, n):
    """All items where variants run; else so many, evenly spaced from the first to the last."""
    return list(items) if VARIANTS else evenly(list(items), n)


def but(items, *names):
    """The items as cases of a test, of which `make test` leaves these out."""
    items, later = list(items), pytest.mark.quick(0)
    assert {*names} <= {*items}, "a case that is left out has another name now"
    values = {item: item if isinstance(item, tuple) else (item,) for item in names}
    return [pytest.param(*values[item], marks=later) if item in values else item for item in items]
