"""`hopattn figures`: draw the figures of the gallery."""

import gc
from pathlib import Path
from typing import Any

import click

from hopattn.cli.drawing import drawing_asked, with_drawing_options


@click.command(short_help="Draw the figures of the lectures.")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--list", "listing", is_flag=True, help="Name the figures, and what each shows.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("figures"), help="The FOLDER to draw into.")
@with_drawing_options
def command(names: tuple[str, ...], listing: bool, out: Path, **drawing: Any) -> None:
    """Draw figures by NAME, or all of them, each from the scenario that comes with it.

    \b
    hopattn figures --list
    hopattn figures attention words --format svg,png
    hopattn figures recall --format gif
    hopattn figures overlaps returns --style paper --size 3.4x2.4 --format pdf

    An older figure of that name is replaced. `hopattn run NAME --figures` draws all figures that a scenario has
    something for, one of your own too.
    """
    if not listing:
        click.echo(
            f"drawing into {out} …", err=True
        )  # the first import of matplotlib may take long: it reads all fonts
    from hopattn.figures.figure import gallery
    from hopattn.foundation.threads import single_threaded

    if listing:
        from hopattn.views.consoles import console
        from hopattn.views.terminal import show, table

        rows = [(name, figure.shows, figure.scenario) for name, figure in gallery().items()]
        show(console(), table(("figure", "shows", "drawn from"), rows))
        return
    wishes, figures = drawing_asked(**drawing), gallery()
    gc.freeze()  # what is imported stays: the garbage of each figure is found without looking through it again
    results: dict[Any, Any] = {}
    for figure in [figures[name] for name in names or figures]:
        source = figure.scenario, figure.source  # several figures may show one result
        with single_threaded():  # the matrices of its scenario are small, as in `hopattn check`
            result = results[source] = results.get(source) or figure.result()
        for path, notes in wishes.files(figure, result, out, by_name=bool(names)):
            click.echo(str(path))
            for note in notes:
                click.echo(f"{path}: {note}", err=True)
