"""PyTorch's words for options of attention, each with ours."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from hopattn.foundation.errors import InvalidInput

Function = TypeVar("Function", bound=Callable[..., Any])

WORDS = {
    "is_causal": 'write mask="causal"; the queries are the last words among the keys, not the first',
    "attn_mask": "write mask= for booleans, True = may attend; bias= for numbers that are added",
    "key_padding_mask": "write mask=hopattn.padding(lengths, n), in which True = may attend",
    "src_mask": "write mask=, True = may attend",
    "tgt_mask": "write mask=, True = may attend",
    "memory": "write source=",
    "scale": "write beta=",
    "dropout_p": "there is no dropout; leave it out",
    "enable_gqa": "repeat the heads: k.repeat_interleave(n, -3), and v alike; hopattn.MultiHead shares keys and values",
    "need_weights": "all weights are in trace",
    "query": "write x, the first argument",
}
"""The words of `scaled_dot_product_attention`, `MultiheadAttention` and the layers of a transformer."""


def refuse_torch_words(what: str, options: dict[str, Any], known: Any = ()) -> None:
    """Raise `InvalidInput` for the first option that is PyTorch's word, with our word for it."""
    for name in options:
        if name in WORDS and name not in known:
            raise InvalidInput(f"{what}: option '{name}' is PyTorch's word; {WORDS[name]}")


def knows_torch_words(function: Function) -> Function:
    """A decorator: a keyword that is PyTorch's word raises `InvalidInput` with ours, in place of Python's TypeError."""
    own = function.__code__.co_varnames[: function.__code__.co_argcount + function.__code__.co_kwonlyargcount]

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        refuse_torch_words(function.__qualname__.removesuffix(".__call__"), options, own)
        return function(*args, **options)

    return called  # type: ignore[return-value]
