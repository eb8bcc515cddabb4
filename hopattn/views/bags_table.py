"""The table of layers that learned bags, on the terminal."""

from rich.text import Text

from hopattn.foundation.writing import counted, with_interval
from hopattn.results.dataset import Rows
from hopattn.views.consoles import console
from hopattn.views.terminal import show, table

HEADINGS = ("layer", "accuracy", "seconds")


def show_bags(rows: Rows) -> None:
    """Write the accuracies to standard output, and what they are of."""
    cells = [
        [
            row["reader"],
            with_interval(row["accuracy"], row["accuracy_low"], row["accuracy_high"], "{:.3f}".format),
            f"{row['seconds']:.1f}",
        ]
        for row in rows.rows
    ]
    about = rows.about
    seeds = "one seed" if about["seeds"] == 1 else f"{about['seeds']} seeds with its 95 % interval"
    words = (
        f"accuracy: of {about['bags']:,} bags of {about['size']} that no step has seen, the mean over {seeds}; chance "
        f"is ½. seconds: of the processor, for a training of {counted(about['steps'], 'step')}, the median."
    )
    show(console(), table(HEADINGS, cells, right=HEADINGS[1:]), Text(words))
