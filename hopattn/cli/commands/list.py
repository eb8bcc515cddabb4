"""`hopattn list`: list the scenarios or the memories that come with hopattn."""

import click

from hopattn.cli.code_pages import portable_json


@click.command(short_help="Show the scenarios, or the memories, that come with hopattn.")
@click.option("--memories", is_flag=True, help="Show the named memories instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
def command(memories: bool, as_json: bool) -> None:
    """Show the scenarios that come with hopattn: name, kind, title and source.

    With --memories, show the memories of the literature: what each is made of, its energy, and under which updates that
    never rises.
    """
    if memories:
        from dataclasses import asdict

        from hopattn.experiments.certificate import overview
        from hopattn.memories.models import named_memories

        rows = [asdict(overview(card)) for card in named_memories.values()]
    else:
        from hopattn.scenario.files import shipped
        from hopattn.scenario.loading import load

        specs = [(name, load(path).spec) for name, path in shipped().items()]
        rows = [{"name": name, "kind": spec.kind, "title": spec.title, "source": spec.source} for name, spec in specs]
    if as_json:
        from hopattn.results.files import json_text

        click.echo(portable_json(json_text(rows)))
        return
    from hopattn.views.consoles import console
    from hopattn.views.terminal import show, table

    cells = [[", ".join(one) or "–" if isinstance(one, tuple) else str(one) for one in row.values()] for row in rows]
    show(console(), table([key.replace("_", " ") for key in rows[0]], cells))
