"""The sizes of the pictures of a page, so that they keep their room before they are loaded."""

import re
from collections.abc import Callable
from urllib.parse import unquote

_IMAGE = re.compile(r'<img (?=[^>]*?src="([^"]+)")')
_SVG = re.compile(rb'<svg[^>]*? width="([\d.]+)(pt|px|)" height="([\d.]+)')
_PIXELS = 4 / 3
"""The pixels of a point."""


def size(picture: bytes) -> tuple[int, int] | None:
    """The width and the height in pixels of an SVG, a GIF or a PNG; None of anything else."""
    if picture.startswith(b"GIF8"):
        return int.from_bytes(picture[6:8], "little"), int.from_bytes(picture[8:10], "little")
    if picture.startswith(b"\x89PNG"):
        return int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])
    if found := _SVG.search(picture):
        scale = _PIXELS if found[2] == b"pt" else 1
        return round(float(found[1]) * scale), round(float(found[3]) * scale)
    return None


def with_sizes(body: str, read: Callable[[str], bytes]) -> str:
    """The body of a page whose pictures load when they come into view and keep their room until then.

    Without its size a picture has no height before it is loaded, and a jump to a heading below it goes astray.
    read: the picture at an address.
    """

    def sized(match: re.Match[str]) -> str:
        own = size(read(unquote(match[1])))
        return f'<img loading="lazy" width="{own[0]}" height="{own[1]}" ' if own else match[0]

    return _IMAGE.sub(sized, body)
