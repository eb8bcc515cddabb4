"""Documents of scenarios: the shipped ones, and those that are drawn from the JSON Schema alone."""

import copy
import json
import tomllib
from functools import cache

from hypothesis import strategies as st

from hopattn.scenario.files import shipped
from tests.fuzz import values
from tests.processes import ROOT

LEFT_OUT = {"attraction", "sally", "position-probe-trained", "birth-of-a-transformer", "emergence", "crosstalk"}
"""Scenarios that take longer than a second as they are."""
WORDS = ("a", "b", "x", "modern", "hopfield", "softmax", "identity", "a#2", "as written", "state")
"""Texts where the schema names none: words, names of arrays and of parts."""
DEEPEST = 12
"""The depth from which on only what must be there is drawn."""


@cache
def originals():
    """The document of each shipped scenario that is not left out, by its name."""
    files = {name: path for name, path in shipped().items() if name not in LEFT_OUT}
    return {name: tomllib.loads(path.read_text(encoding="utf-8")) for name, path in files.items()}


def scenario_names():
    """Names of these scenarios."""
    return st.sampled_from(sorted(originals()))


def places(node, path=()):
    """The paths to everything in a document; of a long list, only to its first entries."""
    entries = node.items() if isinstance(node, dict) else enumerate(node[:6]) if isinstance(node, list) else ()
    for key, value in entries:
        yield (*path, key)
        yield from places(value, (*path, key))


def within(document, path):
    """The value at a path."""
    for key in path:
        document = document[key]
    return document


@cache
def schema():
    return json.loads((ROOT / "scenarios" / "scenario.schema.json").read_text(encoding="utf-8"))


@cache
def tables_of(kind):
    """The tables that a scenario of a kind may have: those of any kind, and its own."""
    of_kinds = {name: one["properties"]["kind"]["enum"] for name, one in schema()["dependentSchemas"].items()}
    return [name for name in schema()["properties"] if kind in of_kinds.get(name, [kind])]


def named(one):
    """The schema that a reference names; a schema itself."""
    while "$ref" in one:
        one = schema()["$defs"][one["$ref"].rpartition("/")[2]]
    return one


def below(one, key):
    """The schema of what stands under a key, or at a place in a list, of a value of this schema; None if none does."""
    one = named(one)
    if isinstance(key, int):
        under = one.get("items")
    else:
        under = one.get("properties", {}).get(key) or one.get("additionalProperties")
    if isinstance(under, dict):
        return under
    further = [*one.get("oneOf", ()), *one.get("anyOf", ()), *(part["then"] for part in one.get("allOf", ()))]
    return next((found for part in further if (found := below(part, key))), None)


@st.composite
def documents(draw, hostile=True):
    """A document that the schema allows. hostile: whether some numbers and texts are any that TOML can hold."""
    one = Drawer(draw, hostile)
    kind = Drawer(draw, False).value(schema()["properties"]["kind"], 0)
    found = {"schema": 1, "title": "drawn", "source": "ours", "kind": kind}
    for name in tables_of(kind):
        if name not in found and draw(st.integers(0, 2)):
            found[name] = one.value(schema()["properties"][name], 0)
    return found


@st.composite
def redrawn(draw, hostile=True):
    """A shipped document in which one to three values are drawn anew from the schema of their places."""
    document = copy.deepcopy(originals()[draw(scenario_names())])
    for _ in range(draw(st.integers(1, 3))):
        *above, key = draw(st.sampled_from(list(places(document))))
        one = schema()
        for step in (*above, key):
            one = one and below(one, step)
        if one:
            within(document, above)[key] = Drawer(draw, hostile).value(one, len(above))
    return document


class Drawer:
    """Draws values of a schema. The keywords that bind several keys to each other are left to the reader."""

    def __init__(self, draw, hostile):
        self.draw, self.hostile = draw, hostile

    def among(self, choices):
        return self.draw(st.sampled_from(list(choices)))

    def value(self, one, depth):
        """A value of a schema, which may lie so deep in others."""
        one = named(one)
        if "const" in one or "enum" in one:
            return one["const"] if "const" in one else self.among(one["enum"])
        choices = one.get("oneOf") or one.get("anyOf") or [part["then"] for part in one.get("allOf", ())]
        if choices:
            return self.value(self.among(choices), depth)
        if self.hostile and not self.draw(st.integers(0, 40)):
            return self.draw(values.values())
        return getattr(self, one.get("type", "object"))(one, depth + 1)

    def object(self, one, depth):
        found, must = {}, one.get("required", [])
        for name, own in one.get("properties", {}).items():
            if name in must or (depth < DEEPEST and not self.draw(st.integers(0, 4))):
                found[name] = self.value(own, depth)
        if further := one.get("additionalProperties"):
            further = {"type": "number"} if further is True else further
            least = one.get("minProperties", 0)
            for name in WORDS[: self.draw(st.integers(least, least + 2))]:
                found[name] = self.value(further, depth)
        return found

    def array(self, one, depth):
        least = one.get("minItems", 0)
        most = min(one.get("maxItems", least + 2), least + 2) if depth < DEEPEST else least
        items = one.get("items", {"type": "string"})
        return [self.value(items, depth) for _ in range(self.draw(st.integers(least, most)))]

    def string(self, one, depth):
        return self.among(WORDS)

    def number(self, one, depth):
        """A number within the bounds, at times at one of them or as large as numbers are."""
        low, high = one.get("minimum", one.get("exclusiveMinimum", -1e308)), one.get("maximum", 1e308)
        most = [low, high, 1e155] if self.hostile else []
        given = [number for number in (0.5, 1, 2, 0.25, *most) if low <= number <= high]
        return self.among([number for number in given if number > one.get("exclusiveMinimum", float("-inf"))])

    def integer(self, one, depth):
        low = one.get("minimum", one.get("exclusiveMinimum", 0) + 1)
        return self.among([number for number in (low, low + 1, low + 3) if number <= one.get("maximum", number)])

    def boolean(self, one, depth):
        return self.draw(st.booleans())

    def null(self, one, depth):
        return self.draw(st.booleans())  # TOML has no null
