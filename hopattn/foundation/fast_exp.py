"""The fastest exponential of NumPy on this processor."""

import math
from functools import cache

import numpy as np


@cache
def fast_exp() -> tuple[np.ufunc, float]:
    """A ufunc and a factor that give the exponential: eˣ = ufunc(factor · x).

    The pair is `(numpy.exp2, log₂e)`, since eˣ = 2^(x log₂e), where NumPy computes `exp2` with the vector instructions
    of this processor: that takes two thirds of the time of `numpy.exp`. Elsewhere `numpy.exp2` takes many times as long
    as `numpy.exp`, and the pair is `(numpy.exp, 1.0)`. NumPy is asked once in a process.

    >>> power, factor = fast_exp()
    >>> print(f"{power(factor * 1.0):.6f}")
    2.718282
    """
    from numpy.lib.introspect import opt_func_info

    targets = opt_func_info(func_name="^exp2$", signature="float").get("exp2", {})
    fast = targets and not any(target["current"].startswith("baseline") for target in targets.values())
    return (np.exp2, math.log2(math.e)) if fast else (np.exp, 1.0)
