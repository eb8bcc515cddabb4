"""The plan of a model: its sizes and options, from the fields of its configuration."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from hopattn.checkpoints.fields import Check, Fields
from hopattn.foundation.checks import each, flag, positive, real, whole
from hopattn.foundation.errors import InvalidInput, placed, quoted, unknown
from hopattn.positions.rotary import Rotary
from hopattn.positions.scaling import LinearScaling, Scaling, WavelengthScaling, YarnScaling
from hopattn.retrieval.masks import Causal, MaskRule, NoMask, Window
from hopattn.transformer.families import EVERY_COMPUTED, WHY, Family

MOST_LAYERS = 10_000  # more than any model has


def _or_none(check: Check) -> Check:
    return lambda value, what: None if value is None else check(value, what)


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{what}: expected a text, not {quoted(value)}")
    return value


def _types(value: Any, what: str) -> tuple[bool, ...]:
    """Whether each layer has a window, as a list of types says."""
    for kind in (types := each(value, str, what)):
        if kind not in WINDOWED:
            raise InvalidInput(f"{what}: {unknown(kind, WINDOWED)}")
    return tuple(WINDOWED[kind] for kind in types)


def _patterns(value: Any, what: str) -> tuple[bool, ...]:
    """The same of patterns of types, each with the number of its repeats."""
    pairs = each(value, list, what, "a pattern and a number")
    if any(len(pair) != 2 for pair in pairs):
        raise InvalidInput(f"{what}: expected pairs of a pattern and a number, not {quoted(value)}")
    times = [whole(count, what, most=MOST_LAYERS) for _, count in pairs]
    return tuple(chain.from_iterable(_types(pattern, what) * n for (pattern, _), n in zip(pairs, times, strict=True)))


WINDOWED = {"sliding_attention": True, "full_attention": False, "local": True, "global": False}
"""Whether a layer of a type has a window."""
CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(("dim", "n_heads", "n_tokens", "n_places", "n_kinds", "longest", "period"), whole),
    **dict.fromkeys(("dim_word", "n_key_heads", "dim_head", "dim_hidden", "width"), _or_none(whole)),
    **dict.fromkeys(
        ("scaled", "scaled_by_layer", "parallel", "norm_first", "no_final_norm", "windowed", "affine"), flag
    ),
    **dict.fromkeys(("epsilon", "query_scale"), positive),
    **dict.fromkeys(("score_cap", "logit_cap"), _or_none(positive)),
    "n_layers": partial(whole, most=MOST_LAYERS),
    "first_window": partial(whole, least=0),
    "padding": partial(whole, least=0),
    "types": _or_none(_types),
    "patterns": _patterns,
}
"""The check of a field by its meaning; that of an activation is its family's, and those of turns are read apart."""
TURNS = ("base", "window_base", "share")
"""The meanings of fields of rotary positions."""


@dataclass(frozen=True)
class Plan:
    """The sizes and options of a model.

    dim: of a word. dim_word: of the vector of a token, from which a word is made. n_heads, n_key_heads: heads of
    queries, and of keys and values, in each of n_layers layers. dim_head: of a query. dim_hidden: the neurons of a
    feed-forward layer, or None where it is not read. n_tokens: the size of the vocabulary. n_places: the most tokens of
    a text with learned positions, or None. first_place: the row of the first position. padding: the token that has no
    position of its own, or None. n_kinds: the kinds of tokens, or None. betas, masks, positions: of each layer.
    activation: of the feed-forward layers; transform_activation: before the logits. parallel, norm_first: as in
    `Block`. affine: whether norms have gains and shifts. score_cap, logit_cap: c of c tanh(· / c), or None.
    embedding_scale: the factor of embedded words. tied: whether logits are products with the embedding. biased: the
    roles of maps with a bias. absent: the roles of maps and norms that the family has and this model has not.
    """

    dim: int
    dim_word: int
    n_layers: int
    n_heads: int
    n_key_heads: int
    dim_head: int
    dim_hidden: int | None
    n_tokens: int
    epsilon: float
    activation: str
    transform_activation: str
    betas: tuple[float, ...]
    masks: tuple[MaskRule, ...]
    positions: tuple[Rotary | None, ...]
    tied: bool
    biased: frozenset[str]
    absent: frozenset[str]
    embedding_scale: float
    first_place: int
    n_places: int | None = None
    padding: int | None = None
    n_kinds: int | None = None
    parallel: bool = False
    norm_first: bool = True
    affine: bool = True
    score_cap: float | None = None
    logit_cap: float | None = None

    @classmethod
    def of(cls, fields: Fields, family: Family) -> "Plan":
        """The plan of a configuration; raises `InvalidInput` with all that it lacks and all that is not computed."""
        of = _meanings(fields, family)
        dim, n_layers, n_heads = of["dim"], of["n_layers"], of["n_heads"]
        n_key_heads, dim_head = of.get("n_key_heads") or n_heads, of.get("dim_head")
        if n_heads % n_key_heads:
            raise InvalidInput(f"{fields.where}: {n_heads} heads cannot share {n_key_heads} heads of keys evenly")
        if dim_head is None and dim % n_heads:
            raise InvalidInput(f"{fields.where}: dim {dim} does not divide into {n_heads} heads")
        dim_head, dim_word = dim_head or dim // n_heads, of.get("dim_word") or dim
        beta = float(of.get("query_scale") or dim_head) ** -0.5 if of.get("scaled", True) else 1.0
        first_place = family.first_place
        if (padding := of.get("padding")) is not None:
            first_place = padding + 1
            of["n_places"] -= first_place
            if of["n_places"] < 1:
                raise InvalidInput(f"{fields.where}: the positions behind that of the padding, {padding}, are none")
        activation = family.activations[of.get("activation", "relu")]
        absent = {"enter", "leave"} if dim_word == dim else set()
        if of.get("no_final_norm") or not of.get("norm_first", True):
            absent.add("final")
        with placed(fields.where):
            positions = [None if turn is None else turn.position(dim_head) for turn in of["turns"]]
        computed = {
            "dim_word": dim_word,
            "n_key_heads": n_key_heads,
            "dim_head": dim_head,
            "dim_hidden": (of.get("dim_hidden") or 4 * dim) if family.feeds else None,  # as GPT-2 defines a null
            "first_place": first_place,
            "activation": activation,
            "transform_activation": family.activations.get(of.get("transform_activation", ""), activation),
            "betas": tuple(beta / (i + 1) if of.get("scaled_by_layer") else beta for i in range(n_layers)),
            "masks": tuple(_mask(family, of.get("width") if window else None) for window in of["has_window"]),
            "positions": tuple(positions[window] for window in of["has_window"]),
            "embedding_scale": dim**0.5 if family.scaled_embedding else 1.0,
            "absent": frozenset(absent),
        }
        names = cls.__dataclass_fields__
        return cls(**{name: value for name, value in of.items() if name in names} | computed)

    @property
    def sizes(self) -> dict[str, int | None]:
        """The length of each axis of an array, by its name in `AXES` of `parts.py`."""
        queries, keys = self.n_heads * self.dim_head, self.n_key_heads * self.dim_head
        rows, hidden = None if self.n_places is None else self.n_places + self.first_place, self.dim_hidden
        return {
            **{"dim": self.dim, "word": self.dim_word, "hidden": hidden, "gated": hidden and 2 * hidden},
            **{"tokens": self.n_tokens, "places": rows, "kinds": self.n_kinds},
            **{"queries": queries, "keys": keys, "joint": queries + 2 * keys},
            **{"head": self.dim_head, "heads": self.n_heads},
        }


def _meanings(fields: Fields, family: Family) -> dict[str, Any]:
    """What each field of a configuration means, by the names of `Family.fields`, and what several say together.

    These are tied, biased, turns (without and with a window) and has_window (of each layer). Raises `InvalidInput` with
    all that is lacking and all that is not computed.
    """

    def activation(value: Any, what: str) -> str:
        if _text(value, what) not in family.activations:
            raise InvalidInput(f"{what}: {unknown(value, family.activations)}")
        return str(value)

    checks = {**CHECKS, "activation": activation}
    apart = {*TURNS, *({"period"} if fields.table.get("layer_types") else ())}
    sources = {meaning: names for meaning, names in family.fields.items() if meaning not in apart}
    of = {**family.constants, **{meaning: fields.take(names, checks[meaning]) for meaning, names in sources.items()}}
    of["tied"] = fields.take("tie_word_embeddings", flag)
    biases = [role for name, roles in family.biased_if.items() if fields.take(name, flag) for role in roles]
    of["biased"] = family.biased | set(biases)
    of["turns"] = _turns(fields, family, of.get("longest"))
    of["has_window"] = () if fields.faults else _windows(fields, family, of)
    for name, values in {**EVERY_COMPUTED, **family.computed}.items():
        if not re.fullmatch(family.inert, name):
            fields.expect(name, *values, why=WHY.get(name, ""))
    fields.leave(family.inert)
    fields.require()
    return of


def _mask(family: Family, width: int | None) -> MaskRule:
    return NoMask() if not family.causal else Causal() if width is None else Window(width)


def _windows(fields: Fields, family: Family, of: Mapping[str, Any]) -> tuple[bool, ...]:
    """Whether each layer is of those with a window."""
    n, width = of["n_layers"], of.get("width")
    has_window: tuple[bool, ...] = (False,) * n
    if family.windows == "all":
        has_window = (of.get("windowed", True),) * n
    elif family.windows == "from":
        has_window = tuple(of["windowed"] and width is not None and i >= of["first_window"] for i in range(n))
    elif family.windows == "second":
        has_window = tuple(i % 2 == 0 for i in range(n))
    elif family.windows == "period" and "period" in of:
        has_window = tuple((i + 1) % of["period"] != 0 for i in range(n))
    elif family.windows == "patterns":
        has_window = of["patterns"]
    types, name = of.get("types"), family.fields.get("patterns") or family.fields.get("types", "")
    if family.windows == "patterns" and types not in (None, has_window):
        fields.refuse(family.fields["types"], f"says other layers than {name}; expected the same")
    elif types is not None:
        has_window = types
        if any(types) and (width is None or not of.get("windowed", True)):
            fields.refuse(name, f"a layer has a window, and the field {family.fields['width']} gives none")
    if len(has_window) != n:
        fields.refuse(name, f"got {len(has_window)}; expected {n}, one for each layer")
    return has_window


@dataclass(frozen=True)
class Turn:
    """The rotary positions of some layers, for heads of any dim. share: of the dims that is rotated."""

    base: float
    share: float
    scaling: Scaling | None

    def position(self, dim_head: int) -> Rotary:
        """The positions of heads of this dim."""
        return Rotary(
            self.base, layout="half", dim=None if self.share == 1 else int(dim_head * self.share), scaling=self.scaling
        )


def _turns(fields: Fields, family: Family, longest: int | None) -> tuple[Turn | None, Turn | None]:
    """The turns of layers without and with a window: by the table of newer files, or by the fields of older ones."""
    if family.rotary is None:
        return None, None
    newer = fields.inner("rope_parameters")
    if newer is not None:
        fields.expect("rope_scaling", None)
    table = newer or fields.inner("rope_scaling") or fields.empty
    base, window_base = family.fields["base"], family.fields.get("window_base")
    if window_base is None:
        return (_turn(table, fields, family, base, longest),) * 2
    tables = (newer.inner("full_attention"), newer.inner("sliding_attention")) if newer else (table, None)
    full, window = (
        _turn(part or fields.empty, fields, family, names, longest)
        for part, names in zip(tables, (base, window_base), strict=True)
    )
    if newer is not None:
        newer.leave()
    return full, window


def _turn(table: Fields, fields: Fields, family: Family, base: str, longest: int | None) -> Turn | None:
    """The turn that a table of rotary positions, or else the file itself, says; None where a field is at fault."""

    def either(name: str, names: str, check: Check) -> Any:
        if name not in table.table:
            return fields.take(names, check)
        value = table.take(name, check)
        for synonym in names.split():
            fields.expect(synonym, value)
        return value

    n_faults = len(fields.faults)
    theta, share = either("rope_theta", base, positive), 1.0
    if family.rotary == "share":
        share = either("partial_rotary_factor", family.fields["share"], partial(real, above=0.0))
    else:
        for part in (table, fields):
            part.expect("partial_rotary_factor", 1.0, None)
    kind = table.take("rope_type type", _text) if {"rope_type", "type"} & table.table.keys() else "default"
    if kind is None:
        return None
    if kind not in family.scalings:
        why = f"the rule {quoted(kind)} is not computed; those that are: {', '.join(family.scalings)}"
        table.refuse("rope_type" if "rope_type" in table.table else "type", why)
        return None
    make, names, defaults = SCALINGS[kind]
    table.defaults = {**defaults, **({"original_max_position_embeddings": longest} if longest else {})}
    values = {argument: table.take(name, check) for argument, (name, check) in names.items()}
    table.leave()
    if len(fields.faults) > n_faults:
        return None
    with placed(f"{table.where}: {table.path.rstrip('.')}"):
        return Turn(theta, share, make(**values))


def _yarn(
    factor: float, length: float | None, mscale: float | None, mscale_all: float | None, **options: Any
) -> Scaling:
    """The factor of the rotated dims is the paper's 1 + 0.1 log(factor), or a ratio of two such, unless it is given."""
    growth = 0.1 * math.log(max(factor, 1.0))
    ratio = (1 + mscale * growth) / (1 + mscale_all * growth) if mscale and mscale_all else 1 + growth
    return YarnScaling(factor=factor, length=length or ratio, **options)


_ORIGINAL = ("original_max_position_embeddings", whole)
SCALINGS: Mapping[str, tuple[Callable[..., Scaling | None], Mapping[str, tuple[str, Check]], Mapping[str, Any]]] = {
    "default": (lambda: None, {}, {}),
    "linear": (LinearScaling, {"factor": ("factor", positive)}, {}),
    "llama3": (
        WavelengthScaling,
        {
            "factor": ("factor", positive),
            "low": ("low_freq_factor", positive),
            "high": ("high_freq_factor", positive),
            "original": _ORIGINAL,
        },
        {},
    ),
    "yarn": (
        _yarn,
        {
            "factor": ("factor", positive),
            "original": _ORIGINAL,
            "length": ("attention_factor", _or_none(positive)),
            "mscale": ("mscale", _or_none(real)),
            "mscale_all": ("mscale_all_dim", _or_none(real)),
            "fast": ("beta_fast", positive),
            "slow": ("beta_slow", positive),
            "whole": ("truncate", flag),
        },
        {
            **{"attention_factor": None, "mscale": None, "mscale_all_dim": None},
            **{"beta_fast": 32.0, "beta_slow": 1.0, "truncate": True},
        },
    ),
}
"""The rule for rotary frequencies by the `rope_type` of a configuration: its fields by argument, and their defaults."""
