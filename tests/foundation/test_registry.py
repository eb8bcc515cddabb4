"""Registries: their entries by key and by attribute, and their text."""

import copy
import pickle

import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput

REGISTRIES = ["separations", "similarities", "activations", "named_memories"]


@pytest.mark.parametrize("name", REGISTRIES)
def test_every_entry_is_an_attribute_that_completes(name):
    registry = getattr(ha, name)
    for key in registry:
        assert getattr(registry, key) is registry[key]
        assert key in dir(registry)
    assert "make" in dir(ha.separations)


@pytest.mark.parametrize("name", REGISTRIES)
def test_a_registry_shows_its_names_and_nothing_else(name):
    registry = getattr(ha, name)
    assert all(key in repr(registry) for key in registry)
    assert len(repr(registry)) < 30 + sum(len(key) + 2 for key in registry)


def test_a_mistyped_attribute_names_the_nearest_as_a_mistyped_key_does():
    with pytest.raises(AttributeError, match="separation: 'entmx' is unknown; did you mean 'entmax'"):
        ha.separations.entmx  # noqa: B018
    with pytest.raises(InvalidInput, match="memory: 'moder' is unknown; did you mean 'modern'"):
        ha.named_memories["moder"]
    assert not hasattr(ha.separations, "_repr_png_")


def test_a_registry_is_copied_and_pickled_like_any_object():
    assert list(copy.copy(ha.separations)) == list(ha.separations)
    assert pickle.loads(pickle.dumps(ha.separations)).entmax is ha.separations.entmax
