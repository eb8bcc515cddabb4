"""PyTorch's words for options of attention, each with ours."""

import inspect
from collections.abc import Callable, Collection, Iterable
from functools import wraps
from typing import Any, TypeVar

from hopattn.foundation.errors import InvalidInput

Function = TypeVar("Function", bound=Callable[..., Any])

CAUSAL = '"causal"; the queries are the last words among the keys, not the first'
PADDING = "hopattn.padding(lengths, n), in which True = may attend"
BOOLEANS = ", True = may attend"
WORDS: dict[str, dict[str, str]] = {
    "is_causal": {"mask": CAUSAL},
    "tgt_is_causal": {"mask": CAUSAL},
    "attn_mask": {"mask": " for booleans, True = may attend; bias= for numbers that are added"},
    "key_padding_mask": {"mask": PADDING},
    "src_key_padding_mask": {"mask": PADDING, "source_mask": PADDING},
    "tgt_key_padding_mask": {"mask": PADDING, "target_mask": PADDING},
    "memory_key_padding_mask": {"source_mask": PADDING},
    "src_mask": {"mask": BOOLEANS, "source_mask": BOOLEANS},
    "tgt_mask": {"mask": BOOLEANS, "target_mask": BOOLEANS},
    "memory_mask": {"source_mask": BOOLEANS},
    "memory": {"source": ""},
    "scale": {"beta": ""},
    "query": {"q": "", "x": ", the first argument"},
    "key": {"k": "", "source": ""},
    "value": {"v": "", "source": ""},
    "src": {"x": ", the first argument", "source": ""},
    "tgt": {"x": ", the first argument", "target": ""},
}
"""The words of `scaled_dot_product_attention`, `MultiheadAttention`, `Transformer` and its layers.

Each has the names of ours that may take its place, with what follows the `=`; the first that a function has is told.
"""
TRACED = "all weights are in the trace of a hopattn.Head or hopattn.MultiHead"
WITHOUT = {
    "scale": "it is beta= of hopattn.Head",
    "dropout_p": "there is no dropout; leave it out",
    "enable_gqa": "repeat the heads: k.repeat_interleave(n, -3), and v alike; hopattn.MultiHead shares keys and values",
    "need_weights": TRACED,
    "average_attn_weights": TRACED,
}
"""The words in whose place nothing is written, each with the reason."""


def refuse_torch_words(what: str, options: Iterable[str], own: Collection[str]) -> None:
    """Raise `InvalidInput` for the first option that is PyTorch's word, with ours among `own`, those that are taken."""
    for name in options:
        cures = [f"write {ours}={rest}" for ours, rest in WORDS.get(name, {}).items() if ours in own]
        cures += [WITHOUT[name]] if name in WITHOUT else []
        if cures and name not in own:
            raise InvalidInput(f"{what}: option '{name}' is PyTorch's word; {cures[0]}")


def knows_torch_words(function: Function) -> Function:
    """A decorator: a keyword that is PyTorch's word raises `InvalidInput` with ours, in place of Python's TypeError.

    So do more arguments by position than the function takes, with the names of the others.
    """
    own = {name: one.kind is one.KEYWORD_ONLY for name, one in inspect.signature(function).parameters.items()}
    what = function.__qualname__.removesuffix(".__call__")
    placed, named = [name for name in own if not own[name]], [f"{name}=" for name in own if own[name]]
    others = f"write {', '.join(named)} by name" if named else "there are no others"
    few = f"{what}: expected only {', '.join(name for name in placed if name != 'self')} by position; {others}"

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        refuse_torch_words(what, options, own)
        if len(args) > len(placed):
            raise InvalidInput(few)
        return function(*args, **options)

    return called  # type: ignore[return-value]
