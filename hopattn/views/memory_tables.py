"""Tables of a memory: its parts, and the updates under which its energy never rises."""

from collections.abc import Iterator
from inspect import signature

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.updates import updates
from hopattn.memories.kernels import LogSumRelu, SuperposedMemory
from hopattn.memories.memory import KeyValueMemory, Memory
from hopattn.networks.associator import Associator, Bidirectional
from hopattn.networks.classical import Hopfield

SPECTRAL = ("sync", "concave_convex")
"""The updates whose answer for a network of couplings needs the eigenvalues of the couplings."""
MOST_NEURONS = 2048
"""The largest network whose eigenvalues are computed for a table; those of a larger one may take minutes."""


def memory_parts(memory: AssociativeMemory) -> list[tuple[str, str]]:
    """The rows of the first table, (part, this memory's): shapes, similarity, separation, activation, update, energy.

    A memory of an unknown kind is its text.
    """
    activation, formula = ("activation", repr(getattr(memory, "activation", None))), "as memory.energy gives it"
    match memory:
        case KeyValueMemory():
            dim, dim_out = memory.dims
            dtype = f", {memory.keys.dtype}" if isinstance(memory, Memory) else ""
            values = "the keys" if memory.autoassociative else f"{memory.n_patterns} × {dim_out}"
            parts = [(part, repr(getattr(memory, part))) for part in ("similarity", "separation")]
            rows = [("keys", f"{memory.n_patterns} × {dim}{dtype}"), ("values", values), *parts, activation]
            formula = "E(x) = Φ*(x) − Ψ(K x)"
        case Hopfield() | Associator():
            n_out, n_in = memory.couplings.shape
            size = ("couplings", f"{n_out} × {n_in}, {memory.couplings.dtype}")
            rows = [size, ("patterns", f"{len(memory.patterns)} × {n_out}"), activation]
            if isinstance(memory, Hopfield):
                rows.append(("bias", "some" if memory.bias.any() else "none"))
                formula = "E(x) = Φ*(x) − ½ xᵀW x − bᵀx"
        case Bidirectional():
            n_right, n_left = memory.forward.couplings.shape
            rows = [("left", f"{n_left} neurons"), ("right", f"{n_right} neurons")]
            rows += [("left patterns", f"{len(memory.patterns)} × {n_left}"), activation]
            formula = "E(x) = min_y −yᵀW x"
        case LogSumRelu() | SuperposedMemory():
            n, dim = memory.patterns.shape
            rows = [("patterns", f"{n} × {dim}, {memory.patterns.dtype}"), activation]
            if isinstance(memory, LogSumRelu):
                rows.append(("range", f"√(2/β) = {memory.radius:.4g}"))
                formula = "E(x) = −β⁻¹ log(ε + Σ [1 − ½β|x − ξ|²]₊)"
            else:
                rows.append(("features", repr(memory.phi)))
                formula = "E(x) = ½|x|² − β⁻¹ log T·φ(x)"
        case _:
            rows = [("memory", repr(memory))]
    reason = memory.why_not("energy")
    energy = f"none: {reason}" if reason else formula
    return [*rows, ("update", repr(memory.default_update)), ("energy", energy)]


def descents(memory: AssociativeMemory) -> Iterator[tuple[str, str, str]]:
    """The rows of the second table: each update, "yes", "no" or "not computed", and the reason.

    An update with a parameter that has no default is left out: its answer depends on that parameter.
    """
    for name, update in updates.items():
        if any(given.default is given.empty for given in signature(update).parameters.values()):
            continue
        if name in SPECTRAL and isinstance(memory, Hopfield) and len(memory.couplings) > MOST_NEURONS:
            yield name, "not computed", f"it takes the eigenvalues of the couplings; memory.descends('{name}') says it"
        else:
            descent = memory.descends(name)
            yield name, "yes" if descent else "no", descent.reason
