"""Display: objects that a notebook shows as HTML."""

from importlib import import_module


class ShownInNotebook:
    """A base class for objects that a notebook shows as HTML.

    The module that writes the HTML belongs to a higher room. It is imported by name when a notebook shows the object.
    """

    def _repr_html_(self) -> str:
        """The object's tables and figure as HTML."""
        text: str = import_module("hopattn.views.notebook").html(self)
        return text
