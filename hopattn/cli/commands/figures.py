"""`hopattn figures`: draw the figures of the gallery."""

from pathlib import Path

import click


@click.command(short_help="Draw the figures of the lectures.")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--list", "listing", is_flag=True, help="Name the figures, and what each shows.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("figures"), help="The FOLDER to draw into.")
@click.option("--format", "formats", default="svg", metavar="svg,pdf,png,gif", help="One format or several.")
def command(names: tuple[str, ...], listing: bool, out: Path, formats: str) -> None:
    """Draw figures by NAME, or all of them, each from the scenario that comes with it.

    \b
    hopattn figures --list
    hopattn figures attention moved --format svg,png
    hopattn figures animation --format gif

    A file of that name is replaced. `hopattn run NAME --figures` draws all figures that a scenario has something for,
    one of your own too.
    """
    if not listing:
        click.echo(
            f"drawing into {out} …", err=True
        )  # the first import of matplotlib may take long: it reads all fonts
    from hopattn.figures.gallery import plots
    from hopattn.figures.rendering import figures_named, formats_of, save
    from hopattn.scenario.loading import load
    from hopattn.scenario.running import run

    if listing:
        from hopattn.views.terminal import console, show, table

        rows = [(name, kind.shows, kind.scenario) for name, kind in plots.items()]
        show(console(), table(("figure", "shows", "drawn from"), rows))
        return
    for plot in figures_named(names):
        for path, notes in save(plot, run(load(plot.scenario)), out, formats_of(plot, formats, bool(names))):
            click.echo(str(path))
            for note in notes:
                click.echo(f"{path}: {note}", err=True)
