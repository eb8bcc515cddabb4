"""Files of arrays whose headers, members and cells lie, given to the commands that read files."""

import warnings
import zlib
from functools import cache

import numpy as np
from hypothesis import strategies as st

from tests import array_bytes
from tests.array_bytes import DATA, entry, lying, npy, npz, safetensors
from tests.fuzz import values
from tests.fuzz.commands import as_text
from tests.fuzz.values import words

SCENARIO = """schema = 1
title = "t"
source = "ours"
kind = "memory"
[pictures]
files = {{ a = "{}" }}
[memory]
patterns = ["a"]
separation = "softmax"
beta = 1
[cue.c]
of = "a"
hide = "left"
"""
OPTIONS = [
    words(line)
    for line in (
        *("", "--json", "--out o.csv", "--models modern,hopfield", "--set beta=1e308", "--mask causal", "--trials 1"),
        *("--trials 1 --set noise=0.2", "--trials 1 --set hidden=0.5"),
    )
]
"""Of these, files of heads take no trials and files of patterns no mask."""
NAMES = ("q", "k", "v", "Q", "keys", "patterns", "a", "", "q.npy", "../q", "/q", "\x1b[31m", "\u202e", "q\0", "k" * 300)
DESCRS = ("", "[('a', '<f8')]", *words("<f8 >f4 <f2 |b1 <i8 <u4 |O <U2 <c8 <M8[ns] |V0 <f16 <f3 ٣"))
DTYPES = ("F64", "F32", "F16", "BF16", "F8_E4M3", "I64", "U8", "BOOL", "C64", "F4", "", "f64", 3, None, ["F64"])
USUAL = (*("1", "-1", "0.5") * 15, "0", "1e200", "1e308", "5e-324")
ODD = ("1e309", "nan", "inf", "1_0", "٢", "１", "x", "1e", "0x1", "=1", "", " ", '"1"', '"', "\0", "\x1b[31m")


def shapes():
    """Texts of shapes as a header of NumPy gives them."""
    number = st.sampled_from([*words("0 1 2 3 6 -1 True 2L 1e3 1_0 ٣ ()"), str(2**62), str(10**40)])
    sides = st.lists(number, max_size=5)
    return sides.map(lambda each: f"({', '.join(each)}{',' * (len(each) == 1)})") | values.texts()


@st.composite
def six_numbers(draw):
    """The bytes of six numbers in double precision, most of them usual."""
    number = st.sampled_from([*[1.0, -1.0, 0.5] * 30, 0.0, -0.0, 1e308, 1e200, 1e-200, 5e-324, np.nan, np.inf])
    return np.array(draw(st.lists(number, min_size=6, max_size=6))).tobytes()


@st.composite
def npy_files(draw):
    """Bytes of .npy files, of which half have a usual header."""
    if draw(st.booleans()):
        return npy(data=draw(six_numbers()))
    order = draw(st.sampled_from(["False", "True", "0", "x"]))
    header = f"{{'descr': {draw(st.sampled_from(DESCRS))!r}, 'fortran_order': {order}, 'shape': {draw(shapes())}, }}"
    header = draw(st.just(header) | values.texts())
    data = draw(st.sampled_from([DATA, DATA[:5], b"", DATA * 3]) | six_numbers())
    version = draw(st.sampled_from([(1, 0), (1, 0), (2, 0), (3, 0), (9, 9)]))
    return npy(header.encode("utf-8", "replace")[: 2**16 - 1], data, version)


@cache
def bomb():
    """An archive of 130 KiB with an array of 128 MiB."""
    return npz(("q.npy", npy(array_bytes.GOOD.replace("(2, 3)", "(4096, 4096)"), bytes(2**27))), compression=8)


@st.composite
def npz_files(draw):
    """Bytes of archives, of which half hold usual members."""
    if draw(st.integers(0, 60)) == 60:
        return bomb()
    if draw(st.booleans()):
        contents = [(f"{name}.npy", npy(data=draw(six_numbers()))) for name in "qkv"]
    else:
        names = st.sampled_from(NAMES).map("{}.npy".format) | st.sampled_from(NAMES)
        pairs = draw(st.lists(st.tuples(names, npy_files() | st.binary(max_size=9)), max_size=4))
        contents = [(name.replace("\0", "") or "x", data) for name, data in pairs]
    with warnings.catch_warnings(action="ignore"):  # two members of one name
        made = npz(*contents, compression=draw(st.sampled_from([0, 8])))
    if contents and draw(st.integers(0, 3)) == 0:
        field, value = draw(st.sampled_from(["packed", "unpacked"])), draw(st.sampled_from([0, 1, 2**31, 2**32 - 1]))
        made = lying(made, field, value)
    return made


@st.composite
def safetensors_files(draw):
    """Bytes of safetensors files, of which half have a usual header."""
    if draw(st.booleans()):
        parts = [draw(six_numbers()) for _ in "qkv"]
        header = {name: entry((2, 3), 48 * i, 48 * i + 48) for i, name in enumerate("qkv")}
        return safetensors(header, b"".join(parts))
    numbers = st.sampled_from([0, 1, 2, 3, 8, 24, 48, -1, 2**63, 10**30, True, 1.5, "8", None])
    sides, offsets = st.lists(numbers, max_size=4), st.lists(numbers, max_size=3)
    entries = st.fixed_dictionaries({"dtype": st.sampled_from(DTYPES), "shape": sides, "data_offsets": offsets})
    good = [entry(), entry((6,)), entry((3,), 0, 24), entry((3,), 24, 48), entry((2, 3), 0, 12, "BF16")]
    odd = st.sampled_from([{}, [], 1, None, {"a": 1}, *good])
    header = draw(st.dictionaries(st.sampled_from([*NAMES, "__metadata__"]), odd | entries, max_size=4))
    length = draw(st.sampled_from([None, None, None, 0, 3, 2**40, 2**64 - 1]))
    return safetensors(header, draw(st.sampled_from([DATA, DATA, DATA[:9], b""])), length)


@st.composite
def csv_files(draw):
    """Bytes of tables, of which half are usual."""
    cells = st.sampled_from(ODD) | st.sampled_from(USUAL) | values.texts()
    if draw(st.booleans()):
        return "\n".join(map(",".join, draw(st.lists(st.tuples(*[st.sampled_from(USUAL)] * 3), max_size=4)))).encode()
    rows = draw(st.lists(st.lists(cells, min_size=1, max_size=4), max_size=4))
    line_end, comma = draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n"])), draw(st.sampled_from([",", ", ", ";", "\t"]))
    text = line_end.join(map(comma.join, rows)).encode(draw(st.sampled_from(["utf-8", "utf-8", "utf-16"])), "replace")
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe"])) + text


@st.composite
def png_files(draw):
    """An image whose header promises any size, with some bytes of pixels."""
    sides = st.sampled_from([0, 1, 5, 7, 5000, 2**31 - 1, 2**32 - 1])
    depth = draw(st.sampled_from([b"\x08\0", b"\x08\6", b"\x01\0", b"\x10\2", b"\x03\3"]))
    header = b"".join(draw(sides).to_bytes(4, "big") for _ in range(2)) + depth + bytes(3)
    pixels = zlib.compress(bytes(draw(st.sampled_from([0, 40, 2000]))))
    more = draw(st.sampled_from([[], [(b"tEXt", b"a\0" + b"x" * 99)], [(b"gAMA", bytes(4))]]))
    chunks = [(b"IHDR", header), *more, (b"IDAT", pixels), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big") for name, data in chunks
    )


FILES = {"npy": npy_files, "npz": npz_files, "safetensors": safetensors_files, "csv": csv_files, "png": png_files}


@st.composite
def cases(draw):
    """Cases of `compare` and of a scenario with pictures that are given a file that lies."""
    ending = draw(st.sampled_from(sorted(FILES)))
    data = draw(FILES[ending]())
    if data and draw(st.integers(0, 3)) == 0:
        data = array_bytes.mutated(draw, data)
    shown = draw(st.sampled_from(sorted(FILES))) if draw(st.integers(0, 15)) == 0 else ending
    name = f"a.{shown}"
    files = {name: as_text(data)}
    if shown == "png" or draw(st.integers(0, 3)) == 0:
        return {"files": files | {"f.toml": SCENARIO.format(name)}, "words": ["run", "f.toml"]}
    return {"files": files, "words": ["compare", name, *draw(st.sampled_from(OPTIONS))]}
