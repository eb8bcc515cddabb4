"""The table of layers that learned bags, on the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from hopattn.foundation.writing import counted
from hopattn.results.dataset import Rows
from hopattn.views.consoles import console
from hopattn.views.terminal import show, table

HEADINGS = ("layer", "accuracy", "seconds")


def _accuracy(row: Mapping[str, Any]) -> str:
    ends = f" [{row['accuracy_low']:.3f}, {row['accuracy_high']:.3f}]" if row["accuracy_low"] is not None else ""
    return f"{row['accuracy']:.3f}{ends}"


def show_bags(rows: Rows) -> None:
    """Write the accuracies to standard output, and what they are of."""
    cells = [[row["reader"], _accuracy(row), f"{row['seconds']:.1f}"] for row in rows.rows]
    about = rows.about
    seeds = "one seed" if about["seeds"] == 1 else f"{about['seeds']} seeds with its 95 % interval"
    words = (
        f"accuracy: of {about['bags']:,} bags of {about['size']} that no step has seen, the mean over {seeds}; chance "
        f"is ½. seconds: of the processor, for a training of {counted(about['steps'], 'step')}, the median."
    )
    show(console(), table(HEADINGS, cells, right=HEADINGS[1:]), Text(words))
