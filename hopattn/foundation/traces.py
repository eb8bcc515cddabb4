"""Arrays of PyTorch and JAX that require a gradient, or whose values are not available while a function is traced.

The questions are asked so that PyTorch's compiler can answer them too.
"""

import sys
from collections.abc import Callable
from typing import Any


def is_torch(array: Any) -> bool:
    """Whether an array is one of PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def is_jax(array: Any) -> bool:
    """Whether an array is one of JAX, or stands for one while JAX traces a function."""
    return type(array).__module__.partition(".")[0] in ("jax", "jaxlib")


def is_compiling() -> bool:
    """Whether PyTorch's compiler traces a function now."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def known_true(flag: Any) -> bool:
    """Whether a flag `()` of any library is True; not where it is unknown, while PyTorch or JAX trace a function."""
    if is_torch(flag) and is_compiling():
        return False
    try:
        return bool(flag)
    except (TypeError, RuntimeError):
        return False


def requires_grad(value: Any) -> bool:
    """Whether an array of PyTorch or JAX requires a gradient, or the library traces a function of it.

    `float` of it would cut the gradient, or fail under tracing and on PyTorch's device `meta`.
    """
    if isinstance(value, (int, float)):
        return False
    if is_torch(value):
        return bool(value.requires_grad or _unknown(value))
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.core.Tracer)


def traced(value: Any) -> bool:
    """Whether a result of this array would carry a derivative now, or is not known yet."""
    if not is_torch(value) or not requires_grad(value):
        return requires_grad(value)
    torch: Any = sys.modules["torch"]
    return bool(_unknown(value) or torch.is_grad_enabled())


def hidden(value: Any) -> bool:
    """Whether an array stands for others while PyTorch or JAX transforms a function: it has no numbers of its own."""
    return _unknown(value) if is_torch(value) else requires_grad(value)


def _unknown(tensor: Any) -> bool:
    """Whether the numbers of a tensor are not known, because PyTorch traces a function or the tensor has none."""
    torch: Any = sys.modules["torch"]
    if torch.compiler.is_compiling():  # its compiler cannot follow what comes next
        return True
    return bool(torch._C._functorch.is_functorch_wrapped_tensor(tensor) or tensor.is_meta)


def detached(x: Any) -> Any:
    """The same numbers, as a constant for differentiation."""
    if hasattr(x, "detach"):
        return x.detach()
    if is_jax(x):
        return sys.modules["jax"].lax.stop_gradient(x)  # JAX is loaded, since x is one of its arrays
    return x


def cond(flag: Any, computed: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """The first of two computations where the flag `()` is True, else the second; only one of them runs.

    A flag that is not known yet, while JAX traces a function, is decided when the function runs. Where no library can
    decide it, as in PyTorch's vmap, the first runs.
    """
    try:
        value = bool(flag)
    except (TypeError, RuntimeError):
        if is_jax(flag):
            jax = sys.modules["jax"]
            return jax.lax.cond(flag, jax.checkpoint(computed), otherwise)
        value = True
    return computed() if value else otherwise()
