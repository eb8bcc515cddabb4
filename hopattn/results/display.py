"""Display: objects that a notebook shows as HTML, and that can be drawn; rooms above these objects do both."""

from collections.abc import Callable
from typing import Any, ClassVar


class ShownInNotebook:
    """A base class for objects that a notebook shows as HTML.

    _public: gives `html` and `plot`, functions of the package, by their names. The package sets it when it is imported,
    so that no object imports the rooms above it.
    """

    _public: ClassVar[Callable[[str], Callable[..., Any]]]

    def _repr_html_(self) -> str:
        """The object's tables and figure as HTML."""
        text: str = ShownInNotebook._public("html")(self)
        return text


class Drawable(ShownInNotebook):
    """A base class for objects that can also be drawn."""

    def plot(self, name: str | None = None, **options: Any) -> Any:
        """Draw a figure of this object; gives its axes. The arguments are those of `hopattn.plot`."""
        return ShownInNotebook._public("plot")(self, name, **options)
