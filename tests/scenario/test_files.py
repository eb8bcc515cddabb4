"""Scenario files: how they are found and read, and that all faults are reported together, each once, on its line."""

import os
import re
import tomllib
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.scenario.checking import InvalidScenario
from hopattn.scenario.files import shipped
from hopattn.scenario.kinds import kinds
from tests.refusal import assert_refused, problems, refused
from tests.texts import GOOD, HUGE, parsed


def places(text):
    return [line.removeprefix("file.toml:").split(": ")[:2] for line in problems(text)]


def changed(*changes):
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_the_file_without_errors_is_accepted():
    assert ha.run(parsed(GOOD)).ok
    assert ha.run(parsed(GOOD.replace('source = "ours"\n', ""))).source == ""
    assert parsed(HUGE).name == "file" and "Scenario('file', kind task: t)" in repr(parsed(HUGE))


TYPO = 'neerest = "b"'
UNKNOWN = '"a", "b", "a"', '"a", "b", "c"'
FURTHER = 'nearest = "a"\n[[expect]]\nnearest = "d"\nat = "b"\n[[expect]]'
VARIANT = '[[variant]]\nname = "v"\nset = { "layer.head.mask" = "none" }\n'


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        # all of the schema, in the order of their lines
        (
            [('"softmax"', '"softmx"'), ("[0.6, 0.8]", '[0.6, "x"]'), ('at = "b"', "at = 5")],
            ["9 vocabulary.words.b.2", "14 layer.1.head.1.separation", "17 expect.1.at"],
        ),
        # one of each table that does not need what is refused
        (
            [('mask = "causal"', "key = [[1]]\n[[layer.head]]\nvalue = [[1]]\n[[layer]]\nnorm = 'rms'"), UNKNOWN],
            ["11 input.tokens.3", "15 layer.1.head.1.key", "17 layer.1.head.2.value", "18 layer.2"],
        ),
        # first what the schema refuses, then what is refused while the run is built, then what is asked of it
        ([("[0.6, 0.8]", '[0.6, "x"]'), UNKNOWN], ["9 vocabulary.words.b.2"]),
        ([("[0.6, 0.8]", "[0.6, 0.9]"), UNKNOWN], ["9 vocabulary.words.b"]),
        ([UNKNOWN, ('at = "b"', 'at = "c"')], ["11 input.tokens.3"]),
        (
            [('nearest = "b"', f"{TYPO}\n[[expect]]\n{TYPO}")],
            ["18 expect.1.neerest", "19 expect.2.at"],
        ),
        ([('nearest = "b"', 'cosine_to = "b"\nis = "0,6"\nwithin = "1e-3"')], ["19 expect.1.is", "20 expect.1.within"]),
        ([('"a", "b", "a"', '"a", "a", "a#1"')], ["11 input.tokens.3", "11 input.tokens"]),
        # or else what each expectation asks
        ([('at = "b"', f'at = "c"\n{FURTHER}\nat = "b"')], ["17 expect.1.at", "20 expect.2.nearest"]),
        # a fault of every run is reported once
        ([("a = [1, 0]", "a = [1, 1]"), ("[[expect]]", f"{VARIANT}[[expect]]")], ["8 vocabulary.words.a"]),
    ],
)
def test_all_faults_are_reported_together_each_once(changes, faults):
    assert places(changed(*changes)) == [fault.split() for fault in faults]


def test_what_only_follows_from_a_refused_value_is_not_reported():
    """The table of messages has one message a row; here a key is refused that another needs."""
    text = kinds["fast_weights"].template()
    assert places(text.replace("[0, 0, 0, 0, 1],\n]", '[0, 0, 0, 0, "1"],\n]')) == [["32", "fast_weights.value.5.5"]]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("schema = ", "1", "a value is missing here"),
        ("a = 1\na = 2", "2", "'a' is already on line 1"),
        ("a = .5", "1", "0.5"),
        ("[a\n", "1", "never closed"),
        ("b = 1\na = " + "9" * 5000, "2", "too many digits"),
        ("", "1", "the file is empty: `hopattn new`"),
    ],
)
def test_what_is_not_toml_is_refused_with_its_line(text, place, words):
    assert_refused(text, f"{place}: ", words)


whole = st.tuples(st.integers(0, 99), st.integers(0, 999))
decimal = st.floats(-9, 9).map(lambda x: round(x, 2)).filter(lambda x: x != int(x))


@given(st.tuples(*[st.one_of(whole, decimal)] * 2).filter(lambda row: any(isinstance(x, tuple) for x in row)))
def test_whole_numbers_in_pairs_are_likely_to_have_decimal_commas(row):
    first, decimals = next(entry for entry in row if isinstance(entry, tuple))
    vector = ", ".join(f"{entry[0]},{entry[1]}" if isinstance(entry, tuple) else str(entry) for entry in row)
    hint = f"write {first}.{decimals} instead of {first},{decimals}"
    assert_refused(
        changed(("[0.6, 0.8]", f"[{vector}]")), "9: vocabulary.words.b: ", "needs 2 numbers, one for each axis", hint
    )
    network = CUE.replace("neuron = [0.8, 0.6]", f"neuron = [{vector}]")
    assert_refused(network, "18: network.neurons.neuron", hint)


UNLIKE = "[0, 6, 0]", "[0, 6, 0, 8, 1]", "[0.5, 6, 0, 8]", "[0, 6, 0.5, 8]", "[0.5, 1, -1]", "[1, -1, 1, 1]"


@pytest.mark.parametrize("vector", UNLIKE)
def test_other_vectors_that_do_not_fit_have_no_hint(vector):
    (message,) = problems(changed(("[0.6, 0.8]", vector)))
    assert "needs 2 numbers, one for each axis (x, y), not " in message and "comma" not in message


@pytest.mark.parametrize("text", ["", ".", ",", "-", "0,6,1", "e5", "much"])
def test_a_text_that_is_not_a_number_has_no_hint(text):
    (message,) = problems(changed(("[0.6, 0.8]", f'["{text}", 0.8]')))
    assert message == f"file.toml:9: vocabulary.words.b.1: got '{text}'; expected a number"


CUE = kinds["cue"].template()
WRITTEN = re.compile(r'"[^"\n]*"|\[[^\[\]\n]*\]')
"""A text, the name of a table, or a short list."""
ENDLESS = {"text": '"' + 100_000 * "x" + '"', "list": "[" + 2_000 * '"name", ' + "]", "digits": 4000 * "9"}


@pytest.mark.parametrize("value", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("name", ["bank", "letters", "head-scores", "torus-walk", "rope"])
@given(data=st.data())
def test_a_value_without_end_takes_a_part_of_a_line(name, value, data):
    text = shipped()[name].read_text(encoding="utf-8")
    start, end = data.draw(st.sampled_from([found.span() for found in WRITTEN.finditer(text)]))
    try:
        parsed(text[:start] + value + text[end:])
    except InvalidScenario as error:
        assert not [problem for problem in error.problems if re.search(r'x{90}|9{90}|("?name[", ]*){20}', problem)]
        assert max(len(line) for problem in error.problems for line in problem.split("\n")) < 2000


def test_files_that_cannot_be_read_are_refused(tmp_path):
    folder, latin, wide = (tmp_path / name for name in ("folder", "latin.toml", "wide.toml"))
    folder.mkdir()
    latin.write_bytes("schema = 1\ntitle = 'Lück'".encode("latin-1"))
    wide.write_bytes("schema = 1".encode("utf-16"))
    for path, place, *words in [
        (folder, f"{folder}: is a folder"),
        (tmp_path / "none.toml", f"{tmp_path / 'none.toml'}: there is no such file"),
        (latin, f"{latin}:2: is not UTF-8", "0xfc"),
        (wide, f"{wide}:1: is UTF-16"),
        (tmp_path / "ltin.toml", f"{tmp_path / 'ltin.toml'}: there is no such file", "did you mean '"),
        *((f"./m{end}", f"m{end}: ", "run code", ".npy") for end in (".pt", ".pth", ".ckpt", ".pkl", ".PICKLE")),
        ("bnak", "there is no scenario or file 'bnak'", "did you mean 'bank'?", "hopattn list"),
        ("", "path: '' is not a path"),
        ("a\0b", "path: 'a\\x00b' is not a path"),
        (3, "path: expected the path of a file", "not 3"),
    ]:
        refused(lambda path=path: ha.load(path), place, *words)


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        ("bass", "bass.toml"),
        ("bas.toml", "bass.toml"),
        ("basin", "basins"),
        ("bnak.toml", "bank"),
        ("in/bas", "in/base.toml"),
        ("their-dog", "induction"),
    ],
)
def test_a_near_name_is_suggested_of_the_folder_first(tmp_path, monkeypatch, name, guess):
    (tmp_path / "in").mkdir()
    for file in ("bass.toml", "in/base.toml"):
        (tmp_path / file).write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    refused(lambda: ha.load(name), "", f"did you mean '{guess}'?")


def test_an_unreadable_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "locked.toml"
    path.write_text(GOOD)
    path.chmod(0)
    if os.access(path, os.R_OK):  # the superuser may read every file, so the refusal is simulated
        denied = PermissionError(13, "Permission denied")
        monkeypatch.setattr(Path, "open", lambda *_, **__: (_ for _ in ()).throw(denied))
    refused(lambda: ha.load(path), f"{path}: cannot be read: Permission denied")


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path):
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert ha.load(path).text == GOOD and ha.run(str(path)).ok


def test_a_file_in_this_folder_comes_before_a_shipped_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ha.load("bank").spec.title != "a title"
    (tmp_path / "bank").write_text(GOOD)
    assert ha.load("bank").spec.title == "a title"
    refused(lambda: ha.load("mine.toml"), "mine.toml: there is no such file")


FORMS = '''title = """two
lines [x] = 1"""
schema = 1  # [not.a] = header
kind = 'attention'
source = "a # \\" b"
vocabulary.axes = ["x",
  "y", # ] no
  3]
[vocabulary.words]
"a.b".c = [1, 0]
in = [1,
  "2"] # ] no
[[ layer ]]
[[layer.head]]
separation = { name = "power", n = [
 {x = 1}] }
[[layer.head]]
'mask' = 'its'
[[layer]]
[[layer.head]]
b\\u0065ta = 1
"b\\u0065ta" = 1979-05-27 07:32:00
'''


def test_each_form_of_a_key_is_found_on_its_line():
    text = FORMS.replace("b\\u0065ta = 1\n", "")
    places = ["8: vocabulary.axes.3", '10: vocabulary.words."a.b"', "12: vocabulary.words.in.2"]
    places += ["15: layer.1.head.1.separation.n", "18: layer.1.head.2.mask", "21: layer.2.head.1.beta"]
    assert [line.removeprefix("file.toml:").split(": ")[:2] for line in problems(text)] == [
        ["1", "input"],
        *(place.split(": ") for place in places),
    ]


@pytest.mark.parametrize("name", list(shipped())[::4])
def test_a_key_too_many_is_found_on_its_line_in_every_table_of_a_shipped_file(name):
    """Where names are free, as of words, its value is refused on that line; what a variant sets, on its table's."""
    lines = shipped()[name].read_text(encoding="utf-8").split("\n")
    for i in [i for i, line in enumerate(lines) if line.startswith("[") and line.endswith("]")]:
        text = "\n".join([*lines[: i + 1], "zzz = {zz = 1979-05-27}", *lines[i + 1 :]])
        try:
            parsed(text)
        except InvalidScenario as error:
            line = i + (1 if lines[i] == "[variant.set]" else 2)
            places = [one.startswith(f"file.toml:{line}: ") and "zzz" in one for one in error.problems]
            assert any(places), (lines[i], error.problems)
        else:
            pytest.fail(f"{lines[i]}: a key that nobody reads is accepted")


keys = st.text("abc_-", min_size=1, max_size=3).map(lambda key: f"q{key}")
values = st.recursive(
    st.one_of(st.integers().map(str), st.sampled_from(['"]"', "'{'", '"""a\nb"""', "true", "1.5"])),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: "[" + ", # x ]\n ".join(items) + "]"),
)


@given(st.lists(st.tuples(keys, values, st.integers(0, 2)), max_size=6, unique_by=lambda entry: entry[0]))
def test_unknown_keys_are_named_on_the_lines_where_they_were_written(entries):
    text, places = GOOD[: GOOD.index("[vocabulary]")], []
    for key, value, blank in entries:
        text += "# a comment = [\n" * blank
        name = key if key.isidentifier() else f'"{key}"'
        places.append(f"file.toml:{text.count(chr(10)) + 1}: {name}: '{key}' is unknown")
        text += f"{key} = {value}\n"
    text += GOOD[GOOD.index("[vocabulary]") :].replace("[1, 0]", '["1", 0]')
    assert tomllib.loads(text)
    *unknown, last = problems(text)
    assert [one.partition(" is unknown")[0] + " is unknown" for one in unknown] == places
    line = text[: text.index('["1", 0]')].count("\n") + 1
    assert last.startswith(f"file.toml:{line}: vocabulary.words.a.1: ")


def test_a_missing_key_has_the_line_of_the_table_around_it():
    assert_refused(GOOD.replace('axes = ["x", "y"]\n', ""), "5: vocabulary.axes", "is missing")
    assert_refused(GOOD.replace('nearest = "b"', "weight = {}\nis = 1"), "18: expect.1.weight.from", "is missing")


def test_the_lines_of_deep_values_take_no_room_for_their_paths():
    text = GOOD + "[figure]\nx = [" + 300 * (16 * "[" + "1" + 16 * "]" + ",\n") + "]"
    tracemalloc.start()
    assert_refused(text, "20: figure.x", "'x' is unknown")
    _, size = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 5_100 * 1200, "bytes for each place, TOML's own values among them"
