"""Every error in a scenario file has one clear message: the line, the text there, and the expected text."""

import os
import re

import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.kinds import kinds
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import assert_refused, problems
from tests.texts import GOOD, HUGE


def test_the_file_without_errors_is_accepted():
    assert ha.run(parse(GOOD, "file.toml", "file")).ok


@each(
    ("old", "new", "message"),
    [
        ("schema = 1", "schema = 2", "1: schema: 2 is unknown; this version of hopattn reads schema = 1"),
        ("schema = 1", "schema = true", "1: schema: true is unknown"),
        ("schema = 1\n", "", "1: schema: is missing"),
        ('kind = "attention"', 'kind = "atention"', "4: kind: 'atention' is unknown; did you mean 'attention'?"),
        ('kind = "attention"', "kind = 3", "4: kind: '3' is unknown"),
        ('kind = "attention"\n', "", f"1: 'kind' is missing (choices: {', '.join(kinds)})"),
        ('title = "a title"', "title = 3", "2: title: got 3; expected a text"),
        ('title = "a title"', 'title = ""', "2: title: is empty"),
        ('source = "ours"\n', "", "1: source: is missing"),
        ('source = "ours"', 'sorce = "ours"', "3: sorce: 'sorce' is unknown; did you mean 'source'?"),
        ("a = [1, 0]", "a = [1, 0, 0]", "8: vocabulary.words.a: 3 numbers do not fit the 2 axes (x, y)"),
        ("a = [1, 0]", "a = [1, 1]", "8: vocabulary.words.a: has magnitude 1.41421; expected 1"),
        ("a = [1, 0]", "a = []", "8: vocabulary.words.a: is empty"),
        ("a = [1, 0]", 'a = [1, "0"]', "8: vocabulary.words.a.2: got '0'; expected a number"),
        ("a = [1, 0]", "a = [1, nan]", "8: vocabulary.words.a.2: got nan; expected a finite number"),
        ("a = [1, 0]", "a = [1, true]", "8: vocabulary.words.a.2: got true; expected a number"),
        ("a = [1, 0]", "a = 1", "8: vocabulary.words.a: got 1; expected an array"),
        ('["x", "y"]', '["x", "x"]', "6: vocabulary.axes: 'x' is given 2 times"),
        ('["a", "b", "a"]', '["a", "bb", "a"]', "11: input.tokens.2: 'bb' is unknown"),
        ('["a", "b", "a"]', "[]", "11: input.tokens: is empty"),
        ('["a", "b", "a"]', '"a b a"', "11: input.tokens: got 'a b a'; expected an array"),
        ("[input]", "[imput]", "10: imput: 'imput' is unknown; did you mean 'input'?"),
        ('"softmax"', '"softmx"', "14: layer.1.head.1.separation: 'softmx' is unknown; did you mean 'softmax'?"),
        ('"softmax"', '{ name = "powr" }', "14: layer.1.head.1.separation: 'powr' is unknown; did you mean 'power'?"),
        ('"softmax"', '{ name = "power", n = 1 }', "14: layer.1.head.1.separation: n: expected a whole number"),
        ('"softmax"', '{ name = "power", m = 2 }', "14: layer.1.head.1.separation.m: 'm' is unknown"),
        ('"softmax"', "3", "14: layer.1.head.1.separation: got 3; expected a text or a table"),
        ('"causal"', '"casual"', "15: layer.1.head.1.mask: 'casual' is unknown; did you mean 'causal'?"),
        ('"causal"', "[[true]]", "15: layer.1.head.1.mask: does not fit 3 queries and 3 keys"),
        ('"causal"', '{ name = "window", width = 0 }', "15: layer.1.head.1.mask: window: expected a whole number"),
        ('mask = "causal"', "beta = -1", "15: layer.1.head.1.beta: got -1; expected more than 0"),
        ('mask = "causal"', "beta = nan", "15: layer.1.head.1.beta: got nan"),
        ('mask = "causal"', 'beta = "8"', "15: layer.1.head.1.beta: got '8'; expected a positive number or"),
        ('mask = "causal"', "base = 1", "15: layer.1.head.1.base: got 1; expected more than 1"),
        ('mask = "causal"', "base = 3\nbeta = 2", "15: layer.1.head.1.base: beta and base say the same thing"),
        ('mask = "causal"', "key = [[1, 0, 0]]", "15: layer.1.head.1.key: every row needs 2 numbers"),
        ('mask = "causal"', "key = [[1, 0]]", "15: layer.1.head.1.key: gives 1 numbers, but the query gives 2"),
        ('mask = "causal"', 'key = { from = "wrod" }', "15: layer.1.head.1.key.from: 'wrod' is unknown; did you mean"),
        ('mask = "causal"', "key = { rotate = 1 }", "15: layer.1.head.1.key.rotate: rotates positions: it needs from"),
        ('mask = "causal"', 'key = { to = "word" }', "15: layer.1.head.1.key.to: a key is compared, not written"),
        ('mask = "causal"', "value = [[1, 0]]", "15: layer.1.head.1.value: needs 2 rows, one for each element"),
        ('mask = "causal"', "scores = [[1]]", "15: layer.1.head.1.scores: does not fit 3 queries and 3 keys"),
        ('mask = "causal"', "weights = [[1]]", "15: layer.1.head.1.weights: does not fit 3 queries and 3 keys"),
        ('at = "b"', 'at = "c"', "17: expect.1.at: 'c' is unknown (choices: a#1, a#2, b)"),
        ('at = "b"', 'at = "a"', "17: expect.1.at: 'a' occurs 2 times; write a#1 or a#2"),
        ('nearest = "b"', 'nearest = "c"', "18: expect.1.nearest: 'c' is unknown"),
        ('nearest = "b"', 'neerest = "b"', "18: expect.1.neerest: 'neerest' is unknown; did you mean 'nearest'?"),
        (
            'nearest = "b"',
            "",
            "16: expect.1: says nothing that can be checked; give one of: answers, closer_to",
        ),
        ('nearest = "b"', "is = [1]", "18: expect.1.is: 1 numbers do not fit the 2 elements of the vector"),
        ('nearest = "b"', 'nearest = "b"\nin = "wrod"', "19: expect.1.in: 'wrod' is unknown"),
        ('nearest = "b"', 'nearest = "b"\nlayer = 2', "19: expect.1.layer: there is no such layer or head"),
        (
            'nearest = "b"',
            'nearest = "b"\nvariant = "v"',
            "19: expect.1.variant: 'v' is unknown; there is nothing to choose from",
        ),
        ('nearest = "b"', 'closer_to = "b"', '16: expect.1: needs `than = "word"` or `than_before = true`'),
        (
            'nearest = "b"',
            'cosine_to = "b"\nis = 1\nerratum = "why"',
            "20: expect.1.erratum: needs `stated`, the number that the source prints",
        ),
        (
            'at = "b"\nnearest = "b"',
            'matrix = "weigths"\nis = [[1]]',
            "17: expect.1.matrix: there is no array 'weigths' here; did you mean 'weights'?",
        ),
        (
            'at = "b"\nnearest = "b"',
            'matrix = "weights"\nis = [[1]]',
            "18: expect.1.is: has shape (1, 1); the matrix has",
        ),
        ('at = "b"\nnearest = "b"', 'matrix = "weights"\nis = [[1], [1, 2]]', "18: expect.1.is: has shape (2, -1)"),
        (
            'at = "b"\nnearest = "b"',
            'weight = { from = "a", to = "b" }\nis = 1',
            "17: expect.1.weight.from: 'a' occurs 2 times",
        ),
        ('at = "b"\nnearest = "b"', 'measure = "accuracy"\nis = 1', "17: expect.1.measure: 'accuracy' is unknown"),
        (
            'at = "b"\nnearest = "b"',
            'at = "b"\nrecalls = "b"',
            "18: expect.1.recalls: there is no array 'recalls' here",
        ),
        ("[[expect]]", '[[variant]]\nname = "v"\nset = {}\n[[expect]]', "18: variant.1.set: is empty"),
        (
            "[[expect]]",
            '[[variant]]\nname = "v"\nset = { "layer.head.mask" = "no" }\n[[expect]]',
            "18: variant.1.set.\"layer.head.mask\": 'no' is unknown; did you mean 'none'?",
        ),
        (
            "[[expect]]",
            '[[variant]]\nname = "v"\nset = { "layr.mask" = "none" }\n[[expect]]',
            "18: variant.1.set: layr.mask: 'layr' is unknown; did you mean 'layer'?",
        ),
        ('["a", "b", "a"]', '["a", "a", "a#1"]', "11: input.tokens.3: 'a#1' is unknown"),
        ('kind = "attention"', 'knd = "attention"', "4: knd: 'kind' is missing; did you mean it by 'knd'?"),
        (
            '"softmax"',
            '{ name = ["softmax"] }',
            "14: layer.1.head.1.separation: got an array",
        ),
        (
            'nearest = "b"',
            'closer_to = "b"\nthan_before = false',
            "19: expect.1.than_before: got false",
        ),
        ('title = "a title"', "title = 1979-05-27", "2: title: got 1979-05-27; expected a text"),
        ("a = [1, 0]", 'a = [1, 0]\n"a\\nb" = [1, 1]', '9: vocabulary.words."a\\nb": has magnitude'),
        ("[input]", "[positions]\nturn = 90\n[input]", '10: positions: needs [spaces] with position = ["cos", "sin"]'),
        ("[vocabulary]", '[spaces]\nwrod = "vocabulary"\n[vocabulary]', '5: spaces: has no part "word"'),
        ("[vocabulary]", '[spaces]\nword = "like wrd"\n[vocabulary]', "6: spaces.word: 'wrd' is unknown"),
        ("[vocabulary]", '[spaces]\nword = "x"\n[vocabulary]', "6: spaces.word: 'x': expected a list of axes"),
    ],
)
def test_each_error_has_its_message(old, new, message):
    assert old in GOOD
    assert_refused(GOOD.replace(old, new, 1), message)


def test_all_errors_are_reported_together_in_the_order_of_their_lines():
    bad = GOOD.replace('"softmax"', '"softmx"').replace('"a", "b", "a"', '"a", "bb"').replace('at = "b"', 'at = "c"')
    lines = [int(line.split(":")[1]) for line in problems(bad)]
    assert lines == [11, 14, 17]


def test_one_invalid_expectation_hides_no_other():
    bad = GOOD + '[[expect]]\nat = "b"\nneerest = "b"\n[[expect]]\nat = "c"\nnearest = "b"\n'
    assert [int(line.split(":")[1]) for line in problems(bad)] == [21, 23]


def test_an_invalid_vector_hides_no_other_error():
    bad = GOOD.replace("b = [0.6, 0.8]", 'b = [0.6, "x"]').replace('"a", "b", "a"', '"a", "b", "c"')
    assert [int(line.split(":")[1]) for line in problems(bad)] == [9, 11]


@pytest.mark.parametrize("key", ["title", "expect.1.at", "variant", "kind"])
def test_a_variant_cannot_change_what_belongs_to_the_file(key):
    bad = GOOD + f'[[variant]]\nname = "v"\nset = {{ "{key}" = "attention" }}\n'
    assert any("belongs to the whole file" in line for line in problems(bad))


def test_an_error_of_every_run_is_reported_once():
    bad = GOOD.replace('"bb"', '"b"').replace("a = [1, 0]", "a = [1, 1]")
    bad += '[[variant]]\nname = "v"\nset = { "layer.head.mask" = "none" }\n'
    assert len(problems(bad)) == 1


@each(
    ("text", "message"),
    [
        ("schema = ", "file.toml:1: not TOML: a value is missing here"),
        ("a = 1\na = 2", "file.toml:2: not TOML: 'a' is already on line 1"),
        ("a = .5", "file.toml:1: not TOML"),
        ("[a\n", "file.toml:1: not TOML"),
        ("a = " + "[" * 100_000, "file.toml:1: is nested too deeply"),
        ("b = 1\na = " + "9" * 5000, "file.toml:2: holds a number of too many digits"),
        (GOOD + "[" + ".".join("a" * 5000) + "]", "file.toml:19: is nested too deeply"),
        ("", "file.toml:1: 'kind' is missing"),
    ],
)
def test_the_message_for_invalid_toml_names_the_line(text, message):
    assert message in problems(text)[0]


@pytest.mark.parametrize(
    "change",
    [
        ("random = 8", "random = 100000"),
        ("random = 8", "random = 900000000000"),
        ("random = 8 }", 'random = 900000000000 }\nprevious = "like word"'),
        ("length = 3", "length = 100000"),
        ("count = 1", "count = 1000000000"),
    ],
)
def test_a_huge_size_is_refused_before_memory_is_allocated(change):
    assert parse(HUGE, "file.toml", "file")
    (message,) = problems(HUGE.replace(*change))
    assert "would take about" in message
    assert "GiB; a scenario may take 1 GiB" in message


def test_files_that_cannot_be_read(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    latin = tmp_path / "latin.toml"
    latin.write_bytes("schema = 1\ntitle = 'Lück'".encode("latin-1"))
    wide = tmp_path / "wide.toml"
    wide.write_bytes("schema = 1".encode("utf-16"))
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (5 * 2**20))
    for path, message in [
        (folder, "is a folder; expected a scenario file"),
        (tmp_path / "none.toml", "there is no such file"),
        (latin, "latin.toml:2: is not UTF-8 text (byte 0xfc); save the file as UTF-8 in your editor"),
        (wide, "wide.toml:1: is UTF-16 text; save the file as UTF-8 in your editor"),
        (tmp_path / "ltin.toml", "there is no such file; did you mean '"),
        (large, "is larger than 1 MiB"),
        (
            tmp_path / "model.pt",
            "holds Python objects, which run code when they are read, and no text; save its arrays",
        ),
        ("bnak", "there is no scenario or file 'bnak'; did you mean 'bank'?"),
        ("", "is not a path"),
        ("a\0b", "is not a path"),
        (3, "expected the path of a scenario file"),
    ]:
        with pytest.raises(InvalidInput, match=re.escape(message)):
            ha.load(path)


@pytest.mark.parametrize(
    ("given", "guess"),
    [
        ("bass", "bass.toml"),
        ("bas.toml", "bass.toml"),
        ("basin", "basins"),
        ("bnak.toml", "bank"),
        ("in/bas", "in/base.toml"),
    ],
)
def test_a_file_of_the_folder_is_suggested_too(tmp_path, monkeypatch, given, guess):
    (tmp_path / "in").mkdir()
    for name in ("bass.toml", "in/base.toml"):
        (tmp_path / name).write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=f"did you mean '{guess}'\\?"):
        ha.load(given)


def test_an_unreadable_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "locked.toml"
    path.write_text(GOOD)
    path.chmod(0)
    if os.access(path, os.R_OK):  # the superuser may read every file, so the refusal is simulated
        monkeypatch.setattr(
            "pathlib.Path.open", lambda *_, **__: (_ for _ in ()).throw(PermissionError(13, "Permission denied"))
        )
    with pytest.raises(InvalidInput, match="cannot be read: Permission denied"):
        ha.load(path)


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path):
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert ha.run(ha.load(path)).ok


def test_a_file_in_this_folder_comes_before_a_shipped_name(tmp_path, monkeypatch):
    (tmp_path / "bank").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    assert ha.load("bank").spec.title == "a title"


def test_a_missing_file_of_ones_own_is_not_a_shipped_scenario(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=r"^mine\.toml: there is no such file$"):
        ha.load("mine.toml")
