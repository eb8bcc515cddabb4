"""Display: how an object shows itself in a notebook."""

from importlib import import_module


class ShownInNotebook:
    """An object that a notebook shows as HTML; the notebook view, which lies above, is asked for by its name."""

    def _repr_html_(self) -> str:
        """The object's tables and figure as HTML."""
        text: str = import_module("hopattn.views.notebook").html(self)
        return text
