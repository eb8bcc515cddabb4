"""The energy certificate, at a reduced count; `make certificate` runs it in full."""

import json
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal, get_args, get_origin

import numpy as np
import pytest

import hopattn as ha
from hopattn.experiments import certificate
from hopattn.experiments.certificate import overview
from hopattn.experiments.random_memories import DRAWS, random_memory
from hopattn.memories.models import named_memories
from tests import own_registries
from tests.draws import count, in_dtypes
from tests.examples import run_module_of
from tests.networks.random_networks import random_block, random_network

DTYPES = ("float64", "float32")
DEAR = ("bam", "delta", "graded", "hopfield", "random_features", "sdm", "nearest", "sequence")
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in DEAR else name for name in named_memories]


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_stands_and_what_is_not_claimed_has_a_reason(name):
    for update, dtype in in_dtypes([(update,) for update in ha.updates]):
        least = count(20, 5) if update == "graded" else count(200, 20)
        one = ha.certify(name, update, count=least, rng=1, dtype=dtype)
        assert (one.memory, one.update, one.dtype, one.holds) == (name, update, dtype, True), one
        assert one.largest <= 64 * np.finfo(dtype).eps  # a bound for small memories, much below the tolerance
        assert bool(one.reason) >= (one.claimed > 0) and bool(one.refusal) >= (one.unclaimed > 0), one
        assert one.claimed or one.unclaimed or one.obstacle
        assert one.rises <= one.unclaimed and (not one.unclaimed or one.claimed or one.unclaimed >= least / 10)


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_networks_and_blocks_descend_and_those_without_a_claim_have_counter_examples(dtype):
    for draw, update in ((random_network, "layers"), (random_network, "time"), (random_block, None)):
        one = ha.certify(draw, update, count=count(5000, 100), rng=2, dtype=dtype)
        assert one.memory == draw.__name__
        assert one.holds and one.claimed and one.largest <= 64 * np.finfo(dtype).eps, one
    query, key = [[[1, -1, 1], [-2, -2, 1]]], [[[1, 0, 0], [1, -1, -2]]]
    itself = ha.networks.EnergyTransformer(query, key, [[1, -1, 1]], attends_itself=True).memory(3)
    assert ha.certify(itself, count=200, search=20, dtype=dtype, rng=0).rises > 0


@pytest.mark.parametrize(
    ("name", "update"),
    [
        pytest.param("hopfield", "glauber", marks=pytest.mark.slow),
        pytest.param("dense", "sync", marks=pytest.mark.slow),
        *((name, "sync") for name in ("hopfield", "nearest", "sequence", "sdm", "delta", "universal")),
    ],
)
def test_an_update_without_a_claim_has_a_counter_example(name, update):
    assert ha.certify(name, update, count=count(20_000, 8000 if name == "dense" else 1000), rng=0).rises > 0


class Lying(ha.Hopfield):
    """A network that says that it descends under the synchronous update, and does not."""

    _curvature = 0.0


class Leaky(ha.Hopfield):
    def _why_not(self, capability):
        return ""

    def _step_at(self, x, mask, *, energy=False):
        outside = np.full_like(np.asarray(x), 1.5)  # of the cube: the energy is infinite there
        return outside, self._energy_at(x, mask)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_false_claim_is_found_out(dtype):
    couplings = np.random.default_rng(0).normal(size=(8, 8))
    one = ha.certify(Lying(couplings + couplings.T - 4 * np.eye(8)), "sync", count=200, dtype=dtype, rng=0)
    assert not one.holds and one.largest > 1e-3
    assert not ha.certify(
        Leaky(np.eye(3)), "sync", count=100, dtype=dtype, rng=0
    ).holds  # an energy that is not a number


def test_a_memory_of_the_user_is_certified_under_an_update_of_the_user():
    for update, name in (("async", "async"), (ha.Asynchronous(), repr(ha.Asynchronous()))):
        one = ha.certify(ha.memories.modern(np.eye(3)), update, count=300, rng=0)
        assert one.holds and 300 <= one.claimed < 400 and (one.update, one.memory[:7]) == (name, "Memory(")
    other = ha.certify("modern", "async", count=300, rng=1)
    assert other != ha.certify("modern", "async", count=300, rng=0) == ha.certify("modern", "async", count=300, rng=0)
    assert ha.certify("modern", rng=0).claimed >= 1000


@pytest.mark.parametrize(("name", "reason"), [("hopfield", "each spin turns"), ("modern", "concave-convex")])
def test_without_an_update_each_memory_takes_that_of_its_recall(name, reason):
    one = ha.certify(name, count=60, rng=0)
    assert one.holds and (one.update, one.unclaimed) == ("default_update", 0)
    assert one.reason.startswith(reason)


@pytest.mark.parametrize("update", ["metropolis", "langevin"])
@pytest.mark.parametrize("name", ["modern", "spherical", "graded"])
def test_an_update_at_a_temperature_descends_at_0_and_may_rise_above(update, name):
    one = ha.certify(name, update, count=300, rng=0)
    assert one.holds and one.claimed >= 300
    assert one.reason == "at T = 0 a move that does not lower the energy is refused"
    assert one.rises > 0 and one.refusal == "at a temperature above 0 a move may be taken that raises the energy"


def test_langevin_without_its_correction_makes_no_claim_even_at_temperature_0():
    memory = ha.memories.modern([[3.0, 0.0], [-3.0, 0.0]], beta=8.0)
    one = ha.certify(memory, ha.Langevin(0, dt=3.0, correction=False), count=200, rng=0)
    assert (one.claimed, one.refusal) == (0, "without the correction, a step may go beyond a valley")
    assert one.rises > 0


@dataclass(frozen=True)
class PartialStep(ha.Update):
    """x⁺ = x + a (∇Φ(h) − x), a in (0, 1]: on the way to the minimum of a quadratic bound of the energy."""

    source = "ours"
    way = "a part of the way"
    part: float

    @classmethod
    def drawn(cls, rng):
        return cls(rng.uniform(0.1, 1.0))

    def step(self, memory, states, *, mask, context):
        moved, energy = memory._step_with_energy(states, mask)
        return states + self.part * (np.asarray(moved) - states), energy

    def guarantee(self, memory):
        return replace(ha.Asynchronous().descends(memory), holds=memory._curvature == 0, reason="a quadratic bound")

    def obstacle(self, memory):
        return "" if memory.activation == ha.activations.identity() else "the activation is not the identity"


def test_an_update_with_a_required_parameter_is_certified_by_what_it_draws(monkeypatch):
    own_registries.keep(monkeypatch)
    ha.register(PartialStep)
    for update in ("partial_step", PartialStep(0.5)):
        one = ha.certify("modern", update, count=300, rng=0)
        assert one.holds and one.claimed >= 300 and one.reason == "a quadratic bound"


@pytest.mark.parametrize("name", ha.updates)
def test_every_update_draws_itself(name):
    one, same, other = (ha.updates[name].drawn(np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert isinstance(one, ha.updates[name]) and one == same
    without_numbers = ha.Update.drawn.__func__, ha.Asynchronous.drawn.__func__
    assert (one == other) == (ha.updates[name].drawn.__func__ in without_numbers)


@pytest.fixture
def certified(capsys):
    """Run `python -m hopattn.certify`; give its exit code, standard output and standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            run_module_of(["hopattn.certify", *arguments])
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


def test_at_a_shell_it_shows_under_which_updates_the_energy_falls(certified, monkeypatch):
    monkeypatch.setattr(certificate, "PATIENCE", count(certificate.PATIENCE, 20))
    code, out, _ = certified("modern", "--count", "10")
    assert code == 0 and "no claimed update raised the energy (float64)" in out
    rows = json.loads(certified("bam", "--count", "20", "--dtype", "float32", "--json")[1])
    assert {row["dtype"] for row in rows} == {"float32"}
    claimed = {row["update"] for row in rows if row["claimed"]}
    assert {"concave_convex", "sync"} <= claimed and not {"async", "glauber", "graded"} & claimed


@pytest.mark.parametrize(
    ("words", "told"),
    [(["modrn"], "did you mean 'modern'"), (["nowhere:X"], "cannot be imported"), ([], "Missing argument")],
)
def test_at_a_shell_a_wrong_name_is_refused(certified, words, told):
    code, out, err = certified(*words)
    assert (code, out) == (2, "") and told in err


def test_the_module_for_the_shell_leaves_the_function_its_name():
    assert import_module("hopattn.certify") is ha.certify


@pytest.mark.slow
def test_the_same_in_any_number_of_processes(certified):
    one, two = (certified("modern", "bam", "--count", "50", "--json", "--processes", number) for number in "12")
    assert one == two and one[0] == 0
    pairs = [(pair["memory"], pair["update"]) for pair in json.loads(one[1])]
    assert pairs == [(name, update) for name in ("modern", "bam") for update in ha.updates]


def test_the_tolerance_is_the_same_multiple_of_epsilon_in_both_dtypes_and_certificates_add_up():
    one = ha.Certificate(memory="a", update="sync", claimed=1, rises=2, reason="r", obstacle="o")
    for dtype, most in zip(DTYPES, (1e-12, 1e-12 * 2**29), strict=True):
        within, beyond = (replace(one, largest=part * most, dtype=dtype) for part in (1.0, 1.001))
        assert within.holds and not beyond.holds
        both = replace(within, claimed=2, unclaimed=3, reason="", refusal="why", obstacle="another") + beyond
        assert both == replace(beyond, claimed=3, unclaimed=3, rises=4, reason="r", refusal="why", obstacle="another")


@pytest.mark.parametrize("name", [*named_memories][::3])
def test_in_float32_every_number_of_a_memory_and_of_its_energy_is_float32(name, monkeypatch):
    seen, memory = set(), random_memory(named_memories[name], np.random.default_rng(5))
    energy = type(memory).energy

    def seeing(self, states, *more):
        seen.add((np.asarray(states).dtype.name, np.asarray(energy(self, states, *more)).dtype.name))
        return energy(self, states, *more)

    if not memory.why_not("energy"):
        monkeypatch.setattr(type(memory), "energy", seeing)
    for update in ha.updates:
        ha.certify(memory, update, count=1, dtype="float32", rng=0)
    assert seen <= {("float32", "float32"), ("float64", "float64")}  # time is followed in float64


def test_in_float32_a_rise_is_a_rounding_of_float32():
    for name in ("input_driven", "modern", "normmax", "sparse"):
        assert 1e-10 < ha.certify(name, count=100, dtype="float32", rng=3).largest <= 64 * 2.0**-23


def test_a_state_that_grows_without_bound_is_left_out_before_its_energy_overflows():
    assert ha.certify(ha.Memory([[300.0] * 4], separation="identity"), count=60, dtype="float32", rng=0).holds


def test_the_overview_has_the_parts_of_a_memory_and_the_updates_that_descend():
    hopfield = overview(named_memories["hopfield"])
    assert (hopfield.similarity, hopfield.activation, hopfield.source) == ("couplings", "sign", "Hopfield 1982")
    assert (hopfield.descends_under, hopfield.for_some_under) == ((), ("async", "concave_convex", "sync"))
    assert overview(named_memories["dense"]).descends_under == ("async",)
    assert overview(named_memories["nearest"]).descends_under == ()
    assert overview(named_memories["modern"]).separation == "softmax"


CHOICES = {"similarity": ha.similarities, "separation": ha.separations, "activation": ha.activations}


def choices(name, parameter):
    """The values that a parameter may take by name: those of its annotation or its registry; none for a number."""
    kinds = [parameter.annotation, *get_args(parameter.annotation)]
    words = {word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)}
    return {*(words or CHOICES.get(name, ())), *((True, False) if parameter.annotation is bool else ())}


@pytest.mark.parametrize("name", named_memories)
def test_every_parameter_of_a_memory_is_drawn_with_all_its_choices(name):
    rng, drawn = np.random.default_rng(0), {}
    for _ in range(150):
        for parameter, value in DRAWS[name](rng).items():
            drawn.setdefault(parameter, []).append(value)
    for parameter, stated in named_memories[name].parameters.items():
        if parameter != "rng":
            every = choices(parameter, stated) - {"outer_products"}  # N times Hebb's
            assert every <= {one for one in drawn[parameter] if isinstance(one, (str, bool))}
    if name == "sparse":
        assert max(drawn["alpha"]) > 8


@pytest.mark.parametrize("name", named_memories)
def test_the_overview_guarantees_nothing_that_a_memory_of_other_parameters_does_not(name):
    for seed in (0, 4):  # with seed 4, one pattern is drawn for `k_subsets`, which takes two by default
        assert overview(named_memories[name], draws=1, seed=seed).name == name
    known, rng = overview(named_memories[name]), np.random.default_rng(1)
    for _ in range(count(500, 50)):
        memory = random_memory(named_memories[name], rng)
        for update in ha.updates:
            claim = ha.updates[update].drawn(rng).descends(memory)
            assert claim or update not in known.descends_under, (memory, update, claim.reason)
            is_named = update in (*known.descends_under, *known.for_some_under)
            assert is_named >= (bool(claim) and not ha.updates[update].stochastic), (memory, update)
            assert not (is_named and ha.updates[update].stochastic)


def test_weights_that_are_lost_in_rounding_are_not_followed_in_continuous_time():
    memory, few = (ha.memories.sparse([[1.0, 0.0], [0.0, 1.0]], alpha=alpha) for alpha in (12.0, 4.0))
    assert not memory.descends("graded") and few.descends("graded")
    with pytest.raises(ha.InvalidInput, match="weights near 0 are lost in rounding for an alpha above 8, and it is 12"):
        memory.recall([0.2, 0.1], update="graded")
