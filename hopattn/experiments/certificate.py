"""The energy certificate: a test of each claimed descent on random memories, states and updates."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from hopattn.dynamics.loop import GROWTH
from hopattn.dynamics.own_parts import packed, register_packed
from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.saving import made_again
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.base import StepContext, Update
from hopattn.experiments.own_memories import is_part, memory_with, own_named
from hopattn.experiments.processes import results_of
from hopattn.experiments.random_memories import random_beta, random_memory, random_reals
from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import REPEATED, Seed, generator, instance, whole, whole_seed
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.registry import name_of
from hopattn.foundation.vectors import nonzero
from hopattn.memories.kernels import LogSumRelu, SuperposedMemory
from hopattn.memories.memory import Memory
from hopattn.memories.models import named_memories
from hopattn.memories.models.card import Card
from hopattn.networks.associator import Associator, Bidirectional
from hopattn.networks.energy_transformer import TokenMemory
from hopattn.networks.network import Network

DTYPES = ("float64", "float32")
"""The dtypes in which a memory can be tested."""

PATIENCE = 500
"""The number of memories in a row without a new count, after which no more memories are drawn."""

CUES, STEPS = 20, 5
"""The numbers of states and of steps that are tried on each memory; after some steps, states are near fixed points."""


def rounding(dtype: str) -> float:
    """The part of |Φ*| + |Ψ| up to which a rise of the energy is rounding: 1e-12 in float64, 5.4e-4 in float32.

    Both are 4504 ε. A sum of n numbers is off by at most n ε of the sum of their magnitudes. An energy sums over the
    neurons for each score and for Φ*, and over the patterns for Ψ, so that with 16 neurons and 51 patterns the
    difference of two energies is off by up to 2 (2·16 + 51) ε = 166 ε. The rest is room for the terms of a score that
    cancel, and for larger memories.
    """
    return 1e-12 * float(np.finfo(dtype).eps / np.finfo(float).eps)


@dataclass(frozen=True, kw_only=True)
class Certificate(PublicObject):
    """The result of the test for one memory under one update. Only updates that change a state are counted.

    Attributes
    ----------
    claimed : the number of updates for which the memory claims that the energy cannot rise.
    largest
        the largest rise among them, as a part of |Φ*| + |Ψ|, in which the terms of a Ψ of couplings count by their
        magnitudes.
    unclaimed : the number of updates without that claim.
    rises
        the number of these that raised the energy; for a memory without an energy, that raised the value of the
        energy's formula.
    reason : why the energy cannot rise; empty if no memory that was drawn gave a reason.
    refusal : why it may rise, or empty.
    obstacle : why the update cannot be applied, or empty.
    dtype : the numbers of the memories and states, "float64" or "float32".
    seeds : of the random numbers; two, of two tests together.
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
    dtype: str = "float64"
    seeds: Sequence[int] = ()

    @property
    def holds(self) -> bool:
        """Whether no claimed update raised the energy by more than `rounding`."""
        return self.largest <= rounding(self.dtype)

    def __add__(self, other: "Certificate") -> "Certificate":
        """The certificate of both tests together, for two tests of the same memory, update and dtype."""
        first = {name: getattr(self, name) or getattr(other, name) for name in ("reason", "refusal", "obstacle")}
        both = {name: getattr(self, name) + getattr(other, name) for name in ("claimed", "unclaimed", "rises")}
        seeds = (*self.seeds, *other.seeds)
        return replace(self, largest=max(self.largest, other.largest), seeds=seeds, **first, **both)


@public
def certify(
    memory: Any,
    update: str | Update | None = None,
    *,
    count: int = 1000,
    rng: Seed = None,
    dtype: str = "float64",
    search: int = 0,
) -> Certificate:
    """Apply random updates to random states, and measure how far the energy rises.

    Parameters
    ----------
    memory
        a memory; or the name of a named memory, of which instances of random size, load and parameters are drawn; or
        the name or path of a similarity, separation or activation of your own, of which memories are drawn too; or a
        function of a generator that gives a memory.
    update
        an update, or its name: its parameters are then drawn by `Update.drawn`; by default the `default_update` of each
        memory, and the certificate then has the update "default_update".
    count
        the least number of updates with a claim; of those without one, a tenth of it is enough. A state begins as the
        activation of a random field.
    rng : a seed, or a generator, which gives one; by default one is drawn. The certificate keeps it.
    dtype
        "float64", or "float32": memories and states are then drawn as in float64 and rounded, and a rise is judged by
        the rounding of float32.
    search
        the rounds of a search for counter-examples on each memory, 0 for none: of 20 states, each is moved at random,
        and the move is kept where the rise of the energy grows; their last updates are counted too.

    Raises
    ------
    InvalidInput
        for a mistyped name, for the name of an update that cannot draw itself, and for a memory that cannot be
        converted to the dtype.

    Examples
    --------
    >>> import hopattn as ha
    >>> certificate = ha.certify("modern", count=200, rng=0)
    >>> certificate.claimed, certificate.holds
    (200, True)
    """
    seed = whole_seed(rng)
    draws, wanted, idle = generator(seed), whole(count, "count", most=REPEATED), 0
    reject_unknown("dtype", [dtype], DTYPES)
    whole(search, "search", least=0, most=REPEATED)
    own = "default_update" if update is None else update
    names = [one if isinstance(one, str) else getattr(one, "__name__", repr(one)) for one in (memory, own)]
    draw = _drawing(memory)
    certificate = Certificate(memory=names[0], update=names[1], dtype=dtype, seeds=(seed,))
    while certificate.claimed < wanted and idle < PATIENCE:
        one = _converted(draw(draws), dtype)
        rule = one.default_update if update is None else _drawn_update(update, draws)
        before, certificate = certificate, _extended(certificate, one, rule, draws, wanted, search)
        counted = certificate.claimed + certificate.unclaimed > before.claimed + before.unclaimed
        idle = 0 if counted else idle + 1
    return certificate


def certify_all(
    names: Sequence[str], count: int = 1000, seed: int = 0, processes: int = 1, dtype: str = "float64"
) -> Iterator[Certificate]:
    """The certificates of memories or parts, by their names, under every update, for any number of `processes`."""
    work = partial(_certified, count=count, seed=seed, dtype=dtype, parts=packed())
    yield from results_of(work, [(name, update) for name in names for update in updates], processes, ordered=True)


def _certified(pair: tuple[str, str], count: int, seed: int, dtype: str, parts: bytes) -> Certificate:
    """The certificate of a named memory under an update. parts: the classes of the user's own, for a worker."""
    register_packed(parts)
    return certify(*pair, count=count, rng=seed, dtype=dtype)


def _drawing(memory: Any) -> Callable[[np.random.Generator], Any]:
    """A function that draws instances of a memory; it gives a memory that is an object as it is."""
    own = own_named(memory, "memory") if isinstance(memory, str) and memory not in named_memories else memory
    if is_part(own):
        return lambda rng: memory_with(own, random_reals(rng), beta=random_beta(rng))
    if isinstance(own, AssociativeMemory):
        return lambda rng: own
    if callable(own) and not isinstance(own, type):
        draw: Callable[[np.random.Generator], Any] = own
        return draw
    reject_unknown("memory", [memory], named_memories)
    return partial(random_memory, named_memories[memory])


def _extended(
    certificate: Certificate,
    memory: AssociativeMemory,
    update: Update,
    rng: np.random.Generator,
    wanted: int,
    search: int,
) -> Certificate:
    """The certificate with the updates of random states of one more memory.

    Nothing is counted where the update cannot be applied, or where enough updates without a claim are counted already.
    """
    if obstacle := update.obstacle(memory) or memory.why_not("recall"):
        return replace(certificate, obstacle=certificate.obstacle or obstacle)
    claim = update.descends(memory)
    if not claim and certificate.unclaimed >= wanted / 10:
        return certificate
    rises = np.concatenate([*_rises(memory, update, rng, certificate.dtype)])
    if search:
        rises = np.concatenate([rises, _climbed(memory, update, rng, certificate.dtype, search)])
    if claim:
        claimed = certificate.claimed + rises.size
        largest = max(certificate.largest, float(np.nan_to_num(rises, nan=np.inf).max(initial=0.0)))
        return replace(certificate, claimed=claimed, largest=largest, reason=certificate.reason or claim.reason)
    unclaimed, refusal = certificate.unclaimed + rises.size, certificate.refusal or claim.reason
    risen = certificate.rises + int(np.sum(rises > rounding(certificate.dtype)))
    return replace(certificate, unclaimed=unclaimed, rises=risen, refusal=refusal)


def _rises(memory: AssociativeMemory, update: Update, rng: np.random.Generator, dtype: str) -> Iterator[np.ndarray]:
    """The rise of the energy by each update, as a part of |Φ*| + |Ψ|, one array for each step.

    Updates that change nothing, and updates by which a state grows without bound, are left out.
    """
    dim = memory._reference.shape[-1]
    size = 10 ** rng.uniform(-1, 1) * max(1e-12, float(np.abs(memory.patterns).mean() if memory.patterns.size else 1.0))
    states = np.asarray(memory.activation(rng.normal(size=(CUES, dim)) * size))
    if memory.activation.directional and rng.random() < 0.3:  # some neurons are unknown, some states inside the ball
        states = states * (rng.random(states.shape) < 0.7)
    states = states.astype(dtype)  # drawn in float64, so that every dtype has the same draws
    own = tuple(rng.spawn(CUES)) if update.stochastic else ()
    bound = GROWTH * (size + float(np.abs(states).max()))
    for t in range(STEPS):
        moved, rise, counted = _step(memory, update, states, StepContext(t, rng, own), bound)
        yield rise[counted]
        states = moved


def _step(
    memory: AssociativeMemory, update: Update, states: np.ndarray, context: StepContext, bound: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The states after a step, the rise of the energy of each, and whether it counts.

    A state that grows beyond the bound stays as it is; neither it nor one that does not change counts.
    """
    with np.errstate(all="ignore"):
        moved, before = update.step(memory, states, mask=None, context=context)
    grown = ~np.all(np.abs(moved) <= bound, axis=-1)
    counted = ~grown & np.any(moved != states, axis=-1)
    moved = np.where(grown[:, None], states, moved)
    before, after = _energy(memory, states) if before is None else before, _energy(memory, moved)
    parts = [np.abs(memory.activation.conjugate(x)) for x in (states, moved)]
    with np.errstate(invalid="ignore"):  # an infinite energy gives NaN, which counts as a rise
        sizes = [part + np.abs(part - energy) for part, energy in zip(parts, (before, after), strict=True)]
        scale = np.maximum(*sizes) + np.maximum(*(_terms(memory, x) for x in (states, moved)))
        return moved, (after - before) / nonzero(scale), counted


def _climbed(
    memory: AssociativeMemory, update: Update, rng: np.random.Generator, dtype: str, rounds: int
) -> np.ndarray:
    """The rises, `(n,)`, that a search by hill climbing over the states ends with; those that count.

    A state is the activation of a field, to which Gaussian noise is added. The noise of a state grows by a third where
    its rise grew, and else shrinks by a fourteenth, so that one success in five keeps it as it is.
    """
    fields, spread = rng.normal(size=(CUES, memory._reference.shape[-1])), np.ones(CUES)
    best = np.full(CUES, -np.inf)
    for t in range(rounds + 1):
        tried = fields + (spread[:, None] * rng.normal(size=fields.shape) if t else 0)
        own = tuple(rng.spawn(CUES)) if update.stochastic else ()
        states = np.asarray(memory.activation(tried)).astype(dtype)
        bound = GROWTH * max(1.0, float(np.abs(states).max()))
        rise, counted = _step(memory, update, states, StepContext(0, rng, own), bound)[1:]
        better = counted & ~(rise <= best)  # NaN counts as a rise
        fields[better], best[better] = tried[better], np.where(np.isnan(rise), np.inf, rise)[better]
        spread = np.where(better, 1.33 * spread, 0.93 * spread)
    return best[best > -np.inf]


def _energy(memory: AssociativeMemory, states: np.ndarray) -> np.ndarray:
    """The energy `(n,)`; for a memory without an energy the value of its formula, to show that it may rise."""
    if not memory.why_not("energy"):
        return np.asarray(memory.energy(states))
    if isinstance(memory, Memory) and not memory.separation.why_no_potential:
        return np.asarray(memory.retrieval._answer(states, memory.keys, energy=True).energy)
    conjugate = np.asarray(memory.activation.conjugate(states))
    if isinstance(memory, Associator):
        return np.asarray(conjugate - 0.5 * np.sum(states * memory.field(states), axis=-1))
    return np.asarray(conjugate - np.sum(states * np.asarray(memory.field(states)), axis=-1))


def _terms(memory: AssociativeMemory, states: np.ndarray) -> np.ndarray:
    """½ Σ_ij |W_ij x_j|, `(n,)`, the magnitude of the terms of ½ xᵀW x; 0 for a memory without couplings.

    Of a network of layers, and of a block, Σ |parts of the energy|.

    The terms may cancel in the sum, but their rounding remains.
    """
    if isinstance(memory, (Network, TokenMemory)):
        return np.asarray(sum(np.abs(part) for part in memory.energies(states).values()))
    couplings = getattr(memory.forward if isinstance(memory, Bidirectional) else memory, "couplings", None)
    if couplings is None:
        return np.zeros(len(states))
    products = np.abs(states) @ np.abs(couplings).T
    return np.asarray(0.5 * products.sum(axis=-1))


def _converted(memory: Any, dtype: str) -> Any:
    """The same memory with its numbers in this dtype; raises `InvalidInput` for one that cannot be converted."""
    if isinstance(memory, TokenMemory):
        cast = {name: getattr(memory.block, name).astype(dtype) for name in ("w_query", "w_key", "memories")}
        held = memory.held[:: memory.block.dim]
        return replace(memory.block, **cast).memory(len(held), clamped=held if held.any() else None)
    if hasattr(memory, "_file_kind"):
        return made_again(memory, lambda array: array.astype(dtype) if array.dtype.kind == "f" else array)
    instance(memory, AssociativeMemory, "memory", "a memory, or a function of a generator that gives one")
    if dtype == "float64":
        return memory
    kind = type(memory).__name__
    raise InvalidInput(f"memory: a {kind} cannot be converted to {dtype}; expected a Memory or a network of couplings")


def _drawn_update(update: str | Update, rng: np.random.Generator) -> Update:
    """The update itself, or one of that name with random parameters."""
    return update if isinstance(update, Update) else updates.find(update).drawn(rng)


@dataclass(frozen=True)
class Overview:
    """A summary of a named memory: its default parts, and the updates under which its energy never rises.

    similarity, separation, activation: names of the parts; "couplings" where the memory has none, "its own" where it is
    of no registry. energy, source: as
    its card says. descends_under: the updates that never raise the energy of any memory of that name. for_some_under:
    the updates that never raise it for some parameters or patterns only. Updates by chance are left out: they descend
    at a temperature of 0 alone.
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
    """The summary of a named memory; its claims are those of `draws` random instances."""
    rng = np.random.default_rng(seed)
    instances = [random_memory(card, rng) for _ in range(draws)]
    settling = [name for name, update in updates.items() if not update.stochastic]
    claims = {name: [bool(_drawn_update(name, rng).descends(memory)) for memory in instances] for name in settling}
    needed = [name for name, given in card.parameters.items() if given.default is given.empty]
    default = random_memory(card, rng, needed)  # as many random patterns as the defaults of the other parameters need
    parts = {part: getattr(default, part, None) for part in ("similarity", "separation", "activation")}
    absent = "its own" if isinstance(default, LogSumRelu | SuperposedMemory) else "couplings"
    return Overview(
        name=card.name,
        **{name: absent if part is None else name_of(part) for name, part in parts.items()},
        energy=card.energy,
        descends_under=tuple(name for name, claimed in claims.items() if all(claimed)),
        for_some_under=tuple(name for name, claimed in claims.items() if any(claimed) and not all(claimed)),
        source=card.source,
    )
