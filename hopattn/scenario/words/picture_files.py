"""Pictures from the user's files: images (PNG), and the endings of the files of pictures.

Every error in a file raises `InvalidInput`; its message names the file, and the caller adds the place in the scenario.
Nothing in a file is executed, and at most `MAX_BYTES` are read.
"""

import struct
import warnings
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.foundation.array_files import MAX_NUMBERS, named, opened
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.words.character_pictures import Size

MAX_BYTES = 64 * 2**20

IMAGES = (".png",)

_READ_ERRORS = (
    *(ValueError, OSError, EOFError, SyntaxError, NotImplementedError, RuntimeError, KeyError, TypeError),
    *(zlib.error, struct.error),
)
"""The exceptions that the readers raise for a file that is cut short or is not of the format that its name says."""


def image(file: Path, size: Size | None = None) -> np.ndarray:
    """The darkness of each pixel of a PNG, `(rows, columns)`: black 1, white −1; transparent pixels are white.

    size: the image is stretched or shrunk to it. Raises `InvalidInput` if a file cannot be read, is not a complete
    PNG, or has more than `MAX_NUMBERS` pixels.
    """
    from PIL import Image

    with opened(file) as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"{named(file)} is larger than {MAX_BYTES // 2**20} MiB")
    try:
        with warnings.catch_warnings(action="error"), Image.open(BytesIO(data), formats=["PNG"]) as picture:
            if picture.width * picture.height <= MAX_NUMBERS:
                brightness = _brightness(picture)
                resized = brightness if size is None else brightness.resize(size, Image.Resampling.BOX)
                return np.clip(1 - np.asarray(resized, dtype=float) / 127.5, -1.0, 1.0)
            pixels = picture.width * picture.height
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        pixels = 2 * MAX_NUMBERS
    except (*_READ_ERRORS, Warning):
        raise InvalidInput(f"{named(file)} is not a PNG image, or is truncated") from None
    raise InvalidInput(f"{named(file)} has {pixels:,} pixels or more; at most {MAX_NUMBERS:,} can be read")


def _brightness(picture: Any) -> Any:
    """An image in shades from 0 (black) to 255 (white), on a white background."""
    from PIL import Image

    if picture.mode.startswith("I"):  # 16 bits a pixel, which Pillow would cut off at 255
        return Image.fromarray(np.asarray(picture, dtype=np.float32) / 257)
    coloured = picture.convert("RGBA")
    ground = Image.new("RGBA", coloured.size, "white")
    return Image.alpha_composite(ground, coloured).convert("L").convert("F")
