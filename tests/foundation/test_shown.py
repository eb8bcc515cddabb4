"""Every public class is shown, whatever its parts are: `repr`, `str` and a notebook raise nothing."""

import inspect
from enum import Enum

import numpy as np
import pytest

import hopattn as ha

ROOMS = [ha, *(room for name in ha.__all__ if inspect.ismodule(room := getattr(ha, name)))]
NAMED = {f"{room.__name__}.{name}": getattr(room, name) for room in ROOMS for name in room.__all__}
ENTRIES = {
    f"{name}[{key}]": one for name, value in NAMED.items() if hasattr(value, "items") for key, one in value.items()
}
CLASSES = {
    value: name
    for name, value in {**ENTRIES, **NAMED}.items()
    if inspect.isclass(value) and not (inspect.isabstract(value) or issubclass(value, BaseException | Enum))
}
PARTS = [
    None,
    "x",
    "",
    [],
    [1, 2],
    {},
    (),
    ("a", "b"),
    {1},
    True,
    -1,
    3,
    0.5,
    float("nan"),
    10**400,
    object(),
    int,
    len,
]
PARTS += [np.array(1.0), np.ones(3), np.ones((2, 3)), np.ones((2, 2, 2)), np.ones((0, 3)), np.array(["a"])]
PARTS += [np.array([None, {}], object)]


def in_rooms(names):
    """A test for each room looks at all names in it: one for each name would take longer to start than to run."""
    rooms = {}
    for name in names:
        rooms.setdefault(".".join(name.split(".")[:2]), []).append(name)
    return pytest.mark.parametrize("names", rooms.values(), ids=rooms)


def made(kind):
    """An object that is not finished, and those whose parts are all, or where there is no default, of one value."""
    yield object.__new__(kind)
    parameters = inspect.signature(kind).parameters.values()
    places = [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    for part in PARTS:
        for chosen in (places, [one for one in places if one.default is one.empty]):
            first = [part for one in chosen if one.kind is one.POSITIONAL_ONLY]
            named = {one.name: part for one in chosen if one.kind is not one.POSITIONAL_ONLY}
            try:
                yield kind(*first, **named)
            except ha.InvalidInput:
                continue


@pytest.mark.parametrize("kind", CLASSES, ids=CLASSES.get)
def test_an_object_of_any_parts_is_shown(kind):
    for one in made(kind):
        assert repr(one).strip() and str(one).strip()
        assert getattr(one, "_repr_html_", lambda: "-")().strip()


def test_a_record_of_other_parts_names_its_class_and_their_types():
    census = ha.circuits.Census(about="a text", tokens=3, rows=None, copied="words")
    assert repr(census) == "Census(about: str, tokens: int, rows: NoneType, copied: str, words: tuple)"
    assert census._repr_html_() == f"<pre>{census!r}</pre>"
    assert repr(object.__new__(ha.theory.Margins)) == "Margins()"
