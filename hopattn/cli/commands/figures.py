"""`hopattn figures`: draw the figures of the gallery."""

import gc
from dataclasses import replace
from typing import Any

import click

from hopattn.cli.options import Command, option
from hopattn.cli.output import FIGURES, FOLDER, Outputs, Thing, writes


@click.command(cls=Command, short_help="Draw the figures of the lectures.")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@option("--list", ": the figures, and what each shows.")
@writes("figures", default=[FIGURES])
def command(names: tuple[str, ...], listing: bool, outputs: Outputs) -> None:
    """Draw figures by NAME, or all of them, each from the scenario that comes with it.

    \b
    hopattn figures --list
    hopattn figures attention words --as svg,png
    hopattn figures recall --out recall.gif
    hopattn figures attention words --out talk.pdf
    hopattn figures overlaps returns --out paper/ --as pdf --style paper --size 3.4x2.4

    Without --out, they go into figures/, where an older figure of that name is replaced. `hopattn run NAME --figure`
    draws the figures of one scenario, one of your own too.
    """
    if not listing:
        where = ", ".join(str(out.path) for out in outputs.outs)
        click.echo(f"drawing into {where} …", err=True)  # to import matplotlib for the first time may take long
    from hopattn.figures.figure import gallery
    from hopattn.figures.files import Picture
    from hopattn.foundation.threads import single_threaded

    if listing:
        from hopattn.views.consoles import console
        from hopattn.views.terminal import show, table

        rows = [(name, figure.shows, figure.scenario) for name, figure in gallery().items()]
        show(console(), table(("figure", "shows", "drawn from"), rows))
        return
    figures = [gallery()[name] for name in names or gallery()]
    outputs = replace(outputs, named=names or outputs.named)
    outputs.require_room(1, len(figures))
    gc.freeze()  # what is imported stays: the garbage of each figure is found without looking through it again
    results: dict[Any, Any] = {}
    things = []
    for figure in figures:
        source = figure.scenario, figure.source  # several figures may show one result
        with single_threaded():  # the matrices of its scenario are small, as in `hopattn check`
            result = results[source] = results.get(source) or figure.result()
        things.append(Thing(figure.name, pictures=[Picture.of(figure, result)]))
        if all(out.form == FOLDER for out in outputs.outs):
            outputs.write(things.pop())
    if things:
        outputs.write(*things)
