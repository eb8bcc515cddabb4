"""Thumbnails: an SVG of the gallery, cropped to its largest drawing, so that it can be read on a card."""

import re

_VIEW = re.compile(rb'width="[^"]*" height="[^"]*" viewBox="[^"]*"')
_PANEL = re.compile(rb'<g id="axes_\d+">\s*<g id="patch_\d+">\s*<path d="([^"]*)"')
_TEXT = re.compile(rb'<text [^>]*?(?: y="([\d.]+)"|translate\([\d.]+ ([\d.]+)\))[^>]*>.*?</text>', re.DOTALL)
_NUMBER = re.compile(rb"-?[\d.]+")
_MARGIN = 2.0
"""The room around the drawing, in points."""
_TALL = 10.0
"""How high a letter is above its line, in points."""
_STRIP = 3.0
"""A panel so many times as long as it is wide is a bar of colours, or one row of a table."""
_ALIKE = 0.5
"""Panels of at least this share of the largest one show the same thing again."""
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def cropped(svg: bytes) -> bytes:
    """The SVG with a view of its drawing alone: of one panel where the panels are alike, else of them all.

    Texts that the edge of the view would cut are left out.
    """
    panels = [_box(match[1]) for match in _PANEL.finditer(svg)]
    whole = [box for box in panels if not _is_strip(box)] or panels
    if not whole:
        return svg
    largest = max(whole, key=lambda box: round(_area(box)))
    alike = all(_area(box) >= _ALIKE * _area(largest) for box in whole)
    left, top, right, bottom = largest if alike and not _is_strip(largest) else _around(panels)
    left, top, width, height = left - _MARGIN, top - _MARGIN, right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN
    within = top + _TALL, top + height

    def whole_text(match: re.Match[bytes]) -> bytes:
        return match[0] if within[0] <= float(match[1] or match[2]) <= within[1] else b""

    view = f'width="{width:.0f}" height="{height:.0f}" viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}"'
    return _TEXT.sub(whole_text, _VIEW.sub(view.encode(), svg, count=1))


def _box(path: bytes) -> Box:
    numbers = [float(number) for number in _NUMBER.findall(path)]
    return min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])


def _around(boxes: list[Box]) -> Box:
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _is_strip(box: Box) -> bool:
    short, long = sorted((box[2] - box[0], box[3] - box[1]))
    return long > _STRIP * short
