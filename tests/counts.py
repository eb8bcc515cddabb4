"""Counts of the tests: how many examples, seeds, trials and figures a test takes.

`make test` runs every test with the quick counts. `make test-all` sets HOPATTN_FULL=1 and runs them with the full ones.
"""

import os

FULL = os.environ.get("HOPATTN_FULL") == "1"


def count(full, quick):
    """The count of this run."""
    return full if FULL else quick


def spread(items, quick):
    """All items in a full run; in a quick one `quick` of them, evenly spaced from the first to the last."""
    items = list(items)
    if FULL or len(items) <= quick:
        return items
    return [items[i * (len(items) - 1) // max(1, quick - 1)] for i in range(quick)]
