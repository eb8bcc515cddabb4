"""The bytes of array files, well-formed or with any lie in their headers."""

import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import strategies as st

from hopattn.foundation.errors import InvalidInput

DATA = np.arange(6.0).tobytes()
GOOD = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"


def npy(header=GOOD, data=DATA, version=(1, 0), magic=b"\x93NUMPY"):
    """A `.npy` file with any header."""
    text = header if isinstance(header, bytes) else header.encode()
    return magic + bytes(version) + len(text).to_bytes(2 if version[0] == 1 else 4, "little") + text + data


def npz(*members, **how):
    """A `.npz` archive of any members, each a name and its content; how: the keywords of `zipfile.ZipFile`."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", **how) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def lying(good, field, value):
    """An archive of one member whose directory gives another size than the member has."""
    at = good.rindex(b"PK\x01\x02") + {"packed": 20, "unpacked": 24}[field]
    return good[:at] + value.to_bytes(4, "little") + good[at + 4 :]


def safetensors(header, data=DATA, length=None):
    """A `.safetensors` file with any header, a text or what JSON makes one; length: the one that the file states."""
    text = header.encode() if isinstance(header, str) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(shape=(2, 3), start=0, end=48, dtype="F64"):
    """The entry of one array in the header of a `.safetensors` file."""
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}


def mutated(draw, data, most=4):
    """Some bytes with a few of them changed, left out or doubled."""
    data = bytearray(data)
    for _ in range(draw(st.integers(1, most))):
        if not data:
            break
        at = draw(st.integers(0, len(data) - 1))
        data[at : at + 1] = draw(st.sampled_from([b"", data[at : at + 1] * 2, bytes([draw(st.integers(0, 255))])]))
    return bytes(data)


def refusal(file, data, read):
    """The message with which `read(file)` refuses a file of these bytes: one short line that names the file."""
    file.write_bytes(data)
    with pytest.raises(InvalidInput) as caught:
        read(file)
    message = str(caught.value)
    assert message.startswith(f"'{file.name}'")
    assert len(message) < 300 and "\n" not in message
    return message
