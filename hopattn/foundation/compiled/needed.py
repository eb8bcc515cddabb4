"""The numba that the loops need; this file does not import it."""

import re

LEAST = "0.62"
"""The first numba whose LLVM has `maximum` for vectors; an earlier one ends the process when it compiles them."""


def fits(numba: str) -> bool:
    """Whether a version of numba, such as `0.62.1`, compiles the loops."""
    return _numbers(numba) >= _numbers(LEAST)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)[:2]]
