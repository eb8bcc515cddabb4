"""The public names of hopattn with the parameters and defaults of each, one on a line: `docs/reference/api.txt`.

`make docs` writes the file, and a test compares it: a parameter, a default or a method changes on purpose only.
Annotations are left out; they are the type checker's. The constructor of a result is left out too: a call of hopattn
makes it, and its arguments may change. Each line begins with
`stable` or `may change`; the table `MAY_CHANGE` says which names may change, and why.
"""

import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import hopattn as ha
from hopattn.foundation import lazy
from hopattn.foundation.shown_types import spelled_out

MAY_CHANGE = {
    "networks of layers and their synapses are young": "ha.networks",
    "the rooms are young": "ha.cluster ha.experiments ha.gradients ha.jax ha.landscapes ha.torch",
    "training, and what it trains, is young": """
        ha.circuits.MemoryCircuit ha.circuits.Recipe ha.circuits.Training ha.circuits.TriggerTexts
        ha.circuits.memory_circuit ha.circuits.memory_curves ha.circuits.outer_product_recall ha.circuits.random_blocks
        ha.circuits.random_texts ha.circuits.recall_width ha.circuits.train ha.circuits.trigger_texts""",
    "the census of heads, and what it counts, grows": """
        ha.Checkpoint.census ha.circuits.Census ha.circuits.head_census ha.circuits.head_scores""",
    "probes, walks and selections are young": """
        ha.circuits.PositionProbe ha.circuits.Selection ha.circuits.Walked ha.circuits.World ha.circuits.position_lead
        ha.circuits.position_probe ha.circuits.select ha.circuits.walk ha.circuits.world_of_graph""",
    "layers that are no block of attention are young": """
        ha.transformer.DeltaState ha.transformer.EncoderDecoder ha.transformer.FirstWord ha.transformer.LinearState
        ha.transformer.NGram ha.transformer.Recurrent ha.transformer.RecurrentDecoder ha.transformer.delta_attention
        ha.transformer.layer_by_messages ha.transformer.linear_attention ha.transformer.pass_messages
        ha.transformer.token_graph""",
    "what a part of your own overrides follows the loop of recall": """
        ha.Activation ha.Separation ha.Similarity ha.Update""",
}
"""Why a name may change, and the names; all of a class, of a registry and of a room may change with it."""


def stability(line: str) -> str:
    """`may change` for a line that the table names, otherwise `stable`."""
    names = [name for names in MAY_CHANGE.values() for name in names.split() if line.startswith(name)]
    named = any(name.endswith("(") or not line.removeprefix(name)[:1].isidentifier() for name in names)
    return "may change" if named else "stable"


def parameters(called: Any) -> str:
    """Parameters with their defaults, without annotations: `(keys, values=None, *, beta=1.0)`.

    The default of a keyword of `**options` is `...`: the docstring says what holds without it.
    """
    try:
        signature = spelled_out(inspect.signature(called))
    except (TypeError, ValueError):  # written in C
        return "(…)"
    plain = [one.replace(annotation=one.empty, default=_shown(one.default)) for one in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=signature.empty))


class _Text:
    """A default as it is written; a function by its name, which has no address."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _shown(default: Any) -> Any:
    if default is ...:
        return _Text("...")
    named = callable(default) and hasattr(default, "__qualname__")
    return _Text(default.__qualname__) if named and default is not inspect.Parameter.empty else default


def is_result(kind: type) -> bool:
    """Whether objects of a class come from calls alone: all arguments of its constructor are by name, some required."""
    parameters = inspect.signature(kind).parameters.values()
    by_name = all(one.kind is one.KEYWORD_ONLY for one in parameters)
    return by_name and any(one.default is one.empty for one in parameters)


def is_module(kind: type) -> bool:
    """Whether objects of a class are modules of PyTorch."""
    return any(base.__module__.startswith("torch.") for base in kind.__mro__)


def members(kind: type) -> list[str]:
    """The public names in a class, but those that it has from PyTorch."""
    public = [name for name in dir(kind) if name == "__call__" or not name.startswith("_")]
    if not is_module(kind):
        return public
    ours = {name for base in kind.__mro__ if base.__module__.startswith("hopattn.") for name in vars(base)}
    return [name for name in public if name in ours]


def of_name(name: str, value: Any) -> Iterator[str]:
    """The lines of a public name: a function, a class with its methods and attributes, a registry with its entries."""
    if inspect.isclass(value):
        unstated = issubclass(value, Enum) or is_result(value)  # Python's own signature of an Enum changes
        yield name if unstated else f"{name}{parameters(value)}"
        stored = {field.name for field in fields(value)} if is_dataclass(value) else set[str]()
        for part in sorted({*members(value), *(name for name in stored if not name.startswith("_"))}):
            member = inspect.getattr_static(value, part, None)
            called = getattr(value, part, None)
            if inspect.isbuiltin(called):  # Python's own, such as `str.maketrans`
                continue
            if isinstance(member, (classmethod, staticmethod)) or inspect.isfunction(member):
                yield f"{name}.{part}{parameters(called)}"
            elif isinstance(called, bool | int | float | str):
                yield f"{name}.{part} = {called!r}"
            elif not callable(called) or isinstance(member, property):
                yield f"{name}.{part}"
    elif hasattr(value, "items"):
        for entry, made in value.items():
            yield f"{name}[{entry!r}]{parameters(made) if callable(made) else ''}"
    elif inspect.isroutine(value):
        yield f"{name}{parameters(value)}"
    else:  # a value, such as the rule `ha.causal`
        yield name


def public_names() -> Iterator[tuple[str, Any]]:
    """Every public name with what it stands for, those at the top first, then those of the rooms."""
    rooms = sorted(lazy.rooms(str(ha.__file__)))
    places: list[tuple[str, Any]] = [("ha", ha), *((f"ha.{name}", getattr(ha, name)) for name in rooms)]
    for place, room in places:
        for name in sorted(room.__all__):
            if not inspect.ismodule(value := getattr(room, name)):
                yield f"{place}.{name}", value


def lines() -> Iterator[str]:
    """Every public name after its stability, with the names of its parts."""
    for name, value in public_names():
        yield from (f"{stability(line):<10}  {line}" for line in of_name(name, value))


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lines())
