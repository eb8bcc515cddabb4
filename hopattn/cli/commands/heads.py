"""`hopattn heads`: every attention head of a model on disk: what it attends to, copies and reads."""

from pathlib import Path
from typing import Any

import click

from hopattn.cli.code_pages import portable_json
from hopattn.cli.drawing import draw_into


@click.command(short_help="Measure every attention head of a model on disk.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--repeats", metavar="NxM", default="", help="N random tokens, M times: 25x4, or what fits the model.")
@click.option("--ids", type=click.Path(path_type=Path), metavar="FILE", help="The ids of a text: .npy, or numbers.")
@click.option(
    "--text", type=click.Path(path_type=Path), metavar="FILE", help="A text, with the model's tokenizer.json."
)
@click.option("--long", type=click.IntRange(min=4), metavar="N", help="N tokens: the first of FILE, or random twice.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the random tokens.")
@click.option("--missing", multiple=True, metavar="NAME=VALUE", help="Value of a field that config.json lacks.")
@click.option("--unread", multiple=True, metavar="NAMES", help="Fields of config.json to leave unread, as in a,b.")
@click.option("--all", "whole", is_flag=True, help="Show the numbers of all heads.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), metavar="FILE", help="Write all heads as CSV.")
@click.option(
    "--figure", "figure_file", type=click.Path(path_type=Path), metavar="FILE", help="Draw it: .svg, .pdf or .png."
)
@click.option(
    "--save", "folder", type=click.Path(path_type=Path), metavar="FOLDER", help="Write a trained .npz as a checkpoint."
)
def command(
    path: Path,
    whole: bool,
    as_json: bool,
    csv_file: Path | None,
    figure_file: Path | None,
    folder: Path | None,
    missing: tuple[str, ...],
    unread: tuple[str, ...],
    **text: Any,
) -> None:
    """Measure every head of the model at PATH: the folder of a checkpoint, or an .npz file of `hopattn train`.

    \b
    hopattn heads gpt2                                  25 random tokens, four times
    hopattn heads pythia --ids text.npy --long 8192     the first 8,192 ids of a file
    hopattn heads two-layers --figure heads.svg         a small model that comes with hopattn
    hopattn heads two-layers --save model               the same model as a folder in GPT-2's form

    \b
    attention     to the token before, to earlier copies, to what followed them, to the first token,
                  each beside that of a head whose visible keys all have the same weight
    matrices      copying: Σλ/Σ|λ| of the OV circuit; composition with the heads of earlier layers
    energy        U, S and F of the weights, effective keys, operating class I to IV
    fixed point   the distance of the weights of one step from those at the fixed point of q ← Kᵀp

    A text of any length needs no matrix of all its scores. Nothing is downloaded. Of a file named by --csv or --figure,
    only an older table or figure of hopattn is replaced. In Python: `ha.circuits.head_census`.
    """
    from hopattn.experiments.model_heads import CensusText, OfConfiguration, census_of_model, trained
    from hopattn.results.files import json_text, require_output, write_over
    from hopattn.views.census_text import show_census
    from hopattn.views.tables import progress

    require_output(figure_file, "--figure", ".svg", ".pdf", ".png")
    require_output(csv_file, "--csv", ".csv")
    training = None if folder is None else trained(path)
    with progress("layers", quick=True) as report:
        census = census_of_model(path, CensusText(**text), report, OfConfiguration.of(missing, unread))
    if training is not None and folder is not None:
        training.save_checkpoint(folder)
        click.echo(str(folder), err=True)
    if figure_file is not None:
        from hopattn.figures.census import census_sheet

        draw_into(figure_file, census_sheet(census))
    if csv_file is not None:
        write_over(csv_file, census.to_csv().encode())
        click.echo(str(csv_file), err=True)
    if as_json:
        click.echo(portable_json(json_text(census.to_dict())))
        return
    show_census(census, whole)
