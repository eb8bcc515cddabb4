"""kind = "landscape": the minima of a memory and their basins, how far damaged cues return, and all fixed points."""

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.landscapes.enumerated import MOST_SPINS_SEEN
from hopattn.results.labelled import Labelled
from hopattn.scenario.kinds.landscape_tables import FixedPointsTable, Kept, Measured, ReturnsTable, StatesTable
from hopattn.scenario.kinds.stored_words import StoredWords
from hopattn.scenario.language.array_layout import ArraySpec, numbers
from hopattn.scenario.language.common_problems import one_of_problems
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.parts.ensembles import NUMBERS, StoredTable
from hopattn.scenario.parts.memories import MemoryTable
from hopattn.scenario.words.word_list import vocabulary_problems


class Landscape(StoredWords):
    """A memory, and the valleys of its energy: how deep, how wide, and how they merge."""

    shown_arrays: ClassVar[tuple[str, ...]] = (
        *("basin", "cycles", "minima", "energy", "depth", "barrier"),
        *("returned", "radii", "radii-error", "count"),
    )
    main_table: ClassVar[str] = "memory"
    kind: Literal["landscape"]
    memory: MemoryTable | None = None
    """The stored words, and how they are recalled."""
    ensemble: StoredTable | None = None
    """Patterns, random or from a file, instead of words."""
    states: StatesTable | None = None
    """All states of at most 20 spins."""
    returns: ReturnsTable | None = None
    """Damaged cues that return to their patterns."""
    fixed_points: FixedPointsTable | None = None
    """The fixed points of graded states."""

    @property
    def measured(self) -> list[Measured]:
        """The tables that say what is measured."""
        return [table for table in (self.states, self.returns, self.fixed_points) if table is not None]

    def part_problems(self) -> Iterator[Problem]:
        problems = [*one_of_problems(self, ("memory", "ensemble"), ())]
        if not self.measured:
            problems.append(Problem((), "needs [states], [returns] or [fixed_points]: nothing says what to measure"))
        for key, words in {"vocabulary": self.written, "pictures": self.pictures}.items():
            if self.memory is None and words is not None:
                problems.append(Problem((key,), "is for the words of [memory]; the patterns of [ensemble] are others"))
        yield from problems
        if not problems:
            yield from super().part_problems() if self.ensemble is None else self.ensemble.source_problems()

    def fit_problems(self) -> Iterator[Problem]:
        problems = [*self._stored_problems()]
        yield from problems
        if problems:
            return
        try:
            kept = self.tried
            obstacle = kept.update[0].obstacle(kept.memory) or kept.memory.why_not("recall")
        except InvalidInput as error:
            yield Problem((self.stored.place,), str(error))
            return
        if obstacle:
            yield Problem((self.stored.place, "update"), obstacle)
            return
        for table in self.measured:
            yield from table.problems(kept)

    def _stored_problems(self) -> Iterator[Problem]:
        """Problems with the words or the patterns, and with the memory of them."""
        yield from self.stored.problems()
        if self.memory is not None:
            yield from vocabulary_problems(self.written, self.pictures)
            yield from self.stored_problems(self.memory)
        elif self.returns is None or self.returns.loads is None or len(self.measured) > 1:
            yield from one_of_problems(self.stored, NUMBERS, ("ensemble",))

    @property
    def stored(self) -> MemoryTable | StoredTable:
        """The table of the memory."""
        found = self.memory or self.ensemble
        assert found is not None, "part_problems has found one of the two"
        return found

    @cached_property
    def tried(self) -> Kept:
        """The memory of the words; of random patterns a small one of the same sort."""
        rng = np.random.default_rng(self.seed)
        return self._kept(rng, None if self.ensemble is None else self.ensemble.tried(rng)[1])

    def _kept(self, rng: np.random.Generator, small: Any = None) -> Kept:
        """The memory, and others of its sort. small: one instead of that of random patterns."""
        seed, table, drawn = int(rng.integers(2**63)), self.stored, None
        if isinstance(table, MemoryTable):
            words, between = self.vocabulary, tuple(map(table.patterns.index, table.between or ()))
            names, axes = tuple(table.recalled_words), words.axes
            build: Any = partial(table.build_from_words, words.vectors)
        else:
            between, axes = (), numbers(table.dim)
            names = tuple(f"pattern {i}" for i in numbers(table.stored))

            def drawn(rng: np.random.Generator, load: float | None = None, given: Any = MappingProxyType({})) -> Any:
                asked = table if load is None else table.model_copy(update={**dict.fromkeys(NUMBERS), "load": load})
                return asked.build(asked.drawn(rng), None, rng, given)

            def build(rng: np.random.Generator, given: Any = MappingProxyType({})) -> Any:
                return drawn(rng, None, given)

        def at_beta(beta: float) -> Any:
            if table.card is not None and "beta" not in table.card.parameters:
                raise InvalidInput(f"beta: the model '{table.card.name}' has none")
            return build(np.random.default_rng(seed), {"beta": beta})

        memory = build(np.random.default_rng(seed)) if small is None else small
        update = table.update_rule(memory), table.steps
        return Kept(memory, names, len(axes), axes, len(names) / len(axes), between, update, drawn, at_beta)

    def size(self) -> int:
        if self.memory is None:
            assert self.ensemble is not None
            stored, dim = self.ensemble.stored, self.ensemble.dim
        else:
            stored, dim = len(self.memory.patterns), len(self.vocabulary.axes)
        states = 0 if self.states is None else 3 * dim * 2 ** min(dim, MOST_SPINS_SEEN)
        cues = 0 if self.returns is None else 4 * self.returns.cues * dim
        return states + cues + (stored + dim) * dim

    def declared_arrays(self) -> Iterator[ArraySpec]:
        for table in self.measured:
            yield from table.declared(self.tried)

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        kept = self._kept(rng)
        return {name: value for table in self.measured for name, value in table.computed(kept, rng).items()}

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        """The names of the arrays that a terminal shows; where all minima are equally low, none has a depth."""
        return tuple(name for name in super().shown(arrays) if arrays[name].values.size)

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        for table in self.measured:
            yield from table.explained(arrays)
