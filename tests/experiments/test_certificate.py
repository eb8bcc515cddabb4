"""The energy certificate, at a reduced count; `make certificate` runs it in full."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.dynamics.updates import updates
from hopattn.experiments.certificate import Certificate, certify, certify_all, overview
from hopattn.foundation.errors import InvalidInput
from hopattn.memories.models import named_memories

PAIRS = [(name, update) for name in named_memories for update in updates]


@pytest.mark.parametrize(("name", "update"), PAIRS)
def test_every_claim_stands(name, update):
    found = certify(name, update, count=200 if update != "graded" else 20, seed=1)
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
def test_what_is_not_claimed_has_a_counter_example(name, update):
    assert certify(name, update, count=20_000).rises > 0


def test_a_false_claim_is_found_out(monkeypatch):
    """A network that says that it descends under the synchronous update, and does not."""
    monkeypatch.setattr(ha.Hopfield, "lacks_convexity", "")
    found = certify("hopfield", "sync", count=2000)
    assert not found.holds
    assert found.largest > 1e-3


def test_a_memory_of_ones_own_is_certified():
    found = certify(ha.modern(np.eye(3)), "async", count=300)
    assert found.holds
    assert found.claimed >= 300
    assert found.memory.startswith("Memory(")


def test_the_same_in_any_number_of_processes():
    one, two = (list(certify_all(["modern", "bam"], count=100, processes=n)) for n in (1, 2))
    assert one == two
    assert {found.memory for found in one} == {"modern", "bam"}


def test_a_certificate_that_does_not_hold_says_so():
    assert not Certificate("a", "sync", claimed=1, largest=1e-6).holds


def test_a_mistyped_memory_is_refused():
    with pytest.raises(InvalidInput, match="memory: 'modrn' is unknown; did you mean 'modern'"):
        certify("modrn")


def test_the_overview_says_what_a_memory_is_made_of_and_when_it_descends():
    found = overview(named_memories["hopfield"])
    assert (found.similarity, found.activation, found.source) == ("couplings", "sign", "Hopfield 1982")
    assert set(found.descends_under) == {"async", "concave_convex"}
    assert found.for_some_under == ("sync",)
    assert overview(named_memories["nearest"]).descends_under == ()
    assert overview(named_memories["modern"]).separation == "softmax"


def test_an_energy_that_is_no_number_is_no_descent():
    class Leaky(ha.Hopfield):
        lacks_convexity = ""

        def step(self, cues, mask=None):
            return np.full_like(np.asarray(cues), 1.5)  # outside the cube, where the energy is infinite

    assert not certify(Leaky(np.eye(3)), "sync", count=100).holds
