"""The energy certificate: whether a claimed descent holds, tried on random memories, states and updates."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from inspect import signature
from multiprocessing import get_context
from typing import Any

import numpy as np

from hopattn.dynamics.loop import GROWTH
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.base import Recallable, Turn, Update
from hopattn.dynamics.updates.graded import Graded
from hopattn.dynamics.updates.single import Glauber
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.registry import name_of
from hopattn.foundation.scalars import whole
from hopattn.foundation.vectors import nonzero
from hopattn.memories.memory import Memory
from hopattn.memories.models import named_memories
from hopattn.memories.models.card import Card
from hopattn.networks.associator import Associator
from hopattn.networks.bidirectional import Bidirectional

ROUNDING = 1e-12
"""A rise of the energy by this part of |Φ*| + |Ψ| is rounding in float64."""

PATIENCE = 500
"""So many memories are drawn in vain before it is believed that none is there that claims to descend."""

CUES, STEPS = 20, 5
"""Of each memory that is drawn so many states are followed for so many steps, so that some lie near their rest."""


@dataclass(frozen=True)
class Certificate:
    """What was found of one memory under one update.

    claimed: on how many updates that changed a state the memory said that the energy cannot rise; largest: the largest
    rise among them, as part of |Φ*| + |Ψ|, with Ψ's terms of couplings by their magnitudes. unclaimed: on how many it
    did not say so; rises: how many of these raised the energy, or what the formula of the energy gives where there is
    none. reason: why it descends; refusal: why it may not; obstacle: why the update cannot be applied at all. Each is
    empty where no memory that was drawn said so.
    """

    memory: str
    update: str
    claimed: int = 0
    largest: float = 0.0
    unclaimed: int = 0
    rises: int = 0
    reason: str = ""
    refusal: str = ""
    obstacle: str = ""

    @property
    def holds(self) -> bool:
        """Whether no claimed update raised the energy by more than rounding."""
        return self.largest <= ROUNDING

    def __add__(self, other: "Certificate") -> "Certificate":
        """Both together: two parts of one pair's updates."""
        return Certificate(
            self.memory,
            self.update,
            self.claimed + other.claimed,
            max(self.largest, other.largest),
            self.unclaimed + other.unclaimed,
            self.rises + other.rises,
            self.reason or other.reason,
            self.refusal or other.refusal,
            self.obstacle or other.obstacle,
        )


def certify(memory: Any, update: str | Update = "sync", count: int = 1000, seed: int = 0) -> Certificate:
    """Apply random updates and look whether the energy rises.

    memory: a memory, or the name of a named one, of which instances of random size, load and parameters are drawn.
    update: its name (a temperature and a dt are then drawn), or an object. count: how many updates with a claim, at
    least, and a tenth of it without one; states begin at what the activation gives for a random field. Raises
    `InvalidInput` for a mistyped name.

    >>> import hopattn as ha
    >>> found = ha.certify("modern", count=200)
    >>> found.claimed, found.holds
    (200, True)
    """
    rng, wanted, idle = np.random.default_rng(seed), whole(count, "count"), 0
    if isinstance(memory, str) and memory not in named_memories:
        raise InvalidInput(f"memory: {unknown(memory, named_memories)}")
    name, way = (one if isinstance(one, str) else repr(one) for one in (memory, update))
    found = Certificate(name, way)
    while found.claimed < wanted and idle < PATIENCE:
        drawn = named_memories[memory].drawn(rng) if isinstance(memory, str) else memory
        before, found = found, _tried(found, drawn, _drawn_update(update, rng), rng, wanted)
        tried = found.claimed + found.unclaimed > before.claimed + before.unclaimed
        idle = 0 if tried else idle + 1
    return found


def certify_all(
    names: Sequence[str] = (), count: int = 1000, seed: int = 0, processes: int = 1
) -> Iterator[Certificate]:
    """The certificate of named memories, all of them by default, under every update; the same for any `processes`."""
    pairs = [(name, update) for name in names or sorted(named_memories) for update in updates]
    tried = ([name for name, _ in pairs], [update for _, update in pairs])
    arguments = (*tried, [count] * len(pairs), [seed] * len(pairs))
    if processes == 1:
        yield from map(certify, *arguments)
    else:
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            yield from pool.map(certify, *arguments)


def _tried(found: Certificate, memory: Recallable, rule: Update, rng: np.random.Generator, wanted: int) -> Certificate:
    """The certificate after random states of one more memory were followed; the same where that teaches nothing."""
    if obstacle := rule.obstacle(memory) or memory.lacks_recall:
        return replace(found, obstacle=found.obstacle or obstacle)
    claim = rule.descends(memory)
    if not claim and found.unclaimed >= wanted / 10:
        return found
    rises = np.concatenate(list(_rises(memory, rule, rng)))
    if claim:
        largest = max(found.largest, float(np.nan_to_num(rises, nan=np.inf).max(initial=0.0)))
        return replace(found, claimed=found.claimed + rises.size, largest=largest, reason=found.reason or claim.reason)
    rose = found.rises + int(np.sum(rises > 1e3 * ROUNDING))
    return replace(found, unclaimed=found.unclaimed + rises.size, rises=rose, refusal=found.refusal or claim.reason)


def _rises(memory: Recallable, rule: Update, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """By how much each update that changes a state, and does not send it off to infinity, raises the energy, as part of
    |Φ*| + |Ψ|.
    """
    dim = memory.patterns.shape[-1]
    size = 10 ** rng.uniform(-1, 1) * max(1e-12, float(np.abs(memory.patterns).mean() if memory.patterns.size else 1.0))
    states = np.asarray(memory.activation(rng.normal(size=(CUES, dim)) * size))
    if memory.activation.directional and rng.random() < 0.3:  # some neurons are unknown, some states inside the ball
        states = states * (rng.random(states.shape) < 0.7)
    own = tuple(rng.spawn(CUES)) if rule.by_chance else ()
    for t in range(STEPS):
        with np.errstate(all="ignore"):
            moved = rule.step(memory, states, None, Turn(t, rng, own))
        grown = np.any(np.abs(moved) > GROWTH * (size + np.abs(states).max()), axis=-1)
        counted = ~grown & np.any(moved != states, axis=-1)
        moved = np.where(grown[:, None], states, moved)
        before, after = _energy(memory, states), _energy(memory, moved)
        parts = [np.abs(memory.activation.conjugate(x)) for x in (states, moved)]
        with np.errstate(invalid="ignore"):  # an infinite energy is no number here, and counts as a rise
            sizes = [part + np.abs(part - energy) for part, energy in zip(parts, (before, after), strict=True)]
            scale = np.maximum(*sizes) + np.maximum(*(_terms(memory, x) for x in (states, moved)))
            yield ((after - before) / nonzero(scale))[counted]
        states = moved


def _energy(memory: Recallable, states: np.ndarray) -> np.ndarray:
    """The energy; where there is none, what its formula would give, to show that it may rise."""
    if not memory.lacks_energy:
        return np.asarray(memory.energy(states))
    if isinstance(memory, Memory) and not memory.separation.lacks_potential:
        return np.asarray(memory.retrieval.energy(states, memory.keys))
    conjugate = np.asarray(memory.activation.conjugate(states))
    if isinstance(memory, Associator):
        return np.asarray(conjugate - 0.5 * np.sum(states * memory.field(states), axis=-1))
    return np.asarray(conjugate - np.sum(states * np.asarray(memory.field(states)), axis=-1))


def _terms(memory: Recallable, states: np.ndarray) -> np.ndarray:
    """The magnitudes of the terms of ½ xᵀW x, which may cancel and leave their rounding alone; 0 without couplings."""
    couplings = getattr(memory.forward if isinstance(memory, Bidirectional) else memory, "couplings", None)
    if couplings is None:
        return np.zeros(len(states))
    products = np.abs(states) @ np.abs(couplings).T
    return np.asarray(0.5 * products.sum(axis=-1))


def _drawn_update(update: str | Update, rng: np.random.Generator) -> Update:
    if update == "glauber":
        return Glauber(float(10 ** rng.uniform(-2, 1)))
    if update == "graded":
        return Graded(float(10 ** rng.uniform(-2.5, -0.5)))
    return updates.make(update)


@dataclass(frozen=True)
class Overview:
    """A named memory at a glance: what it is made of by default, and under which updates its energy never rises.

    descends_under: the updates, for every memory of that name; for_some_under: for some of its parameters or patterns.
    """

    name: str
    similarity: str
    separation: str
    activation: str
    energy: str
    descends_under: tuple[str, ...]
    for_some_under: tuple[str, ...]
    source: str


def overview(card: Card, draws: int = 60, seed: int = 0) -> Overview:
    """A named memory at a glance; its claims are those of random instances."""
    rng = np.random.default_rng(seed)
    drawn = [card.drawn(rng) for _ in range(draws)]
    claims = {name: [bool(_drawn_update(name, rng).descends(memory)) for memory in drawn] for name in updates}
    needed = [name for name, given in signature(card.build).parameters.items() if given.default is given.empty]
    plain = card.build(**{name: value for name, value in card.draw(rng).items() if name in needed})
    parts = [getattr(plain, part, None) for part in ("similarity", "separation", "activation")]
    names = ["couplings" if part is None else name_of(part) for part in parts]
    return Overview(
        name=card.name,
        similarity=names[0],
        separation=names[1],
        activation=names[2],
        energy=card.energy,
        descends_under=tuple(name for name, claimed in claims.items() if all(claimed)),
        for_some_under=tuple(name for name, claimed in claims.items() if any(claimed) and not all(claimed)),
        source=card.source,
    )
