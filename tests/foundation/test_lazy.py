"""Names that are loaded when they are first used: of the package, of its rooms, and of registries."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest

import hopattn as ha
from hopattn.dynamics.own_parts import REGISTRIES

ROOMS = [name for name in ha.__all__ if hasattr(getattr(ha, name), "__all__")]


def test_each_name_of_a_room_is_found_there():
    assert {"memories", "learning", "networks", "circuits", "positions", "gradients", "theory"} <= {*ROOMS}
    for room in (ha, *(getattr(ha, name) for name in ROOMS)):
        assert {*room.__all__} <= {*dir(room)} and all(hasattr(room, name) for name in room.__all__)


@pytest.mark.parametrize("room", ROOMS)
def test_the_name_of_a_room_is_answered_in_every_other_room_with_its_place(room):
    for name in {*ROOMS} - {room}:
        with pytest.raises(AttributeError, match=rf"'{name}' is unknown; .*\bha\.{name}\b"):
            getattr(getattr(ha, room), name)


def test_no_field_of_a_public_object_can_be_assigned():
    values = [getattr(room, name) for room in (ha, *(getattr(ha, name) for name in ROOMS)) for name in room.__all__]
    entries = [registry[key] for registry in REGISTRIES for key in registry]
    kinds = {kind for kind in (*values, *entries) if isinstance(kind, type) and is_dataclass(kind)}
    assert len(kinds) > 70 and ha.transformer.Recurrent in kinds
    for kind in kinds:
        for field in fields(kind):
            with pytest.raises(FrozenInstanceError):
                kind.__setattr__(None, field.name, 0)


@pytest.mark.parametrize("registry", [*REGISTRIES, ha.memories.named_memories], ids=lambda registry: registry.what)
def test_every_entry_of_a_registry_is_an_attribute_that_completes_and_its_text_shows_its_names_alone(registry):
    for key in registry:
        assert getattr(registry, key) is registry[key] is registry.get(key)
        assert key in dir(registry) and key in registry and key in repr(registry)
        assert key == key.lower() and len([*registry]) == len(registry)
    assert [*registry] == sorted(registry) and "nope" not in registry and registry.get("nope") is None
    assert registry.get("nope", 3) == 3 and 3 not in registry
    assert len(repr(registry)) < 30 + sum(len(key) + 2 for key in registry)


def test_a_registry_is_copied_and_pickled_like_any_object_and_names_its_entries_in_snake_case():
    assert list(copy.copy(ha.separations)) == list(ha.separations)
    assert pickle.loads(pickle.dumps(ha.separations)).entmax is ha.separations.entmax
    names = {ha.separations[name].__name__: name for name in ha.separations}
    assert (names["RectifiedPower"], names["KSubsets"], names["Softmax"]) == ("rectified_power", "k_subsets", "softmax")
