"""Memories of pictures: letters, drawn pictures and files as words, their display, and refused tables."""

import numpy as np
import pytest
from PIL import Image

import hopattn as ha
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import parse
from hopattn.scenario.words.character_pictures import letters
from tests.each import each
from tests.refusal import assert_refused, problems
from tests.runs import result_of

LETTERS = """schema = 1
title = "t"
source = "ours"
kind = "memory"
[pictures]
letters = "AX"
[pictures.drawn]
bar = ["#####", "#####", "#####", ".....", ".....", ".....", "....."]
[memory]
patterns = ["A", "X", "bar"]
separation = "identity"
activation = "sign"
[cue."half an A"]
of = "A"
hide = "left"
[[expect]]
at = "half an A"
recalls = "A"
status = "converged"
energy = "falls"
[[expect]]
at = "half an A"
nearest = "A"
"""


def run(text, **options):
    return ha.run(parse(text, "file.toml", "file"), **options)


def words(pictures, tmp_path, names):
    """The words of a table of pictures, in a folder with files."""
    cues = ", ".join(f'"{name}"' for name in names)
    text = f'{HEAD}[memory]\npatterns = ["{names[0]}"]\n[input]\ntokens = [{cues}]\n[pictures]\n{pictures}\n'
    inputs = ha.run(parse(text, str(tmp_path / "file.toml"), "file")).arrays["input"]
    return dict(zip(inputs.labels[0], inputs.values, strict=True))


HEAD = LETTERS[: LETTERS.index("[pictures]")]


def test_expectations_of_pictures_are_met():
    assert run(LETTERS).ok
    state = run(LETTERS).arrays["state"]
    np.testing.assert_array_equal(state.values[0], letters()["A"])
    assert state.labels[1][5] == "row 2, column 1"


def test_letters_are_named_in_a_text_or_a_list():
    assert run(LETTERS).to_json() == run(LETTERS.replace('"AX"', '["A", "X"]')).to_json()


def test_the_trajectory_of_a_cue_is_kept_and_shown():
    (only,) = run(LETTERS, explain=True).runs
    trajectory = only.arrays["trajectory"].values[0]
    np.testing.assert_array_equal(trajectory[0], only.arrays["input"].values[0])
    np.testing.assert_array_equal(trajectory[-1], only.arrays["state"].values[0])
    assert only.shown == ("step 1 scores", "step 1 weights")
    (strip,) = only.strips
    assert strip.heading == "half an A: A, left half hidden"
    assert strip.names == ("cue", "step 1")
    assert strip.sentence == "recalls A, converged after 2 steps"
    assert "  similarity to A: 21 pixels agree, 0 differ: 21 − 0 = 21" in only.working
    assert "    ????████··" in only.working
    assert not any("elements" in line for line in only.working)


def test_a_long_trajectory_is_cut_and_equal_pictures_are_left_out():
    grey = result_of("graded").runs[1].strips[0]
    assert len(grey.names) == 10
    assert grey.names[:2] == ("cue", "step 1")
    gap, _, last = grey.names[-1].split()
    assert gap == "…"
    assert int(last) > 10
    clean = result_of("modern").runs[0].strips[0]
    assert clean.names == ("cue", "step 1", "step 2")


def test_black_is_black_at_unit_magnitude_too():
    strip = result_of("spherical").runs[0].strips[0]
    assert np.abs(strip.pictures[0]).max() == pytest.approx(1)


def test_a_vocabulary_may_stand_beside_pictures(tmp_path):
    text = """[vocabulary]
axes = ["1", "2"]
magnitude = "free"
words = { up = [1, 1] }
[pictures.drawn]
left = ["#."]
[memory]
patterns = ["up", "left"]
[input]
tokens = ["left", "up"]
"""
    assert run(HEAD + text).arrays["input"].values.tolist() == [[1, -1], [1, 1]]
    assert run(HEAD + text).arrays["input"].labels[1] == ("1", "2")
    assert_refused(HEAD + text.replace('"#."', '"#.."'), "6: vocabulary.axes: 2 axes do not fit the 3 pixels of")
    assert_refused(HEAD + text.replace("up = ", "left = "), "8: vocabulary.words.left: 'left' is a picture already")


def test_files_are_found_beside_the_scenario(tmp_path):
    Image.fromarray(np.array([[0, 255, 200]], dtype=np.uint8)).save(tmp_path / "cat.png")
    np.save(tmp_path / "many.npy", np.array([[1, -1, 1], [0.5, 0, 0]]))
    np.savez(tmp_path / "two.npz", a=np.ones(3), b=np.zeros((2, 1, 3)))
    (tmp_path / "table.csv").write_text("0,100,255\n")
    found = words(
        """[pictures.files]
cat = "cat.png"
grey = { file = "cat.png", grey = true }
many = "many.npy"
one = { file = "two.npz", array = "a" }
two = { file = "two.npz", array = "b" }
table = { file = "table.csv", black_above = 99 }""",
        tmp_path,
        ["cat", "grey", "many 1", "many 2", "one", "two 1", "two 2", "table"],
    )
    assert found["cat"].tolist() == [1, -1, -1]
    np.testing.assert_allclose(found["grey"], [1, -1, 1 - 400 / 255])
    assert found["many 2"].tolist() == [0.5, 0, 0]
    assert found["two 2"].tolist() == [0, 0, 0]
    assert found["table"].tolist() == [-1, 1, 1]


def test_a_size_says_what_an_array_is_and_resizes_images(tmp_path):
    np.save(tmp_path / "one.npy", np.eye(2))
    np.save(tmp_path / "flat.npy", np.arange(4.0))
    Image.new("L", (40, 60), 0).save(tmp_path / "large.png")
    pictures = 'size = [2, 2]\nfiles = { one = "one.npy", flat = "flat.npy", large = "large.png" }'
    found = words(pictures, tmp_path, ["one", "flat", "large"])
    assert [vector.tolist() for vector in found.values()] == [[1, 0, 0, 1], [0, 1, 2, 3], [1, 1, 1, 1]]


def test_the_first_picture_gives_the_size(tmp_path):
    np.save(tmp_path / "cube.npy", np.zeros((2, 1, 4)))
    assert words('files = { cube = "cube.npy" }', tmp_path, ["cube 1"])["cube 1"].shape == (4,)


@each(
    ("old", "new", "message"),
    [
        ('letters = "AX"', 'letters = "AXa"', "6: pictures.letters: 'a' is unknown; did you mean 'A'? (choices: 0, 1"),
        ('letters = "AX"', 'letters = ["AX"]', "6: pictures.letters: 'AX' is unknown"),
        ('letters = "AX"', 'letters = "AXA"', "6: pictures.letters: 'A' is given 2 times"),
        ('letters = "AX"', 'letters = ""', "6: pictures.letters: is empty"),
        ('letters = "AX"', "letters = 3", "6: pictures.letters: got 3; expected a text or an array"),
        ('letters = "AX"', 'leters = "AX"', "6: pictures.leters: 'leters' is unknown; did you mean 'letters'?"),
        (
            'letters = "AX"',
            'letters = "AX"\nsize = [5]',
            "7: pictures.size: got 1 numbers; expected [colu",
        ),
        ('letters = "AX"', 'letters = "AX"\nsize = [9999, 9999]', "7: pictures.size: asks for more than 8,388,608 p"),
        ('letters = "AX"', 'letters = "AX"\nsize = [5, 0]', "7: pictures.size.2: got 0; expected at least 1"),
        ('letters = "AX"', 'letters = "AX"\nsize = [5, 6]', "6: pictures.letters: are 5 × 7 pixels, the other pictu"),
        ('["#####", ', '["##x##", ', "8: pictures.drawn.bar.1: got 'x'; expected '#' (black) or '.' (white)"),
        ('["#####", ', '["####", ', "8: pictures.drawn.bar.2: has 5 pixels; the first row has 4"),
        ('["#####", ', "[", "8: pictures.drawn.bar: is 5 × 6 pixels (columns × rows), the other pictures are 5 × 7"),
        ("bar = [", "A = [", "8: pictures.drawn.A: 'A' is another picture already; give this one another name"),
        (
            'patterns = ["A"',
            'patterns = ["Y"',
            "10: memory.patterns.1: 'Y' is unknown; it comes with hopattn: write it in the",
        ),
        ('patterns = ["A"', 'patterns = ["y"', "10: memory.patterns.1: 'y' is unknown (choices: A, X, bar)"),
        ('at = "half an A"', 'at = "half a A"', "17: expect.1.at: 'half a A' is unknown; did you mean 'half an A'?"),
    ],
)
def test_faults_of_pictures(old, new, message):
    assert_refused(LETTERS.replace(old, new, 1), message)


def test_without_words_there_is_nothing_to_store():
    text = f'{HEAD}[memory]\npatterns = ["A"]\n[input]\ntokens = ["A"]\n'
    assert problems(text) == ["file.toml:1: needs [vocabulary] or [pictures]: nothing says which words there are"]
    assert problems(f"{text}[pictures]\n") == ["file.toml:9: pictures: holds no picture; give letters, drawn or files"]


@each(
    ("entry", "message"),
    [
        ('"ct.png"', "pictures.files.cat: there is no file 'ct.png' in '"),
        ('"cat.gif"', "pictures.files.cat: 'cat.gif' does not end in .png, .npy, .npz, .csv"),
        (
            '"cat.png"',
            "pictures.files.cat: is 3 × 1 pixels (columns × rows), the other pictures are 5 × 7; size =",
        ),
        ('"a.csv"', "pictures.files.cat: holds 1 × 2 numbers; pictures of 5 × 7 pixels need rows of 35 numbers, or 7"),
        ('{ file = "cat.png", black_above = 3 }', "pictures.files.cat.black_above: is for arrays and tables"),
        ('{ file = "a.csv", grey = true }', "pictures.files.cat.grey: is for images"),
        ('{ file = "a.csv", array = "x" }', "pictures.files.cat.array: is for .npz files; a .csv holds one array"),
        ('{ fiel = "a.csv" }', "pictures.files.cat.fiel: 'fiel' is unknown; did you mean 'file'?"),
    ],
)
def test_faults_of_picture_files(tmp_path, monkeypatch, entry, message):
    monkeypatch.chdir(tmp_path)
    Image.new("L", (3, 1)).save("cat.png")
    (tmp_path / "a.csv").write_text("1,2")
    assert_refused(LETTERS.replace("[memory]", f"[pictures.files]\ncat = {entry}\n[memory]"), f"10: {message}")


def test_a_table_of_numbers_needs_a_size(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("1,2")
    text = f'{HEAD}[pictures]\nfiles = {{ a = "a.csv" }}\n[memory]\npatterns = ["a"]\n[input]\ntokens = ["a"]\n'
    assert_refused(text, "5: pictures: needs size = [columns, rows], since no file gives it")


def test_a_variant_may_change_a_cue_and_the_pictures():
    text = LETTERS + '[[variant]]\nname = "v"\nset = { "pictures.letters" = "AXY", "cue.half an A.hide" = "top" }\n'
    assert_refused(text, "26: variant.1.set: 'cue.half an A.hide' is not a path")
    text = text.replace("cue.half an A.hide", "cue.'half an A'.hide")
    base, other = run(text).runs
    assert base.strips[0].heading != other.strips[0].heading == "half an A: A, top half hidden"


@pytest.mark.parametrize("separation", ["identity", "softmax"])
def test_every_stored_letter_is_recalled_from_half_of_it_by_softmax(separation):
    """And 36 letters are far too many for the Hebb rule."""
    names = list(letters())
    parts = "".join(f'[cue."top {name}"]\nof = "{name}"\nhide = 0.2\n' for name in names)
    text = f'{HEAD}[pictures]\nletters = {names}\n[memory]\npatterns = {names}\nactivation = "sign"\n{parts}'
    result = run(text, overrides={"memory.separation": separation})
    right = np.mean(result.arrays["recalls"].values == np.array(names))
    assert right > 0.9 if separation == "softmax" else right < 0.2


def test_the_shipped_letters_are_seen():
    assert "letters" in shipped()
    assert all(strip.pictures.shape[1] == 35 for run in result_of("letters").runs for strip in run.strips)
