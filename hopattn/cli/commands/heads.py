"""`hopattn heads`: every attention head of a model on disk: what it attends to, copies and reads."""

from pathlib import Path
from typing import Any

import click

from hopattn.cli.options import Command, option
from hopattn.cli.output import Outputs, writes


@click.command(cls=Command, short_help="Measure every attention head of a model on disk.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--repeats", metavar="NxM", default="", help="N random tokens, M times: 25x4, or what fits the model.")
@click.option("--ids", type=click.Path(path_type=Path), metavar="FILE", help="The ids of a text: .npy, or numbers.")
@click.option(
    "--text", type=click.Path(path_type=Path), metavar="FILE", help="A text, with the model's tokenizer.json."
)
@click.option("--length", type=click.IntRange(min=4), metavar="N", help="N tokens: the first of FILE, or random twice.")
@option("--seed", " of the tokens.", default=0, show_default=True)
@option("--set", ": give one that config.json lacks, as in rope_theta=10000.")
@click.option("--unread", multiple=True, metavar="NAMES", help="Fields of config.json to leave unread, as in a,b.")
@option("--long", " heads, with their numbers.")
@option("--json")
@option("--measure", " in the picture, such as prefix_matching.")
@writes("heads")
def command(
    path: Path,
    whole: bool,
    measure: str | None,
    outputs: Outputs,
    set: tuple[str, ...],
    unread: tuple[str, ...],
    **text: Any,
) -> None:
    """Measure every head of the model at PATH: the folder of a checkpoint, or an .npz file of `hopattn train`.

    \b
    hopattn heads gpt2                                  25 random tokens, four times
    hopattn heads pythia --ids text.npy --length 8192     the first 8,192 ids of a file
    hopattn heads two-layers --out heads.svg            a small model that comes with hopattn
    hopattn heads two-layers --out model/               also the model, as a folder in GPT-2's form

    \b
    attention     to the token before, to earlier copies, to what followed them, to the first token,
                  each beside that of a head whose visible keys all have the same weight
    matrices      copying: Σλ/Σ|λ| of the OV circuit; composition with the heads of earlier layers
    energy        U, S and F of the weights, effective keys, operating class I to IV
    fixed point   the distance of the weights of one step from those at the fixed point of q ← Kᵀp

    A text of any length needs no matrix of all its scores. Nothing is downloaded. In Python:
    `ha.circuits.head_census`.
    """
    from hopattn.experiments.model_heads import CensusText, OfConfiguration, census_of_model, trained
    from hopattn.views.census_text import show_census
    from hopattn.views.tables import progress

    outputs.require_drawn("--measure", measure)
    with progress("layers", quick=True) as report:
        census = census_of_model(path, CensusText(**text), report, OfConfiguration.of(set, unread))

    checkpoint = dict if path.is_dir() else lambda: trained(path).checkpoint_files()
    outputs.finish("heads", census, lambda: show_census(census, whole), measure, checkpoint)
