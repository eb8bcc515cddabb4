"""Faults that readers of checkpoints really make, each with a model that must show it.

A fault is a function of `monkeypatch` that puts it into the reader.
"""

from dataclasses import replace

import numpy as np

import hopattn as ha
from hopattn.checkpoints.families import FAMILIES
from hopattn.checkpoints.parts import Parts
from hopattn.checkpoints.plan import ACTIVATIONS, Plan
from hopattn.retrieval.masks import Causal, NoMask, Window
from hopattn.transformer.feed_forward import Affine, FeedForward
from hopattn.transformer.positions.planes import frequencies, rotate_pairs
from hopattn.transformer.positions.rotary import Rotary


def row(family, **changes):
    return lambda patch: patch.setitem(FAMILIES, family, replace(FAMILIES[family], **changes))


def planned(change):
    """A fault in the plan: `change` gives the fields that are wrong."""
    of = Plan.of

    def install(patch):
        patch.setattr(Plan, "of", lambda fields, family: replace(of(fields, family), **change(of(fields, family))))

    return install


def turned(**changes):
    return planned(lambda plan: {"position": replace(plan.position, **changes)})


def method(owner, name, wrap):
    own = getattr(owner, name)
    return lambda patch: patch.setattr(owner, name, wrap(own))


def square_not_transposed(own):
    def read(self, role, layer=0):
        found = own(self, role, layer)
        return Affine(found.weight.T, found.bias) if found.dims[0] == found.dims[1] else found

    return read


def without(*roles):
    """Norms that are left out."""
    return method(
        Parts, "_norm", lambda own: lambda self, role, layer=0: own(self, "" if role in roles else role, layer)
    )


def heads(change):
    """Heads of a layer that are other ones; the options of a head are those of the first."""

    def wrap(own):
        def build(self, layer):
            found = own(self, layer)
            first = found.heads[0]
            options = {"mask": first.mask, "position": first.position, "beta": first.retrieval.separation.beta}
            return ha.MultiHead([ha.Head(*maps, **options) for maps in change(found.heads)], found.out)

        return build

    return method(Parts, "multi_head", wrap)


def tiled(of_layer):
    of_keys = of_layer[0], of_layer[-1]
    return [(one.query, of_keys[i % 2].key, of_keys[i % 2].value) for i, one in enumerate(of_layer)]


def of_block(**changes):
    return method(Parts, "block", lambda own: lambda self, layer: replace(own(self, layer), **changes))


def gate_and_inner_swapped(own):
    def build(self, layer):
        block = own(self, layer)
        fed = block.feed_forward
        return replace(block, feed_forward=FeedForward(fed.gate, fed.outer, fed.activation, gate=fed.inner))

    return build


def frequencies_of_the_head(own):
    def at(self, rows, places):
        angles = places[:, None] * frequencies(rows.shape[-1], self.base)[: self.dim // 2]
        rotated = rotate_pairs(rows[..., : self.dim], np.cos(angles), np.sin(angles), "half")
        return np.concatenate([rotated, rows[..., self.dim :]], axis=-1)

    return at


FAULTS = {
    "a square Conv1D not transposed": ("gpt2", method(Parts, "_map", square_not_transposed)),
    "queries, keys and values by role": ("gpt_neox", row("gpt_neox", joint="role, head")),
    "queries, keys and values by head": ("gpt2", row("gpt2", joint="head, role")),
    "rotary axes interleaved": ("llama", turned(layout="interleaved")),
    "all dims rotated": ("gpt_neox", turned(dim=None)),
    "frequencies of the dim of the head": ("gpt_neox", method(Rotary, "_at", frequencies_of_the_head)),
    "another rotary base": ("llama", turned(base=10000.0)),
    "no rotary scaling, llama 3": ("llama 3", turned(scaling=None)),
    "no rotary scaling, linear": ("llama, linear", turned(scaling=None)),
    "no rotary scaling, yarn": ("gpt_oss", turned(scaling=None)),
    "the length of yarn": (
        "gpt_oss",
        planned(lambda plan: {"position": replace(plan.position, scaling=replace(plan.position.scaling, length=1.0))}),
    ),
    "a ramp of yarn with rounded ends": (
        "gpt_oss",
        planned(lambda plan: {"position": replace(plan.position, scaling=replace(plan.position.scaling, whole=True))}),
    ),
    "a window one too wide": (
        "mistral",
        planned(lambda plan: {"masks": tuple(Window(mask.width + 1) for mask in plan.masks)}),
    ),
    "no window": ("mistral", planned(lambda plan: {"masks": (Causal(),) * 2})),
    "windows in the other layers": ("gemma2", planned(lambda plan: {"masks": plan.masks[::-1]})),
    "windows from the first layer on": ("qwen2", planned(lambda plan: {"masks": plan.masks[1:] * 2})),
    "a causal mask for all": ("bert", row("bert", causal=True)),
    "no mask": ("gpt2", planned(lambda plan: {"masks": (NoMask(),) * 2})),
    "biases of queries dropped": (
        "qwen2",
        method(Parts, "_map", lambda own: lambda self, role, layer=0: Affine(own(self, role, layer).weight)),
    ),
    "keys tiled instead of repeated": ("llama", heads(tiled)),
    "norms of queries and keys dropped": ("qwen3", without("query", "key")),
    "the norm of keys dropped": ("qwen3", without("key")),
    "gains without the added 1": ("gemma2", row("gemma2", gain=0.0)),
    "norms after the sub-layers dropped": ("gemma2", without("attention_after", "feed_forward_after")),
    "the scale of embeddings dropped": ("gemma2", row("gemma2", scaled_embedding=False)),
    "β from the dim of a head": ("gemma2", planned(lambda plan: {"betas": (plan.dim_head**-0.5,) * 2})),
    "β from dim / heads": ("mistral", planned(lambda plan: {"betas": ((plan.dim / plan.n_heads) ** -0.5,) * 2})),
    "one β for all layers": ("gpt2", planned(lambda plan: {"betas": plan.betas[:1] * 2})),
    "β in a model without": ("gpt2 of another width", planned(lambda plan: {"betas": (plan.dim_head**-0.5,) * 2})),
    "the cap of scores dropped": ("gemma2", planned(lambda plan: {"score_cap": None})),
    "the cap of logits dropped": ("gemma2", planned(lambda plan: {"logit_cap": None})),
    "kinds of tokens dropped": (
        "bert",
        method(Parts, "embedded", lambda own: lambda self, ids, kinds: own(self, ids, None)),
    ),
    "positions two later": (
        "gpt2",
        method(
            Parts,
            "_rows",
            lambda own: lambda self, role, rows: own(self, role, rows + 2 if role == "places" else rows),
        ),
    ),
    "sub-layers in series": ("gpt_neox", of_block(parallel=False)),
    "sub-layers in parallel": ("gpt_neox in series", of_block(parallel=True)),
    "norms first": ("bert", of_block(norm_first=True)),
    "exact gelu for the tanh": ("gpt2", lambda patch: patch.setitem(ACTIVATIONS, "gelu_new", "gelu")),
    "the tanh for exact gelu": ("gpt_neox", lambda patch: patch.setitem(ACTIVATIONS, "gelu", "gelu_tanh")),
    "the gate for the values": ("llama", method(Parts, "block", gate_and_inner_swapped)),
    "the sink dropped": (
        "gpt_oss",
        heads(lambda of_layer: [(one.query, one.key, one.value) for one in of_layer]),
    ),
    "another ε": ("llama", planned(lambda plan: {"epsilon": 1e-5})),
    "the embedding for the unembedding": ("llama", planned(lambda plan: {"tied": True})),
    "the bias of logits dropped": (
        "bert",
        method(Parts, "logits", lambda own: lambda self, words: own(self, words) - self._read("cls.predictions.bias")),
    ),
}
