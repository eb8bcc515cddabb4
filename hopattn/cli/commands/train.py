"""`hopattn train`: train small models of attention alone, and watch induction heads arise."""

from pathlib import Path

import click

from hopattn.cli.options import option
from hopattn.cli.output import Outputs, writes

SIZES = {"two-layers": (2, 64, True), "one-layer": (1, 88, True), "no-positions": (2, 64, False)}
"""The layers and the dim of each model, and whether it has positions. The single layer has a few more numbers than the
two layers, 45,056 against 43,008."""


@click.command(short_help="Train small models (needs PyTorch).")
@click.argument("model", nargs=-1, metavar=f"[{'|'.join(SIZES)}]...", type=click.Choice(list(SIZES)))
@option("--steps")
@option("--seed", default=0, show_default=True)
@writes("train", default=[Path("trained")])
def command(model: tuple[str, ...], steps: int, seed: int, outputs: Outputs) -> None:
    """Train each named MODEL (all by default) on random words that repeat, each text with a period of its own.

    \b
    hopattn train
    hopattn train two-layers --seed 1 --out other/

    A model of two layers learns to repeat: heads of its second layer attend to the word behind the earlier occurrence
    of the word at hand. A model of one layer copies words of the text, but not in their order. The third model has no
    positions; the kind `probe` reads them out of it. Each takes less than a minute on one core. A finished training
    cannot be prolonged.
    """
    from hopattn.circuits.emergence.record import Recipe
    from hopattn.circuits.emergence.training import train
    from hopattn.views.tables import progress
    from hopattn.views.training_table import show_training

    (out,) = (one.path for one in outputs.outs)
    out.mkdir(parents=True, exist_ok=True)
    for name in model or SIZES:
        layers, dim, positions = SIZES[name]
        recipe = Recipe(layers=layers, dim=dim, steps=steps, seed=seed, positions=positions)
        file = out / f"{name}.npz"
        with progress(f"steps of {name}") as report:
            training = train(recipe, file=file, report=report)
        show_training(name, training)
        click.echo(f"kept in {file}", err=True)
