"""Memories of pictures: letters, drawings and files as words, and their display."""

import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import hopattn as ha
from tests.refusal import refused
from tests.runs import result_of
from tests.texts import parsed

HEAD = 'schema = 1\ntitle = "t"\nsource = "ours"\nkind = "memory"\n'


def words(pictures, folder, names):
    """The words of a table of pictures, in a folder with files."""
    cues = ", ".join(f'"{name}"' for name in names)
    text = f'{HEAD}[memory]\npatterns = ["{names[0]}"]\n[input]\ntokens = [{cues}]\n[pictures]\n{pictures}\n'
    (folder / "file.toml").write_text(text, encoding="utf-8")
    inputs = ha.run(folder / "file.toml").arrays["input"]
    return dict(zip(inputs.labels[0], inputs.values, strict=True))


def test_letters_and_drawings_are_words_of_pixels_row_by_row(tmp_path):
    bar = 'drawn = { bar = ["#####", ".....", "#....", ".....", ".....", ".....", "....#"] }'
    vectors = words(f'letters = "AX"\n{bar}', tmp_path, ["A", "X", "bar"])
    black = [i for i, value in enumerate(vectors["bar"]) if value == 1]
    assert black == [0, 1, 2, 3, 4, 10, 34] and {*np.unique(np.stack([*vectors.values()]))} == {-1, 1}
    listed = words('letters = ["A", "X"]', tmp_path, ["A", "X"])
    assert all(np.array_equal(vectors[name], listed[name]) for name in "AX")
    state = result_of("letters").arrays["state"]
    assert (state.labels[1][0], state.labels[1][5], state.labels[1][-1]) == tuple(
        f"row {row}, column {column}" for row, column in ((1, 1), (2, 1), (7, 5))
    )
    unit = words(f'letters = "AX"\nmagnitude = "unit"\n{bar}', tmp_path, ["A", "bar"])
    np.testing.assert_allclose(unit["bar"], vectors["bar"] / 35**0.5, rtol=1e-15)


@pytest.mark.parametrize("name", ["letters", "graded", "spherical", "bam", "modern", "sparse-coding", "spurious"])
def test_a_strip_shows_the_steps_that_change_its_picture_and_says_where_they_end(name):
    for run in result_of(name).runs:
        for i, strip in enumerate(run.strips):
            row = {key: run.arrays[key].values[i] for key in ("trajectory", "steps", "recalls", "status")}
            steps = [0 if label == "cue" else int(label.split()[-1]) for label in strip.names if label != "answer"]
            assert strip.names[0] == "cue" and steps[:2] == [0, 1] and steps == sorted({*steps}) and len(steps) <= 10
            assert strip.names[-1].startswith("…") == (len(steps) == 10)
            black = 35**-0.5 if name == "spherical" else 1
            np.testing.assert_allclose(strip.pictures[: len(steps)], row["trajectory"][steps] / black, atol=1e-12)
            assert steps[-1] <= row["steps"]
            assert strip.heading.startswith(run.arrays["input"].labels[0][i])
            assert strip.sentence.startswith(f"recalls {row['recalls']}")
            assert re.search(rf"{row['steps']} steps?$", strip.sentence)
            assert (f" with it, {row['status']}" in strip.sentence) == ("answers" in run.arrays)


def test_a_strip_names_the_damage_of_its_cue():
    headings = [strip.heading for run in result_of("letters").runs[:1] for strip in run.strips]
    assert headings == [
        "half of R: R, left half hidden",
        "torn X: X, 5 of 35 neurons flipped",
        "white S: S, reversed",
    ]
    assert "recalls nothing (S reversed)" in result_of("letters").runs[0].strips[2].sentence
    changed = ha.run("letters", overrides={'cue."half of R".hide': "top"}).runs[0].strips[0]
    assert changed.heading == "half of R: R, top half hidden"


def test_a_recall_of_pictures_is_worked_out_without_its_many_numbers():
    (run, *_) = ha.run("letters", explain=True).runs
    assert run.shown == ("step 1 scores", "step 1 weights")
    assert any(
        re.fullmatch(r"  similarity to J: (\d+) pixels agree, (\d+) differ: \1 − \2 = \S+", line)
        for line in run.working
    )
    assert any(re.fullmatch(r"    [?█·]+", line) for line in run.working)
    ends = [line.partition(";")[0] for line in run.working if line.startswith("  after ")]
    assert ends == ["  after 2 steps, the same picture"] * 2 + ["  after 1 step"]
    assert not any("elements" in line for line in run.working)


def test_a_vocabulary_may_stand_beside_pictures():
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
    vectors = ha.run(parsed(HEAD + text)).arrays["input"]
    assert (vectors.values.tolist(), vectors.labels[1]) == ([[1, -1], [1, 1]], ("1", "2"))


def test_files_are_found_beside_the_scenario(tmp_path):
    Image.fromarray(np.array([[0, 255, 200]], dtype=np.uint8)).save(tmp_path / "cat.png")
    np.save(tmp_path / "many.npy", np.array([[1, -1, 1], [0.5, 0, 0]]))
    np.savez(tmp_path / "two.npz", a=np.ones(3), b=np.zeros((2, 1, 3)))
    (tmp_path / "table.csv").write_text("0,100,255\n")
    vectors = words(
        """[pictures.files]
cat = "cat.png"
grey = { file = "cat.png", grey = true }
many = "many.npy"
one = { file = "two.npz", array = "a" }
two = { file = "two.npz", array = "b" }
table = { file = "table.csv", black_above = 100 }""",
        tmp_path,
        ["cat", "grey", "many 1", "many 2", "one", "two 1", "two 2", "table"],
    )
    expected = [[1, -1, -1], [1, -1, 1 - 400 / 255], [1, -1, 1], [0.5, 0, 0], [1] * 3, [0] * 3, [0] * 3, [-1, -1, 1]]
    np.testing.assert_allclose(np.stack([*vectors.values()]), expected)


def test_a_size_says_what_an_array_is_and_resizes_images(tmp_path):
    np.save(tmp_path / "one.npy", np.eye(2))
    np.save(tmp_path / "flat.npy", np.arange(4.0))
    np.save(tmp_path / "cube.npy", np.zeros((2, 1, 4)))
    Image.new("L", (40, 60), 0).save(tmp_path / "large.png")
    pictures = 'size = [2, 2]\nfiles = { one = "one.npy", flat = "flat.npy", large = "large.png" }'
    vectors = words(pictures, tmp_path, ["one", "flat", "large"])
    assert [vector.tolist() for vector in vectors.values()] == [[1, 0, 0, 1], [0, 1, 2, 3], [1, 1, 1, 1]]
    assert words('files = { cube = "cube.npy" }', tmp_path, ["cube 1"])["cube 1"].shape == (4,)  # the first has a size


def png(shades):
    stream = io.BytesIO()
    Image.fromarray(np.asarray(shades)).save(stream, "PNG")
    return stream.getvalue()


def image(folder, data, more=""):
    (folder / "a.png").write_bytes(data)
    return words(f'{more}\nfiles = {{ a = {{ file = "a.png", grey = true }} }}', folder, ["a"])["a"]


def test_an_image_is_dark_where_it_is_black(tmp_path):
    shades = np.array([[0, 255, 51]], dtype=np.uint8)
    np.testing.assert_allclose(image(tmp_path, png(shades)), [1, -1, 0.6])
    np.testing.assert_allclose(image(tmp_path, png(shades.astype(np.uint16) * 257)), [1, -1, 0.6])  # 16 bits a pixel
    clear = np.array([[[0, 0, 0, 255], [0, 0, 0, 0]]], dtype=np.uint8)
    np.testing.assert_allclose(image(tmp_path, png(clear)), [1, -1])
    stretched = image(tmp_path, png(shades[:, :2]), "size = [4, 3]")
    np.testing.assert_allclose(stretched, [1, 1, -1, -1] * 3)


WHOLE = png(np.random.default_rng(0).integers(0, 255, (7, 5), dtype=np.uint8))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"text", "truncated"),
        (png(np.eye(40, dtype=np.uint8))[:60], "truncated"),
        (png(np.zeros((3000, 3000), dtype=np.uint8)), "9,000,000 pixels"),
        (WHOLE + bytes(100 * 2**20), "larger than 64 MiB"),
    ],
    ids=["text", "torn", "many pixels", "many bytes"],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path, data, message):
    refused(lambda: image(tmp_path, data), f"{tmp_path / 'file.toml'}:11: pictures.files.a: 'a.png'", message)


@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(tmp_path_factory, data):
    """For any wrong bytes, the result is an array of finite numbers or one message."""
    torn = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 3))):
        torn[data.draw(st.integers(0, len(torn) - 1))] = data.draw(st.integers(0, 255))
    try:
        result = image(tmp_path_factory.mktemp("pictures"), torn[: data.draw(st.integers(0, len(torn)))])
    except ha.InvalidInput as error:
        assert "\n" not in str(error)
    else:
        assert np.isfinite(result).all()
