"""Files of arrays: each is read as the library of its format reads it, or refused with what was found and expected."""

import io
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors import SafetensorError
from safetensors.numpy import load, save, save_file

import hopattn as ha
from hopattn.foundation.array_files import (
    MAX_NUMBERS,
    arrays_of,
    described,
    names_in,
    numbers,
    numbers_below,
    vectors_in,
)
from tests.array_bytes import DATA, GOOD, entry, lying, mutated, npy, npz, refusal, safetensors
from tests.refusal import refused

ROWS = np.random.default_rng(0).normal(size=(5, 3))
rectangles = arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.floats(-9, 9, width=32))


def saved(array, version=(1, 0)):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version)
    return stream.getvalue()


def zipped(**named):
    stream = io.BytesIO()
    np.savez_compressed(stream, **named)
    return stream.getvalue()


def written(folder, ending, array=ROWS):
    path = folder / f"keys{ending}"
    path.write_bytes(saved(array) if ending == ".npy" else save({"keys": array}, {"made": "by hand"}))
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("arrays")


@pytest.mark.parametrize("ending", [".npy", ".safetensors"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_a_file_gives_the_array_that_was_written_and_a_memory_its_rows(tmp_path, ending, dtype):
    rows, cue = ROWS.astype(dtype), np.array([0.3, -0.2, 1.0], dtype)
    path = written(tmp_path, ending, rows)
    found = ha.load(path)
    assert isinstance(found, np.memmap) and not found.flags.writeable
    assert found.dtype == dtype and np.array_equal(found, rows)
    for keys in (path, str(path), found):
        memory = ha.Memory(keys, beta=2)
        assert memory.keys.base is not None  # nothing was copied
        assert np.array_equal(memory.step(cue), ha.Memory(rows, beta=2).step(cue))
    assert np.array_equal(ha.Memory(path, path, beta=2).step(cue), ha.Memory(rows, rows, beta=2).step(cue))


@given(rectangles)
def test_every_format_gives_the_same_numbers(place, table):
    (place / "a.npy").write_bytes(saved(table))
    (place / "b.npy").write_bytes(saved(np.asfortranarray(table)))
    (place / "c.npz").write_bytes(zipped(x=table))
    (place / "d.csv").write_text("\n".join(",".join(map(repr, row)) for row in table.tolist()))
    (place / "e.safetensors").write_bytes(save({"x": table}))
    one_column = table.shape[1] == 1 < len(table)
    for name in ("a.npy", "b.npy", "c.npz", *["d.csv"] * (not one_column), "e.safetensors"):
        np.testing.assert_array_equal(numbers(place / name), table)
        np.testing.assert_array_equal(ha.Memory(place / name).keys, table)


@pytest.mark.parametrize("dtype", ["<f8", ">f4", "<f2", "|i1", ">i8", "<u4", "|b1"])
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_npy_file_of_any_version_gives_its_numbers(place, dtype, version, order):
    array = np.asarray(np.arange(12).reshape(2, 3, 2), dtype=dtype, order=order)
    (place / "a.npy").write_bytes(saved(array, version))
    assert np.array_equal(numbers(place / "a.npy"), array)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"])
def test_a_safetensors_file_gives_what_its_library_wrote(place, dtype):
    named = {"b": np.arange(6, dtype=dtype).reshape(2, 3), "a": np.ones(1, dtype), "none": np.ones((0, 2), dtype)}
    file = place / "a.safetensors"
    file.write_bytes(save(named, {"made": "by a test"}))
    assert sorted(names_in(file)) == ["a", "b", "none"]
    assert all(np.array_equal(numbers(file, name), named[name]) for name in ("a", "b"))


def test_bfloat16_is_widened_exactly(place, torch):
    """All 65,536 numbers of bfloat16 are those that PyTorch makes of them, also of some rows alone."""
    from safetensors.torch import save_file as save_torch

    bits = np.arange(2**16, dtype=np.uint16).reshape(256, 256)
    halves, path = torch.tensor(bits.view(np.int16)).view(torch.bfloat16), place / "halves.safetensors"
    save_torch({"keys": halves}, path)
    found = ha.load(path)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, halves.to(torch.float32).numpy())  # NaN counts as NaN
    assert np.array_equal(found.view(np.uint32) >> 16, bits)  # and nothing of it is lost


def test_the_names_of_a_file_choose_its_array(tmp_path):
    named = {"q": np.eye(2), "a.x": np.eye(3), "a.y": np.ones(4), "b": np.array([[1.0, np.nan]])}
    for file in (tmp_path / "m.npz", tmp_path / "m.safetensors"):
        np.savez(file, **named) if file.suffix == ".npz" else save_file(named, file)
        assert sorted(names_in(file)) == sorted(named)
        assert np.array_equal(numbers(file, "q"), np.eye(2))  # what is not asked for may be anything
        below = numbers_below(file, "a.", 2, 13)
        assert sorted(below) == ["a.x", "a.y"] and all(np.array_equal(below[name], named[name]) for name in below)
        assert described(file, "b").shape == (1, 2)  # of which the numbers are not read
        where = f"'{file.name}'"
        refused(lambda f=file: described(f, "b").read(), f"{where}: 'b'", "nan", "1, 2")
        refused(lambda f=file: numbers(f), where, "4 arrays", "`array`", "a.x")
        refused(lambda f=file: numbers(f, "a.z"), where, "'a.z'", "'a.y'")
        refused(lambda f=file: numbers_below(f, "a.", 2, 12), where, "2 arrays", "13 numbers", "at most 12")
        refused(lambda f=file: numbers_below(f, "", 1, 99), where, "expected 1 to 1 axes")
        refused(lambda f=file: ha.Memory(f), where, "4 arrays", file.suffix[1:3])
    np.savez(tmp_path / "m.npz", q=np.eye(2), words=np.array("one text"))
    assert str(arrays_of(tmp_path / "m.npz")["words"]) == "one text"
    assert np.array_equal(ha.load(tmp_path / "m.safetensors", name="a.x"), np.eye(3))
    refused(lambda: ha.load(tmp_path / "m.safetensors"), "'m.safetensors'", 'name="a.x"', "4 arrays")
    refused(lambda: ha.load(written(tmp_path, ".npy"), name="keys"), "'keys.npy'", "without a name", "'keys'")


def test_what_is_no_file_of_numbers_is_refused(tmp_path):
    written(tmp_path, ".npy")
    np.save(tmp_path / "broken.npy", np.where(ROWS > 1e9, 0, np.nan))
    with (tmp_path / "archive.npy").open("wb") as stream:
        np.savez(stream, keys=ROWS)
    for name, place, *words in (
        ("kes.npy", "there is no file 'kes.npy'", "'keys.npy'"),
        ("nowhere/keys.npy", "there is no folder"),
        ("", str(tmp_path), "is a folder without config.json"),
        ("archive.npy", "'archive.npy'", "is truncated"),
    ):
        refused(lambda name=name: ha.load(tmp_path / name), place, *words)
    refused(lambda: ha.Memory(tmp_path / "broken.npy"), "'broken.npy': keys: row 1", "NaN")
    refused(lambda: numbers(tmp_path / "cat.csv"), "there is no file 'cat.csv'")
    (tmp_path / "keys.csv").write_text("1,2")
    refused(lambda: numbers(tmp_path / "keys.csv", "x"), "'keys.csv'", "without a name", "'x'")


def shaped(shape):
    return npy(GOOD.replace("(2, 3)", shape))


def kind(text):
    return npy(GOOD.replace("'<f8'", text))


NONE = "is not a .npy array, or is truncated: it begins with"
NPY = [
    *((shaped(shape), NONE) for shape in (
        "(True, True)", "(" + 9000 * "-" + "2, 3)", "(-2, -3)", "(2.0, 3)", "(٢, 3)", "(6)", "[2, 3]",
        "(2, 3) + (1,)", "(" * 5000 + ")" * 4000)),
    (shaped("(1_0, 3)"), "promises 30 numbers"),
    (shaped("(2, 3" + 3000 * ", 3" + ")"), "3002 axes", "at most 32"),
    (shaped("(2, 4)"), "promises 8 numbers, which take 64 bytes, and 48 bytes"),
    *((shaped(shape), f"shape {shape}", "larger than any file") for shape in (f"({2**62}, 3)", f"({10**40}, 3)")),
    (shaped(f"({2**62}, {2**62}, 0)"), "larger than any file"),
    (shaped("(0, 3)"), "promises 0 numbers"),
    (kind("'|O'"), "Python objects", "never loaded"),
    *((kind(text), f"holds {words}", "numbers") for text, words in (
        ("'<c8'", "complex64"), ("'<U2'", "<U2"), ("'<M8[ns]'", "datetime64[ns]"), ("'(2,)<f4'", "('<f4', (2,))"),
        ("[('a', '<f4'), ('b', '<f4')]", "[('a', '<f4'), ('b', '<f4')]"))),
    *((kind(text), NONE) for text in ("'<f3'", f"'{5000 * 'f'}'")),
    (npy(GOOD.replace("}", "'descr': '<f4'}")), "which take 24 bytes, and 48"),
    *((npy(GOOD.replace(*pair)), NONE) for pair in (("False", "0"), ("'shape'", "'descr'"), ("}", "'more': 1}"))),
    (npy("{}"), r"it begins with b'\x93NUMPY\x01\x00\x02\x00{}\x00"),
    *((npy(header), NONE) for header in ("__import__('os').system('true')", b"\xff\xfe\x1b[31m", GOOD + 10_000 * " ")),
    *((npy(version=version), NONE) for version in ((4, 0), (1, 1))),
    *((saved(ROWS)[:left], "truncated") for left in (0, 7, 20, 60, 120, -1)),
    (npy(magic=b"PK\x03\x04\x00\x00"), "expected a header such as {'descr': '<f8', 'fortran_order': False, 'shape'"),
]  # fmt: skip
A, DAMAGED = "'a'", "is not a .safetensors file, or is truncated: "
HALF = '"dtype": "F64", "shape": [3], "data_offsets": '


def of(text="", /, **changes):
    return safetensors({"a": {**entry(), **changes}, **({text: entry()} if text else {})})


SAFETENSORS = [
    *((data, DAMAGED, "invalid offset for tensor") for data in (
        of("b"), safetensors({"a": entry((3,), 0, 24), "b": entry((4,), 16, 48)}))),
    *((data, DAMAGED, "invalid offset for tensor") for data in (
        safetensors({"a": entry((5,), 8, 48)}), of(data_offsets=[48, 0]),
        safetensors(f'{{"a": {{{HALF}[0, 24]}}, "a": {{{HALF}[24, 48]}}}}'))),
    *((data, DAMAGED, "file not fully covered") for data in (
        safetensors({"a": entry((5,), 0, 40)}), safetensors({"a": entry((7,), 0, 56)}))),
    (of(shape=[2, 4]), DAMAGED, "invalid shape, data type, or offset"),
    *((of(data_offsets=ends), DAMAGED, "expected usize", 'begins with {"a": {"dtype": "F64"') for ends in (
        [-8, 40], [0, 48.0], [False, 48], [0, 2**64])),
    *((of(shape=shape), DAMAGED, "expected ") for shape in ([True, 6], [-2, -3], ["2", 3], 6)),
    (of(shape=[2**62, 3]), DAMAGED, "overflow"),
    (safetensors({"a": entry((1,) * 40, 0, 8)}, bytes(8)), A, "40 axes", "at most 32"),
    (of(dtype="F63"), DAMAGED, "`F63`, expected one of `BOOL`"),
    *((data, DAMAGED, "expected ") for data in (of(dtype=["F64"]), safetensors({"a": 3}))),
    (safetensors('{"a": {"dtype": "F64", "dtype": "F32"}}'), DAMAGED, "duplicate field `dtype`"),
    *((safetensors({"__metadata__": about, "a": entry()}), DAMAGED, "expected a ") for about in ({"a": 1}, [])),
    (safetensors([]), DAMAGED, "begins with []"),
    *((safetensors(text), DAMAGED, f"begins with {text[:5]}") for text in (
        "", '{"a":', '{"a":' * 50_000, '{"a": ' + "9" * 9000 + "}")),
    (of()[:7], DAMAGED, "header too small"),
    (safetensors({"a": entry()}, length=2**63), DAMAGED, "9,223,372,036,854,775,808 bytes"),
    (safetensors({}, b""), "no array"),
    *((safetensors({"a": entry((48,), dtype=dtype)}), A, dtype, "F32, F16 or BF16") for dtype in
      ("F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ")),
    *((save({"a": ROWS})[:left], "truncated") for left in (0, 7, 20, 60, 120, -1)),
]  # fmt: skip
STORED, PACKED = npz(("q.npy", npy())), npz(("q.npy", npy()), compression=zipfile.ZIP_DEFLATED)
SHORT, Q = npy(GOOD.replace("2, 3", "100, 100")), "'a.npz': 'q'"
LZMA = npz(("q.npy", npy()), compression=zipfile.ZIP_LZMA)
DAMAGED_LZMA = [LZMA[:at] + b"\xff" + LZMA[at + 1 :] for at in (LZMA.index(b"q.npy") + 9, LZMA.index(b"q.npy") + 15)]
NPZ = [
    *((data, "not a .npz archive, or is truncated") for data in (
        b"", STORED[:-30], STORED.replace(DATA, DATA[::-1]),
        npz(("q.npy", npy(GOOD.replace("2, 3", "2, 3000"), bytes(48000))), compression=zipfile.ZIP_DEFLATED)[:-60])),
    *((npz(("q.npy", npy(data=data))), Q, "promises 6 numbers") for data in (DATA[:-8], DATA + b"0")),
    (lying(PACKED, "unpacked", 2**31), Q, "promises 6 numbers"),
    (lying(npz(("q.npy", SHORT), compression=zipfile.ZIP_DEFLATED), "unpacked", len(SHORT) - len(DATA) + 80_000),
     Q, "is not a .npz archive, or is truncated"),  # the header promises 10,000 numbers, and the packed bytes hold 6
    (npz(("q.npy", "text")), Q, "is not a .npy array", "b'text'"),
    (npz(("q.npy", npy(GOOD.replace("<f8", "|O")))), Q, "Python objects", "never loaded"),
    (npz(("q.txt", "text")), "no array"),
    *((damaged, "is not a .npz archive, or is truncated") for damaged in DAMAGED_LZMA),
    (npz(*((f"{i:065000}", "") for i in range(70))), "directory has 4,553,220 bytes"),
    (zipped(a=np.zeros(10_000_000, np.int8)), "'a'", "10,000,000 numbers", "8,388,608"),  # packed into kilobytes
]  # fmt: skip
NUMBERS = [
    (saved(np.array([[1, np.inf]])), "inf is at 1, 2"),
    *((saved(np.zeros(shape)), f"shape {shape}", "1 to 3 axes") for shape in ((), (0, 3), (1, 1, 1, 1))),
]
EVERY = [("a.npy", *row) for row in NPY + NUMBERS] + [("a.safetensors", *row) for row in SAFETENSORS]
EVERY += [("a.npz", *row) for row in NPZ]


@pytest.mark.parametrize("row", range(len(EVERY)))
def test_a_file_that_is_none_is_refused_with_what_was_found(place, row):
    name, data, *words = EVERY[row]
    message = refusal(place / name, data, numbers)
    assert all(word in message for word in words), message
    if name != "a.npz" and EVERY[row][1:] not in NUMBERS:
        message = refusal(place / name, data, ha.load)
        assert all(word in message for word in words), message


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name_are_refused_and_one_that_is_read_beside_others_is_read(place):
    twice = npz(("q.npy", npy()), ("k.npy", npy()), ("q.npy", npy(data=bytes(48))))
    for read in (numbers, ha.load):
        assert refusal(place / "a.npz", twice, read) == "'a.npz' holds two arrays called 'q'; expected one"
    (place / "a.safetensors").write_bytes(
        safetensors({"a": entry((48,), dtype="F8_E4M3"), "b": entry((6,), 48, 96)}, bytes(48) + DATA)
    )
    assert np.array_equal(ha.load(place / "a.safetensors", name="b"), np.arange(6.0))
    (place / "a.npy").write_bytes(npy('{"shape": (2L, 3L), "fortran_order": False, "descr": "<f8"}'))
    assert np.array_equal(numbers(place / "a.npy"), np.arange(6.0).reshape(2, 3))  # as Python 2 wrote it


def by_library(file):
    """All arrays of a file by name, as the library of its format reads them; raises what that raises."""
    if file.suffix == ".safetensors":
        return load(file.read_bytes())
    if file.suffix == ".npy":
        return {"": np.load(file, allow_pickle=False)}
    with np.lib.npyio.NpzFile(file.open("rb"), own_fid=True) as arrays:  # np.load knows no archive with bytes before it
        return {name: arrays[name] for name in arrays.files}


def by_hopattn(file):
    if file.suffix == ".npz":
        return arrays_of(file)
    return {"": ha.load(file)} if file.suffix == ".npy" else {name: ha.load(file, name=name) for name in names_in(file)}


TWO = safetensors({"a": entry((3,), 0, 24), "b": entry((3,), 24, 48)})
GOOD_FILES = [("m.npy", npy()), ("m.npz", STORED), ("m.npz", PACKED), ("m.safetensors", TWO)]


@given(data=st.data())
@pytest.mark.parametrize(("name", "good"), GOOD_FILES)
def test_what_is_read_of_a_damaged_file_is_what_its_library_reads(place, name, good, data):
    file = place / name
    file.write_bytes(mutated(data.draw, good))
    try:
        found = by_hopattn(file)
    except ha.InvalidInput as error:
        assert str(error).startswith(f"'{name}'")
        return
    if not found:  # to zipfile a name that begins with a zero byte is empty
        return
    try:
        wanted = by_library(file)
    except (SafetensorError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise AssertionError("what the library of the format refuses is refused") from error
    assert sorted(found) == sorted(wanted)
    for key, array in found.items():
        assert array.dtype == wanted[key].dtype
        np.testing.assert_array_equal(array, wanted[key])


TABLES = [
    ("1,2\n3,x", "line 2, column 2", "'x'", "-0.5 or 3e-2"),
    ("1,2\n3,", "line 2, column 2", "''"),
    ("1;0,5\n2;3", "line 1, column 2", "'0,5'", "semicolons", "a point, not a comma"),
    ('"1","2"\n"3","4"', "line 1, column 1", "'\"1\"'", "commas between them; leave out what is not a number"),
    ("1,2 # note\n3,4", "line 1, column 2", "'2 # note'", "leave out what is not a number"),
    ("1e+30|2e+30\n1|2", "line 1, column 1", "'1e+30|2e+30'", "spaces between them"),
    ("1,2,\n3,4,", "line 1, column 3", "''", "no line ends with a separator"),
    (",1,2\n,3,4", "line 1, column 1", "''", "-0.5 or 3e-2"),
    *(
        (text.encode(code), "line 1: is not UTF-8 text", "'CSV UTF-8'")
        for text in ("1,2\n3,4\n", "a b\n1 2")
        for code in ("utf-16", "utf-16-le", "utf-16-be", "utf-32")
    ),
    (b"PK\x03\x04\x14\x00", "line 1: is not UTF-8 text"),
    ("word,2\n1,2", "line 1, column 1", "'word'", "names"),
    ("one,two\n1,2", "line 1", "the heading 'one,two'", "header=False"),
    (",0,1\n0,1,-1", "line 1", "the heading ',0,1'", "index=False"),
    ("# x y\n1 2", "line 1", "the heading '# x y'"),
    ("0,1,2\n1,-1,1\n-1,1,1", "line 1: is 0, 1, 2", "header=False", "0.0"),
    ("0;1;2;3;4\n1;0;0;1;1", "line 1: is 0, 1, 2 …", "header=False"),
    ("0 1\n1 -1\n-1 1", "line 1: is 0, 1", "header=False"),
    ("0,1,-1\n1,-1,1\n2,1,1", "its first column is 0, 1, 2", "index=False"),
    ("1\n-1\n1\n", "one number in each of 3 lines", "the 3 numbers of a pattern in one line"),
    ("\n1,2\n3,4\n5", "line 4", "1 number;", "expected 2", "line 2"),
    ("1\t2\n1\t\t2", "line 2, column 2", "''", "tabs"),
    ("1\nnan", "line 2, column 1", "'nan'"),
    ("1,1e999", "line 1, column 2", "'1e999'", "finite"),
    ("1,1_0", "line 1, column 2", "'1_0'"),
    ("1,2\n3,٣", "line 2, column 2", "'٣'"),
    ('"1"', "line 1, column 1", "'\"1\"'"),
    ("\x1b[31m", "line 1, column 1", r"'\x1b[31m'"),
    ("1,2\n" + 5_000_000 * "9", "line 2, column 1", f"'{59 * '9'}…'", "finite"),
    (b"1\n\xff", "line 2", "UTF-8"),
    ("\n", "no numbers", "rows of numbers"),
    *(((2**23 + 1) * mark, "more than 8,388,608 numbers") for mark in (",", "1;", "1\t", "1\n", "1 ")),
]


@pytest.mark.parametrize(("text", "words"), [(text, words) for text, *words in TABLES])
def test_a_cell_that_is_not_a_number_is_named_by_line_and_column(place, text, words):
    data = text if isinstance(text, bytes) else text.encode()
    message = refusal(place / "a.csv", data, numbers)
    assert all(word in message for word in words), message


def test_as_many_numbers_as_the_limit_are_read_and_no_more(place):
    (place / "a.npz").write_bytes(zipped(a=np.zeros(2**23, np.int8)))
    assert numbers(place / "a.npz").shape == (2**23,)
    message = refusal(place / "a.npz", zipped(a=np.zeros(2**23 + 1, np.int8)), numbers)
    assert "8,388,609 numbers; at most 8,388,608" in message


def test_spaces_signs_and_points_are_read(place):
    (place / "a.csv").write_text("\ufeff +1 ,\t-2.\r\n \n.5,3e-2\r\n\n", encoding="utf-8")
    assert numbers(place / "a.csv").tolist() == [[1, -2], [0.5, 0.03]]
    (place / "a.csv").write_text("−1,5\n1,−0.5\n", encoding="utf-8")  # as programs set a minus sign
    assert numbers(place / "a.csv").tolist() == [[-1, 5], [1, -0.5]]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt"])
@pytest.mark.parametrize("mark", [",", ";", "\t", " ", " , ", " ; ", "   "])
def test_commas_semicolons_tabs_and_spaces_stand_between_numbers(place, mark, ending):
    rows = [[1, -0.5, 0.25], [0, 1, 2]]
    file = place / f"a{ending}"
    file.write_text("".join(mark.join(map(str, row)) + "\n" for row in rows))
    assert numbers(file).tolist() == rows
    np.savetxt(file, rows, delimiter=mark)
    assert numbers(file).tolist() == rows


def test_rows_of_0_and_1_and_numbers_with_points_are_no_heading(place):
    for text in ("0,1\n1,0\n1,1", "0.0,1.0,2.0\n1,1,1", "0,1,2", "0,0\n1,1\n2,1.5"[:7]):
        (place / "a.csv").write_text(text)
        assert numbers(place / "a.csv").tolist() == [[float(x) for x in row.split(",")] for row in text.split("\n")]


def test_a_table_takes_memory_in_proportion_to_its_numbers(place):
    file = place / "wide.csv"
    for rows, columns in ((10, 784), (2, 50_000), (50_000, 2)):
        file.write_text((",".join(["0.5"] * columns) + "\n") * rows)
        tracemalloc.start()
        assert numbers(file).shape == (rows, columns)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 100 * rows * columns + 2**20


@given(st.text(alphabet="0123456789+-.eE_ infa٣,\n", min_size=1, max_size=12))
def test_a_table_is_read_exactly_if_each_cell_is_a_number_of_ascii_digits(place, text):
    (place / "f.csv").write_text(text)
    mark = "," if "," in text else None  # else spaces stand between the numbers
    rows = [[cell.strip() for cell in line.split(mark)] for line in text.split("\n") if line.strip()]
    try:
        if not text.isascii() or set(text) & set("_inf") - set("e") or len({len(row) for row in rows}) != 1:
            raise ValueError
        if mark is None and len(rows) > 1 and len(rows[0]) == 1:  # one number a line
            raise ValueError
        sides = rows[0], [row[0] for row in rows]
        if len(rows) > 1 and any(cells == list("0123456789")[: len(cells)] for cells in sides):
            return
        wanted = [[float(cell) for cell in row] for row in rows]
    except ValueError:
        with pytest.raises(ha.InvalidInput):
            numbers(place / "f.csv")
    else:
        if np.isfinite(wanted).all():
            assert numbers(place / "f.csv").tolist() == wanted


def test_keys_are_mapped_however_many_they_are(tmp_path):
    shape = 3 * MAX_NUMBERS // 8, 2, 4
    np.lib.format.open_memmap(tmp_path / "keys.npy", "w+", "float16", shape)[1] = np.arange(8).reshape(2, 4)
    with pytest.raises(ha.InvalidInput, match="at most"):
        numbers(tmp_path / "keys.npy")
    keys = vectors_in(tmp_path / "keys.npy")
    assert isinstance(keys, np.memmap) and keys.shape == (shape[0], 8) and keys[1].tolist() == list(range(8))


@pytest.mark.parametrize("read", [vectors_in, arrays_of, lambda file: numbers_below(file, "a", 3, 10**6)])
def test_many_arrays_of_an_archive_are_read_from_few_openings_of_it(tmp_path, monkeypatch, read):
    np.savez(tmp_path / "m.npz", **{f"a{i}": np.ones(2) for i in range(40)})
    openings, opening = [], zipfile.ZipFile.__init__
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda own, *given: openings.append(own) or opening(own, *given))
    assert len(read(tmp_path / "m.npz")) == 40
    assert len(openings) <= 3


def test_a_long_run_of_digits_is_looked_at_once(tmp_path):
    (tmp_path / "t.csv").write_text("1" * 200_000 + "/\n")  # in the square of its length this would take minutes
    with pytest.raises(ha.InvalidInput, match=r"'t\.csv', line 1, column 1: got '1+…'"):
        numbers(tmp_path / "t.csv")
