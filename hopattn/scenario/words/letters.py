"""The letters and digits that come with hopattn, each a picture of 5 × 7 pixels, read from `letters.txt`."""

from collections.abc import Mapping

import numpy as np

from hopattn.scenario.words.character_pictures import Size, pixels

LETTER_SIZE = Size(columns=5, rows=7)


def letters() -> Mapping[str, np.ndarray]:
    """Each letter A–Z and digit 0–9 as 35 neurons: black 1, white −1, row by row from the top.

    >>> len(letters()), letters()["L"].reshape(7, 5)[-1].tolist()
    (36, [1.0, 1.0, 1.0, 1.0, 1.0])
    """
    from importlib.resources import files

    text = files("hopattn.scenario.words").joinpath("letters.txt").read_text(encoding="utf-8")
    _, *blocks = text.strip().split("\n\n")
    return {name: pixels(rows) for name, *rows in (block.split("\n") for block in blocks)}
