"""The page to play with, as an object: it shows itself in a notebook, and saves itself as a file."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from hopattn.foundation.files import write_over
from hopattn.foundation.objects import path_of
from hopattn.scenario.loading import Scenario, load
from hopattn.views.explorer.page import page_of
from hopattn.views.explorer.start import all_started
from hopattn.views.explorer.values import reference_values

HEIGHT = 900
"""The height of the page in a notebook, in pixels."""


@dataclass(frozen=True, repr=False)
class Explorer:
    """A page to play with. A notebook shows it in a frame.

    name: the name of its scenario. html: the page, one HTML text that loads nothing. left_out: the variants of the
    scenario that the page cannot show, each with the reason.
    """

    name: str
    html: str
    left_out: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Explorer({self.name!r}, {len(self.html.encode()):,} bytes)"

    def _repr_html_(self) -> str:
        frame = f'title="{escape(self.name)}" style="width:100%;height:{HEIGHT}px;border:0"'
        return f'<iframe srcdoc="{escape(self.html)}" {frame}></iframe>'

    def save(self, file: Any) -> Path:
        """Write the page, whole or not at all; a file of that name is replaced. Gives its path.

        Raises `InvalidInput` for a path that is no plain file, and `CannotDo` if it cannot be written.
        """
        path = path_of(file, "file")
        write_over(path, self.html.encode())
        return path


def explore(scenario: Any = "bank") -> Explorer:
    """The page to play with of a scenario: words, patterns, pictures and angles that can be moved.

    scenario: a `Scenario`, the path of a scenario file, or the name of one that comes with hopattn. The page opens in
    the view of the scenario; the other views show scenarios that come with hopattn. Raises `InvalidInput` for a
    scenario that no view can show, and for one whose page would have more than 300 kB.

    >>> import hopattn as ha
    >>> page = ha.explore("bank")
    >>> page.html.startswith("<!DOCTYPE html>")
    True
    """
    loaded = scenario if isinstance(scenario, Scenario) else load(scenario)
    starts = all_started(loaded)
    own = next(iter(starts.values()))
    return Explorer(loaded.name, page_of(starts, reference_values(starts)), own.left_out)
