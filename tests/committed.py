"""Committed results beside those computed now: text as text, numbers with a tolerance.

Another processor, another BLAS or a run without compiled loops rounds otherwise, and the last digit of a number is then
another one. `CONTRIBUTING.md` lists all that is committed and compared.
"""

import base64
import io
import re
from itertools import zip_longest

import numpy as np
from PIL import Image

NUMBER = re.compile(r"[-−]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
PIXELS = 0.002
"""The distance in pixels by which a coordinate of a figure may differ."""
NOISE = 1e-12
"""The size below which a printed number is rounding."""
IMAGE = re.compile(r'data:image/png;base64,([^"]*)')
SHADES, SHARE = 8, 0.005
"""A pixel of an image differs by more than so many of 255 shades in at most this share of its pixels."""
TEXT = re.compile(r"(<text[^>]*>)([^<]*)")


def same_print(one, other):
    """Whether two printed numbers are equal within one unit in the last digit of the finer one; whole numbers exactly.

    A number below `NOISE` is equal to 0.
    """
    if one.isdigit() and other.isdigit():
        return int(one) == int(other)
    unit = max(min(_unit(one), _unit(other)), NOISE)
    return abs(_value(one) - _value(other)) <= unit * (1 + 1e-9)


def differences(kept, now, same=same_print):
    """The lines of two texts that differ, each with the line that was kept; spaces between words do not count.

    same: whether two numbers are equal, as they are printed.
    """
    lines = zip_longest(kept.splitlines(), now.splitlines(), fillvalue="")
    return [f"{one!r} was kept; now {two!r}" for one, two in lines if not _equal(one, two, same)]


def figure_differences(kept, now):
    """The parts of two SVGs that differ: their shapes, their coordinates, their texts and their images."""
    found = differences(*(IMAGE.sub("", TEXT.sub(r"\1", svg)) for svg in (kept, now)), same=_near)
    texts = [[text for _, text in TEXT.findall(svg)] for svg in (kept, now)]
    found += differences(*("\n".join(sorted(own)) for own in texts))
    images = zip_longest(*(IMAGE.findall(svg) for svg in (kept, now)))
    return found + [f"image {i}" for i, pair in enumerate(images, start=1) if not _same_image(*pair)]


def _near(one, other):
    return abs(_value(one) - _value(other)) <= PIXELS


def _equal(one, other, same):
    skeletons = (" ".join(NUMBER.sub("#", line).split()) for line in (one, other))
    pairs = zip(*(NUMBER.findall(line) for line in (one, other)), strict=False)
    return next(skeletons) == next(skeletons) and all(a == b or same(a, b) for a, b in pairs)


def _value(number):
    return float(number.replace("−", "-"))


def _unit(number):
    """One unit in the last digit of a printed number."""
    digits, _, power = number.lower().partition("e")
    return 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))


def _same_image(one, other):
    if one is None or other is None:
        return False
    pixels = [np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA"), int) for data in (one, other)]
    if pixels[0].shape != pixels[1].shape:
        return False
    return np.mean(np.abs(pixels[0] - pixels[1]).max(axis=-1) > SHADES) <= SHARE
