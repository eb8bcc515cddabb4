"""Display: objects that a notebook shows as HTML; rooms above these objects make it."""

from collections.abc import Callable
from typing import Any, ClassVar

from hopattn.foundation.argument_names import PublicObject


class ShownInNotebook(PublicObject):
    """A base class for objects that a notebook shows as HTML."""

    _public: ClassVar[Callable[[str], Callable[..., Any]]]
    """Gives `html` and `plot` by their names; the package sets it, so that no object imports the rooms above it."""

    def _repr_html_(self) -> str:
        """The object's tables and figure as HTML."""
        return str(ShownInNotebook._public("html")(self))
