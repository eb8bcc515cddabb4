"""The energy certificate, at a reduced count; `make certificate` runs it in full."""

from dataclasses import dataclass

import numpy as np
import pytest

import hopattn as ha
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.base import Descent, Update
from hopattn.experiments import certificate
from hopattn.experiments.certificate import Certificate, certify, certify_all, overview
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import Registry
from hopattn.memories.models import named_memories
from hopattn.retrieval.activation import Identity
from tests.counts import count

PAIRS = [(name, update) for name in named_memories for update in updates]


@pytest.mark.parametrize(("name", "update"), PAIRS)
def test_every_claim_stands(name, update):
    found = certify(name, update, count=count(200, 20) if update != "graded" else 20, seed=1)
    assert found.holds, found
    assert found.claimed == 0 or found.reason
    assert found.unclaimed == 0 or found.refusal
    assert found.claimed or found.unclaimed or found.obstacle


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
    assert certify(name, update, count=count(20_000, 8000 if name == "dense" else 4000)).rises > 0


def test_a_false_claim_is_found_out(monkeypatch):
    """A network that says that it descends under the synchronous update, and does not."""
    monkeypatch.setattr(ha.Hopfield, "why_not_convex", "")
    found = certify("hopfield", "sync", count=2000)
    assert not found.holds
    assert found.largest > 1e-3


def test_a_memory_of_the_user_is_certified():
    found = certify(ha.modern(np.eye(3)), "async", count=300)
    assert found.holds
    assert found.claimed >= 300
    assert found.memory.startswith("Memory(")


@dataclass(frozen=True)
class PartialStep(Update):
    """x⁺ = x + a (∇Φ(h) − x), a in (0, 1]: on the way to the minimum of a quadratic bound of the energy."""

    source = "ours"
    way = "a part of the way"
    part: float

    def step(self, memory, states, mask, context):
        return states + self.part * (np.asarray(memory.step(states, mask)) - states)

    def guarantee(self, memory):
        return Descent(not memory.why_not_convex, memory.why_not_convex or "the bound is quadratic")

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


def test_the_same_in_any_number_of_processes():
    one, two = (list(certify_all(["modern", "bam"], count=100, processes=n)) for n in (1, 2))
    assert one == two
    assert {found.memory for found in one} == {"modern", "bam"}


def test_a_certificate_that_does_not_hold_says_so():
    assert not Certificate("a", "sync", claimed=1, largest=1e-6).holds


def test_a_mistyped_memory_is_refused():
    with pytest.raises(InvalidInput, match="memory: 'modrn' is unknown; did you mean 'modern'"):
        certify("modrn")


def test_the_overview_has_the_parts_of_a_memory_and_the_updates_that_descend():
    found = overview(named_memories["hopfield"])
    assert (found.similarity, found.activation, found.source) == ("couplings", "sign", "Hopfield 1982")
    assert {"async", "concave_convex"} <= set(found.descends_under)
    assert not {"sync", "glauber", "graded"} & set(found.descends_under)
    assert "sync" in found.for_some_under
    assert overview(named_memories["nearest"]).descends_under == ()
    assert overview(named_memories["modern"]).separation == "softmax"


def test_an_energy_that_is_no_number_is_no_descent():
    class Leaky(ha.Hopfield):
        why_not_convex = ""

        def step(self, cues, mask=None):
            return np.full_like(np.asarray(cues), 1.5)  # outside the cube, where the energy is infinite

    assert not certify(Leaky(np.eye(3)), "sync", count=100).holds
