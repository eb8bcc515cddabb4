"""Docstrings: every parameter of a public call is described, and a list of parameters names those of the call."""

import inspect
import re
from enum import Enum
from typing import get_args

from hopattn.foundation.shown_types import declared
from tests.foundation.test_shown import in_rooms
from tests.foundation.test_shown_types import CALLS, PUBLIC

SECTION = re.compile(r"^(Parameters|Attributes|Raises)\n-+\n((?:.+(?:\n|$))+)", re.M)
DESCRIBED = {
    name: one for name, one in PUBLIC.items() if not (inspect.isclass(one) and issubclass(one, Enum | BaseException))
}
BY_WORD = {}
for name, call in CALLS.items():
    for parts in (1, 2):
        BY_WORD.setdefault(".".join(name.split(".")[-parts:]), []).append(call)


def parameters(call):
    """The names of the parameters of a call, and of its options."""
    for one in declared(call).parameters.values():
        options = get_args(one.annotation) if one.kind is one.VAR_KEYWORD else ()
        hidden = one.name in ("self", "cls") or one.name.startswith("_")
        yield from options[0].__annotations__ if options else [one.name] * (not hidden)


def words_of(call):
    """The docstring of a call; of a class also those of its constructor and of its bases."""
    kinds = [kind for kind in inspect.getmro(call) if kind is not object] if inspect.isclass(call) else []
    texts = [text for kind in kinds for text in (kind.__doc__, kind.__init__.__doc__)]
    return "\n".join([inspect.getdoc(call) or "", *filter(None, texts)])


def entries(doc, section):
    """The names that a section of a docstring lists."""
    lines = [line for title, text in SECTION.findall(doc) if title == section for line in text.splitlines()]
    return [name for line in lines if not line.startswith(" ") for name in line.split(" : ")[0].split(", ")]


@in_rooms(DESCRIBED)
def test_every_parameter_of_a_public_call_is_described(names):
    """By its own docstring, or by that of a call to which it refers: "as in `attention`"."""
    for name in names:
        about = words_of(DESCRIBED[name])
        words = [word for path in re.findall(r"`([\w.]+)`", about) for word in (path, path.split(".")[-1])]
        texts = [about, *(words_of(call) for word in words for call in BY_WORD.get(word, []))]
        said = set(re.findall(r"(?<![.\w])\w+", "\n".join(texts)))
        assert set(parameters(DESCRIBED[name])) <= said, name


@in_rooms(CALLS)
def test_a_list_of_parameters_names_those_of_the_call(names):
    for name, call in ((name, CALLS[name]) for name in names):
        doc = inspect.getdoc(call) or ""
        listed = entries(doc, "Parameters")
        assert set(listed) <= set(parameters(call)) and len(set(listed)) == len(listed), name
        if inspect.isclass(call):  # the docstring of `recall` holds that of its record
            assert set(entries(doc, "Attributes")) <= {*dir(call), *parameters(call)}, name
        assert all(re.fullmatch(r"[A-Z]\w+", kind) for kind in entries(doc, "Raises")), name
        assert "Parameters\n-" not in doc or listed, name
