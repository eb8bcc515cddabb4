"""The energy certificate, at a reduced count; `make certificate` runs it in full."""

from dataclasses import dataclass
from typing import Literal, get_args, get_origin

import numpy as np
import pytest

import hopattn as ha
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.base import Descent, Update
from hopattn.experiments import certificate
from hopattn.experiments.certificate import DTYPES, Certificate, certify, certify_all, overview, rounding
from hopattn.experiments.random_memories import DRAWS, random_memory
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import Registry
from hopattn.memories.models import named_memories
from hopattn.retrieval.activation import Identity
from tests.counts import count, spread
from tests.draws import in_dtypes
from tests.each import each

PAIRS = [(name, update) for name in named_memories for update in updates]


@pytest.fixture
def fewer(monkeypatch):
    """In a quick run, fewer steps of each memory, and fewer memories where an update has no claim."""
    monkeypatch.setattr(certificate, "STEPS", count(certificate.STEPS, 2))
    monkeypatch.setattr(certificate, "PATIENCE", count(certificate.PATIENCE, 50))


@pytest.mark.parametrize(("name", "update", "dtype"), in_dtypes(PAIRS))
def test_every_claim_stands(name, update, dtype, fewer):
    found = certify(name, update, count=count(200, 20) if update != "graded" else count(20, 5), rng=1, dtype=dtype)
    assert found.holds, found
    assert found.largest <= 64 * np.finfo(dtype).eps  # a bound for small memories, much below `rounding`
    assert found.claimed == 0 or found.reason
    assert found.unclaimed == 0 or found.refusal
    assert found.claimed or found.unclaimed or found.obstacle


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_networks_and_blocks_descend_and_those_without_a_claim_have_counter_examples(dtype):
    for name, update in (("network", "layers"), ("network", "time"), ("energy_transformer", None)):
        found = certify(name, update, count=count(5000, 100), rng=2, dtype=dtype)
        assert found.holds and found.claimed and found.largest <= 64 * np.finfo(dtype).eps, found
    query, key = [[[1, -1, 1], [-2, -2, 1]]], [[[1, 0, 0], [1, -1, -2]]]
    itself = ha.networks.EnergyTransformer(query, key, [[1, -1, 1]], attends_itself=True).memory(3)
    assert certify(itself, count=200, search=20, dtype=dtype).rises > 0


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("name", "update"),
    [
        ("hopfield", "sync"),
        ("hopfield", "glauber"),
        ("dense", "sync"),
        ("nearest", "sync"),
        ("sequence", "sync"),
        ("sdm", "sync"),
        ("delta", "sync"),
        ("universal", "sync"),
    ],
)
def test_an_update_without_a_claim_has_a_counter_example(name, update):
    quick = {"dense": 8000}.get(name, 1000)
    assert certify(name, update, count=count(20_000, quick)).rises > 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_false_claim_is_found_out(monkeypatch, dtype):
    """A network that says that it descends under the synchronous update, and does not."""
    monkeypatch.setattr(ha.Hopfield, "curvature", 0.0)
    found = certify("hopfield", "sync", count=2000, dtype=dtype)
    assert not found.holds
    assert found.largest > 1e-3


def test_a_memory_of_the_user_is_certified():
    found = certify(ha.memories.modern(np.eye(3)), "async", count=300)
    assert found.holds
    assert found.claimed >= 300
    assert found.memory.startswith("Memory(")


@pytest.mark.parametrize(("name", "reason"), [("hopfield", "each spin turns"), ("modern", "concave-convex")])
def test_without_an_update_each_memory_takes_that_of_its_recall(name, reason):
    found = certify(name, count=60)
    assert found.holds and (found.update, found.unclaimed) == ("own_update", 0)
    assert found.reason.startswith(reason)


@each("update", ["metropolis", "langevin"])
@each("name", ["modern", "spherical", "graded"])
def test_an_update_at_a_temperature_descends_at_0_and_may_rise_above(update, name):
    found = certify(name, update, count=300)
    assert found.holds and found.claimed >= 300
    assert found.reason == "at T = 0 a move that does not lower the energy is refused"
    assert found.rises > 0 and found.refusal == "at a temperature above 0 a move may be taken that raises the energy"


def test_langevin_without_its_correction_makes_no_claim_even_at_temperature_0():
    memory = ha.memories.modern([[3.0, 0.0], [-3.0, 0.0]], beta=8.0)
    found = certify(memory, ha.Langevin(0, dt=3.0, correction=False), count=200)
    assert (found.claimed, found.refusal) == (0, "without the correction, a step may go beyond a valley")
    assert found.rises > 0


@dataclass(frozen=True)
class PartialStep(Update):
    """x⁺ = x + a (∇Φ(h) − x), a in (0, 1]: on the way to the minimum of a quadratic bound of the energy."""

    source = "ours"
    way = "a part of the way"
    part: float

    def step(self, memory, states, mask, context):
        moved, energy = memory.step_with_energy(states, mask)
        return states + self.part * (np.asarray(moved) - states), energy

    def guarantee(self, memory):
        return Descent(memory.curvature == 0, memory.lacks.get("convexity", "the bound is quadratic"))

    def obstacle(self, memory):
        return "" if isinstance(memory.activation, Identity) else "the activation is not the identity"


@dataclass(frozen=True)
class DrawnPartialStep(PartialStep):
    """A partial step of a random part."""

    @classmethod
    def drawn(cls, rng):
        return cls(rng.uniform(0.1, 1.0))


@pytest.fixture
def own_updates(monkeypatch):
    """The updates of this file in the place of the package's own."""
    registry = Registry("update", Update, [__name__])
    monkeypatch.setattr(certificate, "updates", registry)
    return registry


def test_an_update_with_a_required_parameter_is_certified_by_what_it_draws(own_updates):
    parts = {own_updates["drawn_partial_step"].drawn(np.random.default_rng(seed)).part for seed in range(5)}
    assert len(parts) == 5
    found = certify("modern", "drawn_partial_step", count=300)
    assert found.holds
    assert found.claimed >= 300
    assert found.reason == "the bound is quadratic"


def test_an_update_that_cannot_draw_itself_is_refused(own_updates):
    message = r"^update: PartialStep needs part; override `PartialStep\.drawn` to draw it$"
    with pytest.raises(InvalidInput, match=message):
        certify("modern", "partial_step")
    assert certify("modern", PartialStep(0.5), count=100).holds


@pytest.mark.parametrize("name", updates)
def test_every_update_draws_itself(name):
    one, same, other = (updates[name].drawn(np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert isinstance(one, updates[name])
    assert one == same
    assert (one == other) == (updates[name].drawn.__func__ is Update.drawn.__func__)


@pytest.mark.quick(0)
def test_the_same_in_any_number_of_processes():
    one, two = (list(certify_all(["modern", "bam"], count=100, processes=n)) for n in (1, 2))
    assert one == two
    assert {found.memory for found in one} == {"modern", "bam"}


def test_a_certificate_that_does_not_hold_says_so():
    assert not Certificate("a", "sync", claimed=1, largest=1e-6).holds


def test_a_mistyped_memory_is_refused():
    with pytest.raises(InvalidInput, match="memory: 'modrn' is unknown; did you mean 'modern'"):
        certify("modrn")


def test_the_tolerance_is_the_same_multiple_of_epsilon_in_both_dtypes():
    assert [rounding(dtype) for dtype in DTYPES] == pytest.approx([1e-12, 5.4e-4], rel=0.01)
    assert Certificate("a", "sync", claimed=1, largest=1e-6, dtype="float32").holds
    both = Certificate("a", "sync", claimed=1, dtype="float32") + Certificate("a", "sync", claimed=2, dtype="float32")
    assert (both.claimed, both.dtype) == (3, "float32")


@pytest.mark.parametrize("name", spread(named_memories, 6))
def test_in_float32_every_number_of_a_memory_and_of_its_states_is_float32(name, monkeypatch, fewer):
    seen = set()
    monkeypatch.setattr(certificate, "_energy", lambda memory, states: seen.add(states.dtype) or np.zeros(len(states)))
    for update in updates:
        certify(name, update, count=1, dtype="float32")
    assert seen <= {np.dtype("float32")}


def test_a_state_that_grows_without_bound_is_left_out_before_its_energy_overflows():
    assert certify(ha.Memory([[300.0] * 4], separation="identity"), count=60, dtype="float32").holds


def test_a_dtype_that_cannot_be_is_refused():
    with pytest.raises(InvalidInput, match="dtype: 'float23' is unknown; did you mean 'float32'"):
        certify("modern", dtype="float23")

    class Other(ha.Hopfield.__mro__[1]):
        step = field = energy = single_neuron_states = None

    with pytest.raises(InvalidInput, match="memory: a Other cannot be converted to float32; expected a Memory or"):
        certify(Other(), dtype="float32")


def test_the_overview_has_the_parts_of_a_memory_and_the_updates_that_descend():
    found = overview(named_memories["hopfield"])
    assert (found.similarity, found.activation, found.source) == ("couplings", "sign", "Hopfield 1982")
    assert (found.descends_under, found.for_some_under) == ((), ("async", "concave_convex", "sync"))
    assert overview(named_memories["dense"]).descends_under == ("async",)
    assert overview(named_memories["nearest"]).descends_under == ()
    assert overview(named_memories["modern"]).separation == "softmax"


@pytest.mark.parametrize("name", named_memories)
def test_every_memory_has_an_overview_whatever_the_seed(name):
    """With seed 4, one pattern is drawn for `k_subsets`, which takes two by default."""
    for seed in (0, 4):
        assert overview(named_memories[name], draws=1, seed=seed).name == name


CHOICES = {"similarity": ha.similarities, "separation": ha.separations, "activation": ha.activations}


def choices(name, parameter):
    """The values that a parameter may take by name: those of its annotation or its registry; none for a number."""
    kinds = [parameter.annotation, *get_args(parameter.annotation)]
    words = {word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)}
    return {*(words or CHOICES.get(name, ())), *((True, False) if bool in kinds else ())}


@pytest.mark.parametrize("name", named_memories)
def test_every_parameter_of_a_memory_is_drawn_with_all_its_choices(name):
    rng, drawn = np.random.default_rng(0), {}
    for _ in range(150):
        for parameter, value in DRAWS[name](rng).items():
            drawn.setdefault(parameter, []).append(value)
    for parameter, given in named_memories[name].parameters.items():
        if parameter != "rng":
            assert choices(parameter, given) <= {value for value in drawn[parameter] if isinstance(value, (str, bool))}
    if name == "sparse":
        assert max(drawn["alpha"]) > 8


@pytest.mark.parametrize("name", named_memories)
def test_the_overview_guarantees_nothing_that_a_memory_of_other_parameters_does_not(name):
    found, rng = overview(named_memories[name]), np.random.default_rng(1)
    for _ in range(count(500, 50)):
        memory = random_memory(named_memories[name], rng)
        for update in updates:
            claim = updates[update].drawn(rng).descends(memory)
            assert claim or update not in found.descends_under, (memory, update, claim.reason)
            named = update in (*found.descends_under, *found.for_some_under)
            assert named >= (bool(claim) and not updates[update].stochastic), (memory, update)
            assert not (named and updates[update].stochastic)


def test_weights_that_are_lost_in_rounding_are_not_followed_in_continuous_time():
    memory = ha.memories.sparse([[1.0, 0.0], [0.0, 1.0]], alpha=12.0)
    assert not memory.descends("graded")
    with pytest.raises(InvalidInput, match="weights near 0 are lost in rounding for an alpha above 8, and it is 12"):
        memory.recall([0.2, 0.1], update="graded")
    assert ha.memories.sparse([[1.0, 0.0], [0.0, 1.0]], alpha=4.0).descends("graded")


def test_an_energy_that_is_not_a_number_is_not_a_descent():
    class Leaky(ha.Hopfield):
        lacks = {}

        def step(self, cues, mask=None):
            return np.full_like(np.asarray(cues), 1.5)  # outside the cube, where the energy is infinite

    assert not certify(Leaky(np.eye(3)), "sync", count=100).holds
