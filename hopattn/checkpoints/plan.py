"""The plan of a model: its sizes and options, from the fields of its configuration."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from hopattn.checkpoints.families import UNREAD, Family
from hopattn.checkpoints.fields import Fields
from hopattn.foundation.checks import entries_of, flag, instance, positive, real, whole
from hopattn.foundation.errors import InvalidInput, quoted, unknown
from hopattn.retrieval.masks import Causal, MaskRule, NoMask, Window
from hopattn.transformer.positions.rotary import Rotary
from hopattn.transformer.positions.scaling import LinearScaling, Scaling, WavelengthScaling, YarnScaling

ACTIVATIONS = {
    **{"gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "gelu_fast": "gelu_tanh"},
    **{"silu": "silu", "swish": "silu", "relu": "relu", "tanh": "tanh"},
}
"""Our name of the function of the hidden neurons, by that of a configuration."""


MOST_LAYERS = 10_000  # more than any model has


@dataclass(frozen=True)
class Plan:
    """The sizes and options of a model.

    dim: of a word. n_heads, n_key_heads: heads of queries, and of keys and values, in each of n_layers layers.
    dim_head: of a query. dim_hidden: the neurons of a feed-forward layer, or None where it is not read. n_tokens: the
    size of the vocabulary. n_places, n_kinds: the learned positions and kinds of tokens, or None. betas, masks: of each
    layer. activation: of the feed-forward layers. score_cap, logit_cap: c of c tanh(· / c), or None. embedding_scale:
    the factor of embedded words. tied: whether logits are products with the embedding. biased: the roles of maps with a
    bias.
    """

    dim: int
    n_layers: int
    n_heads: int
    n_key_heads: int
    dim_head: int
    dim_hidden: int | None
    n_tokens: int
    n_places: int | None
    n_kinds: int | None
    epsilon: float
    activation: str
    betas: tuple[float, ...]
    masks: tuple[MaskRule, ...]
    position: Rotary | None
    parallel: bool
    score_cap: float | None
    logit_cap: float | None
    embedding_scale: float
    tied: bool
    biased: frozenset[str]

    @classmethod
    def of(cls, fields: Fields, family: Family) -> "Plan":
        """The plan of a configuration; raises `InvalidInput` for a field that is missing, unknown or not computed."""
        names = family.fields

        def find(meaning: str, check: Callable[[Any, str], Any], absent: Any = None) -> Any:
            """The value of a field that the family has; `absent` for a family without it."""
            return fields.take(names[meaning], check) if meaning in names else absent

        dim, n_heads = fields.take(names["dim"], whole), fields.take(names["n_heads"], whole)
        n_layers = fields.take(names["n_layers"], partial(whole, most=MOST_LAYERS))
        n_key_heads = (fields.find(names["n_key_heads"], whole) if "n_key_heads" in names else None) or n_heads
        dim_head = fields.find(names["dim_head"], whole) if "dim_head" in names else None
        if n_heads % n_key_heads:
            raise InvalidInput(f"{fields.where}: {n_heads} heads cannot share {n_key_heads} heads of keys evenly")
        if dim_head is None and dim % n_heads:
            raise InvalidInput(f"{fields.where}: dim {dim} does not divide into {n_heads} heads")
        dim_head = dim_head or dim // n_heads
        dim_hidden = find("dim_hidden", _or_none(whole))
        if dim_hidden is None and family.feeds:
            dim_hidden = 4 * dim  # as GPT-2 defines a null
        scaled, by_layer = find("scaled", flag, True), find("scaled_by_layer", flag, False)
        beta = find("query_scale", positive, float(dim_head)) ** -0.5 if scaled else 1.0
        of_fields = [role for name, roles in family.biased_if.items() if fields.take(name, flag) for role in roles]
        plan = cls(
            dim=dim,
            n_layers=n_layers,
            n_heads=n_heads,
            n_key_heads=n_key_heads,
            dim_head=dim_head,
            dim_hidden=dim_hidden,
            n_tokens=find("n_tokens", whole),
            n_places=find("n_places", whole),
            n_kinds=find("n_kinds", whole),
            epsilon=find("epsilon", positive),
            activation=ACTIVATIONS[find("activation", _activation, "relu")],
            betas=tuple(beta / (i + 1) if by_layer else beta for i in range(n_layers)),
            masks=_masks(fields, family, n_layers),
            position=_position(fields, family, dim_head),
            parallel=find("parallel", flag, False),
            score_cap=find("score_cap", _or_none(positive)),
            logit_cap=find("logit_cap", _or_none(positive)),
            embedding_scale=dim**0.5 if family.scaled_embedding else 1.0,
            tied=fields.take("tie_word_embeddings", flag),
            biased=family.biased | set(of_fields),
        )
        for name, only in NOT_COMPUTED.items():
            fields.expect(name, *only)
        fields.require_known(UNREAD | family.unread)
        return plan

    @property
    def sizes(self) -> dict[str, int | None]:
        """The length of each axis of an array, by its name in `AXES` of `parts.py`."""
        queries, keys = self.n_heads * self.dim_head, self.n_key_heads * self.dim_head
        return {
            **{"dim": self.dim, "hidden": self.dim_hidden, "tokens": self.n_tokens, "places": self.n_places},
            **{"kinds": self.n_kinds, "queries": queries, "keys": keys, "joint": queries + 2 * keys},
            **{"head": self.dim_head, "heads": self.n_heads},
        }


NOT_COMPUTED: dict[str, tuple[Any, ...]] = {
    "is_encoder_decoder": (False,),
    "is_decoder": (False,),
    "add_cross_attention": (False,),
    "cross_attention_hidden_size": (None,),
    "pruned_heads": ({}, None),
    "position_embedding_type": ("absolute",),
    "use_bidirectional_attention": (None, False),
    "use_mrope": (False,),
}
"""Fields of which only these values are computed; the first is named in messages."""


def _or_none(check: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    return lambda value, what: None if value is None else check(value, what)


def _activation(value: Any, what: str) -> str:
    if _text(value, what) not in ACTIVATIONS:
        raise InvalidInput(f"{what}: {unknown(value, ACTIVATIONS)}")
    return str(value)


def _table(value: Any, what: str) -> dict[str, Any]:
    return instance(value, dict, what, "a table")


def _masks(fields: Fields, family: Family, n_layers: int) -> tuple[MaskRule, ...]:
    """The mask of each layer: a window where the family, or the field `layer_types`, says so."""
    if not family.causal:
        return (NoMask(),) * n_layers
    if family.windows is None:
        return (Causal(),) * n_layers
    width, has, kinds = fields.take("sliding_window", _or_none(whole)), [True] * n_layers, None
    if family.windows == "from":
        used, first = fields.take("use_sliding_window", flag), fields.take("max_window_layers", partial(whole, least=0))
        has, width = [i >= first for i in range(n_layers)], width if used else None
    elif family.windows == "second":
        has = [i % 2 == 0 for i in range(n_layers)]
    if family.windows != "all":
        kinds = fields.find("layer_types", lambda value, what: tuple(entries_of(value, what)))
    if kinds is not None:
        where = f"{fields.where}: layer_types"
        for kind in kinds:
            if kind not in ("sliding_attention", "full_attention"):
                raise InvalidInput(f"{where}: {unknown(kind, ['sliding_attention', 'full_attention'])}")
        if len(kinds) != n_layers:
            raise InvalidInput(f"{where}: got {len(kinds)}; expected {n_layers}, one for each layer")
        has = [kind == "sliding_attention" for kind in kinds]
        if any(has) and width is None:
            raise InvalidInput(f"{where}: a layer has a window, and the field sliding_window gives none")
    return tuple(Causal() if width is None or not one else Window(width) for one in has)


def _position(fields: Fields, family: Family, dim_head: int) -> Rotary | None:
    """The rotary positions, from the fields of newer files or of older ones; None for a family without."""
    if family.rotary is None:
        return None
    base_field, share_field = family.fields["base"], family.fields.get("share", "partial_rotary_factor")
    newer = fields.find("rope_parameters", _table)
    if newer is not None:
        rules = Fields(newer, f"{fields.where}: rope_parameters")
        base, kind = rules.take("rope_theta", positive), rules.take("rope_type", _text)
        fields.expect("rope_scaling", None)
        fields.expect(base_field, base)
        of_share = rules, "partial_rotary_factor"
    else:
        older = fields.find("rope_scaling", _table)
        rules = Fields(older or {}, f"{fields.where}: rope_scaling")
        base, kind = fields.take(base_field, positive), "default"
        fields.expect("rope_theta", base)
        if older is not None:
            kind = rules.find("rope_type", _text) or rules.take("type", _text)
            rules.expect("type", kind)
        of_share = fields, share_field
    n_rotated = None
    if family.rotary == "share":
        share = of_share[0].take(of_share[1], partial(real, above=0.0))
        fields.expect("partial_rotary_factor", share)
        n_rotated = None if share == 1 else int(dim_head * share)
    else:
        of_share[0].expect(of_share[1], 1.0, None)
    if kind not in SCALINGS:
        raise InvalidInput(f"{rules.where}: rope_type: {unknown(kind, SCALINGS)}")
    scaling = SCALINGS[kind](rules)
    rules.require_known(())
    return Rotary(base, "half", n_rotated, scaling)


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{what}: expected a text, not {quoted(value)}")
    return value


def _yarn(rules: Fields) -> Scaling:
    """The length is that of the paper, 1 + 0.1 log(factor), where the file gives none."""
    rules.older = {"truncate": True}
    factor = rules.take("factor", positive)
    length = rules.find("attention_factor", positive) or 1 + 0.1 * math.log(max(factor, 1.0))
    rules.expect("mscale", None)
    rules.expect("mscale_all_dim", None)
    return YarnScaling(
        factor=factor,
        original=rules.take("original_max_position_embeddings", whole),
        fast=rules.take("beta_fast", positive),
        slow=rules.take("beta_slow", positive),
        whole=rules.take("truncate", flag),
        length=length,
    )


SCALINGS: Mapping[str, Callable[[Fields], Scaling | None]] = {
    "default": lambda rules: None,
    "linear": lambda rules: LinearScaling(rules.take("factor", positive)),
    "llama3": lambda rules: WavelengthScaling(
        factor=rules.take("factor", positive),
        low=rules.take("low_freq_factor", positive),
        high=rules.take("high_freq_factor", positive),
        original=rules.take("original_max_position_embeddings", whole),
    ),
    "yarn": _yarn,
}
"""The rule for rotary frequencies by the `rope_type` of a configuration."""
