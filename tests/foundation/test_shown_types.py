"""What `inspect.signature` and `help` show of a public call: words for its types, no addresses, no paths of files."""

import inspect
import pickle
import pydoc
import re
import typing
from typing import Annotated, Any, get_origin

import pytest

import hopattn as ha
from hopattn.foundation.boundary import Count, Of, public
from hopattn.foundation.shown_types import declared
from tests.foundation.test_shown import ENTRIES, NAMED, in_rooms
from tools.signatures import is_module

CODE = re.compile(r"Annotated|0x[0-9a-f]{4}|typing\.|numpy\._typing|<lambda>|<function|<class|functools\.partial")
PATH = re.compile(r"\bhopattn(?:\.\w+)+")
MOST = 620
"""The most characters of a shown signature: a layer of PyTorch takes the parts of a memory, too, and six dims."""
PLACES = re.compile(r"^.*(Help on|Documentation:|class \w+\(|inherited from|defined here|defined in|built-in).*$", re.M)
"""Where `help` says in which file something stands."""
RECORDS = re.compile(r"^ \|  __(annotations|dataclass_fields|dataclass_params)__ = .*$", re.M)
"""What Python keeps of the declaration of a class."""
METACLASS = re.compile(r"( from hopattn|\.\.\.dation)\S*$", re.M)
"""Where it says from which class a method comes."""
ORDER = re.compile(r"^ \|  Method resolution order:\n( \|      .*\n)*", re.M)


def methods(kind):
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        call = getattr(member, "__func__", member)
        if inspect.isfunction(call) and call.__module__.startswith("hopattn.") and not name.startswith("_"):
            yield f"{kind.__module__}.{kind.__qualname__}.{name}", getattr(kind, name)


PUBLIC = {name: one for name, one in {**ENTRIES, **NAMED}.items() if inspect.isfunction(one) or inspect.isclass(one)}
CALLS = {**PUBLIC, **{name: call for one in PUBLIC.values() if inspect.isclass(one) for name, call in methods(one)}}


def is_public(path):
    """Whether a person can write this path: each name is one of the names of the one before, or a member of a class."""
    place = ha
    for name in path.split(".")[1:]:
        if name not in getattr(place, "__all__", ()) and not inspect.isclass(place):
            return False
        place = getattr(place, name)
    return True


def unreadable(text):
    return CODE.findall(text) + [path for path in PATH.findall(text) if not is_public(path)]


@in_rooms(CALLS)
def test_a_shown_signature_has_words_for_its_types(names):
    texts = {name: str(inspect.signature(CALLS[name])) for name in names}
    wrong = {name for name, text in texts.items() if unreadable(text) or "hopattn" in text or len(text) > MOST}
    assert not wrong, {name: texts[name] for name in wrong}


@in_rooms(PUBLIC)
def test_help_has_words_for_types(names):
    for name in names:
        if inspect.isclass(PUBLIC[name]) and is_module(PUBLIC[name]):
            continue  # most of its help is PyTorch's
        text = pydoc.plain(pydoc.render_doc(PUBLIC[name]))
        for stated in (PLACES, RECORDS, METACLASS, ORDER):
            text = stated.sub("", text)
        assert not unreadable(text), (name, [line for line in text.splitlines() if unreadable(line)])


@in_rooms(CALLS)
def test_the_annotations_that_are_written_can_be_read(names):
    for name, call in ((name, CALLS[name]) for name in names):
        written = declared(call)
        assert list(written.parameters) == list(inspect.signature(call).parameters), name
        function = inspect.unwrap(call.__init__ if inspect.isclass(call) else call)
        annotations = getattr(function, "__annotations__", {})
        for parameter in written.parameters.values():
            if parameter.name in annotations and get_origin(annotations[parameter.name]) is not typing.Unpack:
                assert parameter.annotation == annotations[parameter.name], name


@public
def scaled(x: Annotated[Any, Of("… n dim")], times: Count = 1) -> "float":
    return times * x


def test_a_shown_signature_is_a_signature():
    shown = inspect.signature(scaled)
    assert repr(shown) == "<ShownSignature (x: Array[… n dim], times: int = 1) -> float>"
    assert str(shown.parameters["x"]) == "x: Array[… n dim]"  # as a notebook writes it
    assert inspect.formatannotation(inspect.signature(ha.Memory.recall).return_annotation) == "Recall"
    assert str(inspect.signature(ha.Memory([[1.0, 2.0]]).descends)) == "(update: str | Update | None = None) -> Descent"
    assert shown.bind(1.0, times=2).arguments == {"x": 1.0, "times": 2}
    assert pickle.loads(pickle.dumps(shown)).parameters.keys() == shown.parameters.keys()
    assert shown == inspect.signature(scaled) and hash(shown) == hash(inspect.signature(scaled))
    with pytest.raises(AttributeError):
        _ = shown.unknown
