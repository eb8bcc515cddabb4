"""The line of each key, compared with the line on which the test wrote it."""

import tomllib
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from hopattn.scenario.files import shipped
from hopattn.scenario.language.lines import key_lines, line_of

TEXT = '''schema = 1  # [not.a] = header
"a.b".c = """two
lines [x] = 1"""
[vocabulary.words]
in = [1, 2,
  3] # ] no
[[layer]]
[[layer.head]]
m = { a = 1, b = [ {x = 1},
 {x = 2}] }
[[layer.head]]
z = 'its'
[[layer]]
[[layer.head]]
q = 1979-05-27 07:32:00
"q\\u0041" = "a # \\" b"
'''


def paths(value, path=()):
    """Every path of a parsed document."""
    if path:
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths(inner, (*path, key))


def test_each_kind_of_key_is_found_on_its_line():
    lines = key_lines(TEXT)
    expected = {
        ("schema",): 1,
        ("a.b", "c"): 2,
        ("vocabulary", "words", "in"): 5,
        ("vocabulary", "words", "in", 2): 6,
        ("layer", 0, "head", 0, "m", "b", 1, "x"): 10,
        ("layer", 0, "head", 1): 11,
        ("layer", 1, "head", 0, "q"): 15,
        ("layer", 1, "head", 0, "qA"): 16,
    }
    assert {path: lines[path] for path in expected} == expected
    assert set(paths(tomllib.loads(TEXT))) <= set(lines)


def test_every_path_of_every_shipped_file_is_found():
    faults = []
    for name, path in shipped().items():
        text = path.read_text(encoding="utf-8")
        lines, written = key_lines(text), text.split("\n")
        faults += [f"{name}: {missing}" for missing in set(paths(tomllib.loads(text))) - set(lines)]
        for place, line in lines.items():
            if isinstance(place[-1], str) and place[-1] not in written[line - 1]:
                faults.append(f"{name}:{line}: {place[-1]}")
    assert faults == []


keys = st.text("abc_-", min_size=1, max_size=3)
values = st.recursive(
    st.one_of(st.integers().map(str), st.sampled_from(['"]"', "'{'", '"""a\nb"""', "true", "1.5"])),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: "[" + ", # x ]\n ".join(items) + "]"),
)


@given(st.lists(st.tuples(keys, values, st.integers(0, 2)), max_size=6, unique_by=lambda entry: entry[0]))
def test_written_keys_are_found_where_they_were_written(entries):
    text, expected = "", {}
    for key, value, blank in entries:
        text += "# a comment = [\n" * blank
        expected[(key,)] = text.count("\n") + 1
        text += f"{key} = {value}\n"
    document = tomllib.loads(text)
    lines = key_lines(text)
    assert {path: lines[path] for path in expected} == expected
    assert set(paths(document)) == set(lines)


def test_a_missing_path_has_the_line_of_the_table_around_it():
    lines = key_lines("[a]\nb = 1\n")
    assert line_of(lines, ("a", "b", "c")) == 2
    assert line_of(lines, ("a", "d")) == 1
    assert line_of(lines, ("x",)) == 1


def test_the_lines_of_deep_values_take_no_room_for_their_paths():
    text = "x = [" + 1000 * (16 * "[" + "1" + 16 * "]" + ",\n") + "]"
    tracemalloc.start()
    lines = key_lines(text)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert lines["x", 999, *16 * (0,)] == 1000
    assert size < 17_000 * 400, "bytes for each place"
