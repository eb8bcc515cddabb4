"""Places of a walk: where they are drawn, and one number for each as a colour."""

from typing import Any

import numpy as np

from hopattn.figures.style import scaled, theme
from hopattn.scenario.result import Run


def spots_of(run: Run) -> np.ndarray:
    """Where each place is drawn, `(n_places, 2)`."""
    return np.asarray(run.arrays["world"].values[:, :2])


def is_lattice(run: Run) -> bool:
    """Whether the places are in rows and columns; else they are on a circle."""
    spots = spots_of(run)
    return bool(np.all(spots == np.round(spots)))


def coloured_places(ax: Any, run: Run, values: np.ndarray, **colours: Any) -> Any:
    """Draw one number for each place as the colour of a cell, or of a disc in a world that is not a lattice.

    values: `(n_places,)`. colours: the arguments of the colour map. Returns what a colour bar needs.
    """
    spots = spots_of(run)
    if is_lattice(run):
        column, row = spots[:, 0].astype(int), -spots[:, 1].astype(int)
        picture = np.full((row.max() + 1, column.max() + 1), np.nan)
        picture[row, column] = values
        drawn = ax.imshow(picture, aspect="equal" if row.max() else "auto", **colours)
    else:
        size = scaled(min(30.0, 200 / len(spots) ** 0.5)) ** 2
        drawn = ax.scatter(*spots.T, c=values, s=size, linewidths=scaled(1), edgecolors=theme().faint, **colours)
        ax.set_aspect("equal")
        ax.margins(0.2)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return drawn
