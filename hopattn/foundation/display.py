"""Display: objects that a notebook shows as HTML, and that can be drawn."""

from importlib import import_module
from typing import Any


class ShownInNotebook:
    """A base class for objects that a notebook shows as HTML.

    The module that writes the HTML belongs to a higher room. It is imported by name when a notebook shows the object.
    """

    def _repr_html_(self) -> str:
        """The object's tables and figure as HTML."""
        text: str = import_module("hopattn.views.notebook").html(self)
        return text


class Drawable(ShownInNotebook):
    """A base class for objects that can also be drawn.

    The module that draws belongs to a higher room. It is imported by name when an object is drawn.
    """

    def plot(self, name: str | None = None, **options: Any) -> Any:
        """Draw a figure of this object; gives its axes. The arguments are those of `hopattn.plot`."""
        return import_module("hopattn.figures.plotting").plot(self, name, **options)
