"""Registries: their entries by key and by attribute, and their text."""

import copy
import pickle
from dataclasses import dataclass

import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import snake_case

REGISTRIES = [ha.separations, ha.similarities, ha.activations, ha.updates, ha.memories.named_memories]


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.what)
def test_every_entry_is_an_attribute_that_completes(registry):
    for key in registry:
        assert getattr(registry, key) is registry[key]
        assert key in dir(registry)
    assert "make" in dir(ha.separations)


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.what)
def test_a_registry_shows_its_names_and_nothing_else(registry):
    assert all(key in repr(registry) for key in registry)
    assert len(repr(registry)) < 30 + sum(len(key) + 2 for key in registry)


def test_a_mistyped_attribute_names_the_nearest_as_a_mistyped_key_does():
    with pytest.raises(AttributeError, match="separation: 'entmx' is unknown; did you mean 'entmax'"):
        ha.separations.entmx  # noqa: B018
    with pytest.raises(InvalidInput, match="memory: 'moder' is unknown; did you mean 'modern'"):
        ha.memories.named_memories["moder"]
    assert not hasattr(ha.separations, "_repr_png_")


def test_a_registry_is_copied_and_pickled_like_any_object():
    assert list(copy.copy(ha.separations)) == list(ha.separations)
    assert pickle.loads(pickle.dumps(ha.separations)).entmax is ha.separations.entmax


def test_a_separation_of_ones_own_is_taken_and_another_object_is_refused_by_its_class():
    @dataclass(frozen=True)
    class Half(ha.Separation):
        convex = True

        def potential(self, scores, where=None):
            return (self.beta * scores**2 / 4).sum(axis=-1)

        def weights(self, scores, where=None):
            return self.beta / 2 * scores

    class Duck:
        pass

    assert ha.Memory([[1.0, 2.0]], separation=Half()).step([2.0, 1.0]).tolist() == [2.0, 4.0]
    for given, message in (
        (Duck(), "separation: expected a name or a Separation, got a Duck"),
        (ha.separations.softmax, "separation: expected a name or a Separation, got the class Softmax"),
        (3, "separation: expected a name or a Separation, got an int"),
    ):
        with pytest.raises(InvalidInput, match=f"^{message}$"):
            ha.Memory([[1.0, 2.0]], separation=given)
    with pytest.raises(InvalidInput, match="update: expected a name or an Update, got a Duck"):
        ha.memories.hopfield([[1, -1]]).recall([1, -1], update=Duck())


def test_a_name_is_the_class_name_in_snake_case():
    assert [snake_case(name) for name in ("RectifiedPower", "KSubsets", "Softmax")] == [
        *("rectified_power", "k_subsets", "softmax")
    ]
