"""Magnets as a scenario writes them: couplings, the patterns of a memory, or spins that are all coupled alike."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.memories.models import named_memories
from hopattn.networks.classical import Hopfield
from hopattn.networks.ising import boltzmann, curie_weiss
from hopattn.scenario.language.common_problems import one_of_problems, unused_problems
from hopattn.scenario.language.fields import Count, Matrix, Problem, Table, Vector
from hopattn.scenario.parts.memories import ModelChoice, ModelTable

FORMS = ("couplings", "patterns", "curie_weiss")


class MagnetTable(Table):
    """The spins and their energy; one of three forms."""

    couplings: Matrix | None = None
    """The couplings W of E = −½ xᵀW x − bᵀx, one row a spin; symmetric."""
    bias: Vector | None = None
    """With `couplings`: the field b at each spin; by default 0."""
    patterns: Matrix | None = None
    """The patterns that a memory stores, each of -1 and 1; the memory's energy is that of the spins."""
    model: ModelChoice = "hopfield"
    """With `patterns`: the memory, by its name, as in [memory]."""
    curie_weiss: Count | None = None
    """A number N of spins that are all coupled by 1/N: Hopfield's network with one pattern."""

    @property
    def given(self) -> str:
        """The form that the file gives; the first of them if it gives several."""
        return next((form for form in FORMS if getattr(self, form) is not None), FORMS[0])

    @property
    def neurons(self) -> int:
        """The number of spins."""
        return self.curie_weiss or len((self.patterns or self.couplings or [[0.0]])[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the overlaps; without patterns it is m, the overlap with all spins up."""
        return ("m",) if self.patterns is None else tuple(f"pattern {i + 1}" for i in range(len(self.patterns)))

    def magnet_problems(self) -> Iterator[Problem]:
        """None or several of the three forms, keys of another form, and numbers that do not fit."""
        forms = [*one_of_problems(self, FORMS, ("ising",))]
        yield from forms
        if forms:
            return
        for key, form in (("bias", "couplings"), ("model", "patterns")):
            if form != self.given:
                yield from unused_problems(
                    self, (key,), ("ising",), f"belongs to `{form}`, and `{self.given}` is given"
                )
        rows = self.couplings or self.patterns or []
        n = len(rows) if self.couplings is not None else self.neurons
        for i, row in enumerate(rows):
            if len(row) != n:
                yield Problem(("ising", self.given, i), f"{len(row)} numbers do not fit {n} spins")
                return
        if self.curie_weiss is None and n <= 1024:
            try:
                self.memory()
            except InvalidInput as error:
                key = next((name for name in ("bias", "model") if str(error).startswith(f"{name}: ")), self.given)
                yield Problem(("ising", key), str(error).removeprefix(f"{key}: "))

    def memory(self) -> Any:
        """The memory whose energy is that of the spins; raises `InvalidInput` if it cannot store the patterns."""
        if self.patterns is not None:
            rows = np.array(self.patterns, dtype=float)
            card = ModelTable(model=self.model)
            return card.build(rows, None, np.random.default_rng(0))
        if self.curie_weiss is not None:
            ones = np.ones((1, self.curie_weiss))
            return cast(Any, named_memories["hopfield"]).build(ones, self_coupling=True)
        couplings = np.array(self.couplings, dtype=float)
        return Hopfield(couplings, bias=self.bias or 0.0, patterns=np.ones((1, len(couplings))))

    def averages(self, temperatures: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The overlaps' sizes `(n_t, n_patterns)`, and energy, free energy, entropy and heat capacity of a spin."""
        n = self.neurons
        if self.curie_weiss is not None:
            magnet = curie_weiss(n, temperatures)
            thermal = [magnet.energy, magnet.free_energy, magnet.entropy, magnet.heat_capacity]
            return magnet.size_of_m[:, None], np.stack(thermal, axis=-1) / n
        exact = boltzmann(self.memory(), temperatures)
        thermal = [exact.energy, exact.free_energy, exact.entropy, exact.heat_capacity]
        return exact.overlaps, np.stack(thermal, axis=-1) / n
