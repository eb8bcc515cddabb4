"""Archives of arrays: each is read as NumPy reads it, or refused with what was found and what was expected."""

import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.array_files import arrays_of, names_in, numbers
from hopattn.foundation.errors import InvalidInput
from tests.array_bytes import DATA, GOOD, lying, mutated, npy, npz, refusal
from tests.each import each


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("headers") / "a.npz"


def test_the_arrays_of_an_archive_are_read_by_name(file):
    np.savez_compressed(file, q=np.eye(2), words=np.array("one text"))
    assert names_in(file) == ["q", "words"]
    found = arrays_of(file)
    assert np.array_equal(found["q"], np.eye(2)) and str(found["words"]) == "one text"
    np.savez(file, config=np.array({"a": 1}), q=np.eye(2))
    assert np.array_equal(numbers(file, "q"), np.eye(2))  # what is not asked for may be anything


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name_in_an_archive_are_refused(file):
    twice = npz(("q.npy", npy()), ("k.npy", npy()), ("q.npy", npy(data=bytes(48))))
    assert refusal(file, twice, numbers) == "'a.npz' holds two arrays called 'q'; expected one"
    assert refusal(file, twice, ha.load_memory) == "'a.npz' holds two arrays called 'q'; expected one"


STORED, PACKED = npz(("q.npy", npy())), npz(("q.npy", npy()), compression=zipfile.ZIP_DEFLATED)


@each(
    ("data", "message"),
    [
        (b"", "'a.npz' is not a .npz archive, or is truncated"),
        (STORED[:-30], "'a.npz' is not a .npz archive, or is truncated"),
        (STORED.replace(DATA, DATA[::-1]), "'a.npz' is not a .npz archive, or is truncated"),
        (npz(("q.npy", npy(data=DATA[:-8]))), "'a.npz': 'q' is truncated or damaged: its header promises 6 numbers"),
        (npz(("q.npy", npy(data=DATA + b"0"))), "'a.npz': 'q' is truncated or damaged: its header promises 6 numbers"),
        (npz(("q.npy", "text")), r"'a.npz': 'q' is not a .npy array, or is truncated: it begins with b'text'"),
        (npz(("q.npy", npy(GOOD.replace("<f8", "|O")))), "'a.npz': 'q' holds Python objects; expected real numbers"),
        (npz(("q.txt", "text")), "'a.npz' holds no array"),
        (lying(PACKED, "unpacked", 2**31), "'a.npz': 'q' is truncated or damaged: its header promises 6 numbers"),
        (
            npz(("q.npy", npy(GOOD.replace("2, 3", "2, 3000"), bytes(48000))), compression=zipfile.ZIP_DEFLATED)[:-60],
            "'a.npz' is not a .npz archive, or is truncated",
        ),
        (
            npz(*((f"{i:065000}", "") for i in range(70))),
            "'a.npz': its directory has 4,553,220 bytes; expected",
        ),
    ],
)
def test_an_archive_that_is_none_is_refused(file, data, message):
    assert refusal(file, data, numbers).startswith(message)


def test_a_member_that_ends_before_its_numbers_is_truncated(file):
    """The directory and the header agree about 10,000 numbers, and the packed bytes hold 6."""
    short = npy(GOOD.replace("2, 3", "100, 100"))
    whole = len(short) - len(DATA) + 80_000
    packed = npz(("q.npy", short), compression=zipfile.ZIP_DEFLATED)
    reported = refusal(file, lying(packed, "unpacked", whole), numbers)
    assert reported == "'a.npz': 'q' is not a .npz archive, or is truncated"


@given(st.data())
def test_what_is_read_of_a_damaged_archive_is_what_numpy_reads(file, data):
    file.write_bytes(mutated(data.draw, data.draw(st.sampled_from([STORED, PACKED]))))
    try:
        found = arrays_of(file)
    except InvalidInput as error:
        assert str(error).startswith("'a.npz'")
    else:
        with np.load(file, allow_pickle=False) as archive:
            for name, array in found.items():
                np.testing.assert_array_equal(array, archive[name])
