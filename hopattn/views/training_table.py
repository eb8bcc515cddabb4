"""The table of a training on the terminal: losses and attention patterns at a few steps."""

import numpy as np
from rich.text import Text

from hopattn.circuits.emergence.record import Training
from hopattn.views.array_cells import MORE_DIGITS, cell
from hopattn.views.consoles import console
from hopattn.views.terminal import show, table

ROWS = 11
"""The largest number of steps that are shown, evenly spaced from the first to the last."""
BEST = {"previous token": "to the word before", "prefix matching": "to what followed"}
"""The measures of heads of which the best is shown, and the heading of each."""


def show_training(name: str, training: Training) -> None:
    """Write the measures of a training to standard output; name: of the model."""
    out, measures = console(), training.measures
    curves = ("loss of repeated words", "loss of new words", "in-context score")
    shown = np.unique(np.linspace(0, len(training.steps) - 1, ROWS).round().astype(int))
    rows = [
        [
            str(training.steps[k]),
            *(cell(measures[curve][k], digits=MORE_DIGITS) for curve in curves),
            *(cell(measures[kind][k].max(), digits=MORE_DIGITS) for kind in BEST),
        ]
        for k in shown
    ]
    headings = ["step", *curves, *BEST.values()]
    show(out, Text(name, style="bold"), table(headings, rows, right=headings))
    last = measures["energy falls"][-1]
    head = int(np.argmax(measures["prefix matching"][-1, -1]))
    words = (
        "losses in nats; attention of the best head. If the last layer is applied once more, the energy of its head "
        f"{head + 1}, the best at what followed, falls at {last[head, 0]:.2%} of the repeated words"
    )
    show(out, Text(words), Text(""))
