"""Scenarios with errors in their structure: tables, keys and values removed, doubled, exchanged, made hostile."""

import copy
from functools import cache

from hypothesis import strategies as st

from hopattn.figures.figure import gallery
from hopattn.scenario.files import shipped
from tests.fuzz import schemas, values
from tests.fuzz.commands import as_text, in_pieces
from tests.fuzz.schemas import originals, places, scenario_names, within
from tests.fuzz.toml_text import written

FILE = "f.toml"
COMMANDS = (
    *(["run", FILE], ["run", FILE], ["run", FILE, "--explain"], ["run", FILE, "--json"], ["check", FILE]),
    *(["run", FILE, "--explain", "--json"], ["run", "-"], ["check", "--json", FILE], ["run", FILE, "--out", "kept"]),
)
RARE_COMMANDS = (["explore", FILE, "--no-open"], ["compare", FILE, "--trials", "1"])
"""They take ten times as long as the others, and so does a figure."""


@cache
def all_places(name):
    """The places of a shipped scenario."""
    return list(places(originals()[name]))


@cache
def all_keys():
    """Every key that a shipped scenario has."""
    return sorted({key for name in originals() for path in all_places(name) for key in path if isinstance(key, str)})


@cache
def seen():
    """The values of each key in the shipped scenarios, and for each table the pairs of a key and its value."""
    values_of, pairs_of = {}, {}
    for name, document in originals().items():
        for path in all_places(name):
            words = ["", *(key for key in path if isinstance(key, str))]
            value = within(document, path)
            if words[-1] == path[-1]:
                values_of.setdefault(words[-1], []).append(value)
                pairs_of.setdefault(words[-2], []).append((words[-1], value))
    return values_of, pairs_of


@st.composite
def foreign(draw):
    """A value from somewhere in a shipped scenario."""
    name = draw(st.sampled_from(sorted(originals())))
    return copy.deepcopy(within(originals()[name], draw(st.sampled_from(all_places(name)))))


def replace(draw, parent, key, above):
    """Put a hostile value in the place of one."""
    parent[key] = draw(values.values())


def exchange(draw, parent, key, above):
    """Put a value from elsewhere in the place of one."""
    parent[key] = draw(foreign())


def alike(draw, parent, key, above):
    """Exchange a value for another one under the same key."""
    parent[key] = copy.deepcopy(draw(st.sampled_from(seen()[0].get(key) or [parent[key]])))


def graft(draw, parent, key, above):
    """Add to a table what a table of that name has somewhere."""
    if isinstance(parent, dict):
        name, value = draw(st.sampled_from(seen()[1].get(above, [(key, parent[key])])))
        parent[name] = copy.deepcopy(value)


def remove(draw, parent, key, above):
    """Leave out a value."""
    del parent[key]


def double(draw, parent, key, above):
    """Give a value twice."""
    if isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    else:
        parent[draw(names())] = copy.deepcopy(parent[key])


def rename(draw, parent, key, above):
    """Give a value another key."""
    if isinstance(parent, dict):
        parent[draw(names())] = parent.pop(key)


def add(draw, parent, key, above):
    """Add a value under some key."""
    node = parent[key] if isinstance(parent[key], dict) else parent
    if isinstance(node, dict):
        node[draw(names())] = draw(foreign() | values.values())


def wrap(draw, parent, key, above):
    """Put a value into a list or a table, or make it a text."""
    parent[key] = draw(st.sampled_from([[parent[key]], {"name": parent[key]}, [parent[key]] * 3, str(parent[key])]))


def shift(draw, parent, key, above):
    """Change a number, or one in a list, a little or by magnitudes."""
    number = parent[key]
    if isinstance(number, int | float):
        by = draw(st.sampled_from([1, -1, 0.5, 1e-6]))
        times = draw(st.sampled_from([1, -1, 0, 2, 10, 1e-12, 1e12]))
        parent[key] = number * times + (by if times == 1 else 0)
    else:
        replace(draw, parent, key, above)


CHANGES = (replace, exchange, remove, double, rename, add, wrap, shift, shift, *[alike] * 5, *[graft] * 3)
"""Each is called as change(draw, parent, key, above); above: the key of the parent."""


def names():
    """Keys that scenarios have, and hostile ones."""
    return st.sampled_from(all_keys()) | values.texts()


@st.composite
def changed_documents(draw):
    """The text of a shipped scenario whose document has up to four changes."""
    document = copy.deepcopy(originals()[draw(scenario_names())])
    for _ in range(draw(st.integers(1, 4))):
        if paths := list(places(document)):
            *above, key = draw(st.sampled_from(paths))
            last = next((one for one in reversed(above) if isinstance(one, str)), "")
            draw(st.sampled_from(CHANGES))(draw, within(document, above), key, last)
    return in_pieces(written(document))


@st.composite
def changed_bytes(draw):
    """The text of a shipped scenario with some bytes or lines removed, doubled, or made hostile."""
    data = shipped()[draw(scenario_names())].read_bytes()
    for _ in range(draw(st.integers(1, 3))):
        parts = data.split(b"\n") if draw(st.booleans()) else [data[i : i + 1] for i in range(len(data))]
        at = draw(st.integers(0, len(parts) - 1))
        odd = draw(st.binary(max_size=3) | values.texts().map(lambda text: text.encode("utf-8", "replace")))
        parts[at : at + draw(st.integers(0, 2))] = draw(st.sampled_from([[], [odd], parts[at : at + 1] * 2]))
        data = (b"\n" if any(len(part) > 1 for part in parts) else b"").join(parts)
    return as_text(data)


def drawn_cases():
    """Cases of commands that are given a scenario drawn from the JSON Schema, whatever the shipped ones look like."""
    texts = (schemas.documents() | schemas.redrawn()).map(lambda document: in_pieces(written(document)))
    return st.builds(_case, texts, st.sampled_from(COMMANDS))


def cases():
    """Cases of commands that are given a changed scenario."""
    figures = st.sampled_from(sorted(gallery())).map(lambda name: ["run", FILE, "--figure", name])
    words = st.one_of(*[st.sampled_from(COMMANDS)] * 18, st.sampled_from(RARE_COMMANDS), figures)
    texts = st.one_of(*[changed_documents()] * 4, changed_bytes())
    return st.builds(_case, texts, words)


def _case(text, words):
    return {"input": text, "words": words} if "-" in words else {"files": {FILE: text}, "words": words}
