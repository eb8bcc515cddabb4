"""kind = "memory_circuit": an induction head whose matrices are associative memories, by its width."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.circuits.outer_products import PROBES, memory_curves, outer_product_recall, recall_width
from hopattn.results.labelled import Labelled
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArraySpec
from hopattn.scenario.language.common_problems import duplicate_problems
from hopattn.scenario.language.fields import Count, PositiveNumber, Problem, Table

SPREADS = {"previous word": 1.0, "output": 2.0}
"""The spread of the keys of two memories, as `recall_width` counts it: W_V2 has mapped those of W_O2. Those of W_K2 are
its own values, mapped, for which there is no such formula."""

Size = Annotated[int, Field(ge=2, le=10**12)]


class CircuitTable(Table):
    """The circuit of associative memories, and the texts that it reads."""

    widths: Annotated[list[Count], Field(min_length=1)]
    """The dimensions of a word vector: one circuit is built for each."""
    words: Size = 65
    """The number of words of the vocabulary."""
    length: Size = 256
    """The number of words of a text."""
    triggers: Count = 5
    """The number of words of each text that are always followed by one and the same word of this text."""
    texts: Count = 4
    """The number of texts."""
    beta: PositiveNumber = 20.0
    """The inverse temperature of both heads."""

    def problems(self) -> Iterator[Problem]:
        """Numbers that contradict each other."""
        if self.triggers >= self.words:
            message = f"{self.triggers} of {self.words} words leave none for a follower; expected fewer"
            yield Problem(("circuit", "triggers"), message)
        yield from duplicate_problems(self.widths, ("circuit", "widths"), "; expected different numbers")

    @property
    def stored(self) -> dict[str, int]:
        """The number of keys of each memory in `SPREADS`."""
        return {"previous word": self.length - 1, "output": self.words}

    def capacities(self) -> np.ndarray:
        """The width from which each memory in `SPREADS` loses few of its keys; 0 for one key."""
        stored = self.stored
        return np.array(
            [recall_width(stored[name], spread=spread) if stored[name] > 1 else 0.0 for name, spread in SPREADS.items()]
        )

    def expected_recall(self) -> np.ndarray:
        """The share of keys that each memory in `SPREADS` recalls in theory, by width, `(2, n_widths)`."""
        rows = [(self.stored[name], spread) for name, spread in SPREADS.items()]
        return np.array(
            [[outer_product_recall(n, d, spread=k) if n > 1 else 1.0 for d in self.widths] for n, k in rows]
        )


class MemoryCircuit(Spec):
    """An induction head made of associative memories, and texts to continue."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("accuracy", "probes", "capacity")
    main_table: ClassVar[str] = "circuit"
    kind: Literal["memory_circuit"]
    circuit: CircuitTable
    """The circuit and its texts."""

    def size(self) -> int:
        table, d = self.circuit, max(self.circuit.widths)
        texts = min(table.texts, 16) * table.length * (8 * d + 3 * table.length + table.words)
        return 12 * d * d + 2 * (table.words + table.length) * d + texts + table.texts * table.length

    def declared_arrays(self) -> Iterator[ArraySpec]:
        width = ("width", tuple(str(d) for d in self.circuit.widths))
        probe, memory = ("probe", tuple(PROBES)), ("probe", tuple(SPREADS))
        yield ArraySpec("accuracy", (width,))
        yield ArraySpec("probes", (probe, width))
        yield ArraySpec("capacity", (memory,))
        yield ArraySpec("expected recall", (memory, width))
        yield from (ArraySpec(f"{name} at {d}") for name in ("accuracy", *PROBES) for d in self.circuit.widths)

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        table = self.circuit
        numbers = {"n_words": table.words, "length": table.length, "n_triggers": table.triggers, "n_texts": table.texts}
        curves = memory_curves(table.widths, beta=table.beta, rng=rng, **numbers).mean
        values: dict[str, Any] = {
            "accuracy": curves["accuracy"],
            "probes": np.stack([curves[name] for name in PROBES]),
            "capacity": table.capacities(),
            "expected recall": table.expected_recall(),
        }
        values |= {f"{name} at {d}": curves[name][i] for name in curves for i, d in enumerate(table.widths)}
        return values

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table, capacity = self.circuit, arrays["capacity"].values
        yield f"{table.texts} texts of {table.length} words, each with {table.triggers} triggers of {table.words} words"
        for (name, n), width in zip(table.stored.items(), capacity, strict=True):
            if n > 1:
                product = f"√({8 * SPREADS[name]:g} × {n} × ln {n}) = {width:.4g}"
                yield f"the memory '{name}' loses few of its {n} keys from a width of about {product} on"
        for i, d in enumerate(table.widths):
            shares = (f"{name} {arrays[f'{name} at {d}'].values:.4g}" for name in PROBES)
            yield f"width {d}: probes {', '.join(shares)}; accuracy {arrays['accuracy'].values[i]:.4g}"
        yield from (f"{name}: {meaning}" for name, meaning in PROBES.items())
