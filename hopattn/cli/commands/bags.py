"""`hopattn bags`: layers that learn which vector of a bag decides its label, beside each other."""

from typing import Literal

import click

from hopattn.cli.options import Command, option
from hopattn.cli.output import Outputs, writes


@click.command(cls=Command, short_help="Train layers on bags, beside each other (needs PyTorch).")
@click.argument("task", metavar="[bits|needle]", type=click.Choice(["bits", "needle"]), default="bits")
@option("--trials", ": the seeds of each layer.", default=5, show_default=True)
@option("--steps")
@option("--json")
@writes("bags")
def command(task: Literal["bits", "needle"], trials: int, steps: int, outputs: Outputs) -> None:
    """Train layers to find the vector of a bag that decides its label, and show how often they are right.

    \b
    hopattn bags                   a bag of 100 vectors with 16 bits: does it hold one of two patterns?
    hopattn bags needle            a bag of 100 directions: does it hold one near a hidden direction?
    hopattn bags --out bits.csv    the table as a file

    Each layer reads the bag with eight heads and a query that it learns. Chance is ½. A training takes less than a
    minute on one core, and the table has 30 of them. In Python: `ha.torch.learn_bag` and `learn_bags`.
    """
    from hopattn.torch.bags import learn_bags
    from hopattn.views.bags_table import show_bags
    from hopattn.views.tables import progress

    with progress("trainings") as report:
        rows = learn_bags(task, seeds=trials, steps=steps, report=report)
    outputs.finish("bags", rows, lambda: show_bags(rows))
