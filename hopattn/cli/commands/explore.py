"""`hopattn explore`: write an interactive page, and open it."""

from pathlib import Path

import click

from hopattn.cli.options import option
from hopattn.cli.output import Outputs, Thing, writes
from hopattn.cli.scenario_names import ScenarioName


@click.command(short_help="Write an interactive page, and open it.")
@click.argument("scenario", metavar="[NAME|FILE]", type=ScenarioName(), default="bank")
@click.option("--tokens", metavar="A,B", help="For weights from a file: the words of the text.")
@option("--mask", ".", metavar="none|causal")
@option("--array", " of weights, in a file with several; or Q,K,V of heads.")
@click.option("--no-open", is_flag=True, help="Only write the page.")
@writes("explore")
def command(
    scenario: str,
    *,
    tokens: str | None,
    mask: str | None,
    array: str | None,
    no_open: bool,
    outputs: Outputs,
) -> None:
    """Write one HTML file in which everything can be moved, and open it in the browser: no network, no server.

    \b
    hopattn explore
    hopattn explore letters
    hopattn explore mine.toml --out page.html --no-open
    hopattn explore weights.npy --tokens the,cat,sat     weights, (layers, heads, queries, keys)
    hopattn explore heads.npz --mask causal              q, k and v saved from any model

    By default the file is NAME-explorer.html in this folder; an older page of that name is replaced. The page has four
    views: attention, energy, spins and induction. It opens in the view of the scenario (`bank` by default). For weights
    from a file (.npy, .npz, .csv, .safetensors), it has one view: each head as arcs, as a matrix and in numbers. The
    words may be in the .npz of the weights, as `tokens`.
    """
    import webbrowser

    from hopattn.views.explorer.explorer import explore

    words = None if tokens is None else tokens.split(",")
    page = explore(scenario, tokens=words, mask=mask, array=array, lang=outputs.lang or "en")
    outputs = outputs.or_else(Path(f"{page.name}-explorer.html"))
    outputs.write(Thing(page.name, lambda _: page.html))
    for reason in page.left_out:
        click.echo(reason, err=True)
    for out in outputs.outs:
        if not (no_open or out.printed or webbrowser.open(out.path.resolve().as_uri())):
            click.echo("no browser was found; open the file yourself", err=True)
