"""`hopattn list`: the scenarios that come with hopattn."""

import click


@click.command(short_help="Show the scenarios that come with hopattn.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
def command(as_json: bool) -> None:
    """Show the scenarios that come with hopattn: name, kind, title and source."""
    from hopattn.scenario.files import shipped
    from hopattn.scenario.loading import load

    found = [(name, load(path).spec) for name, path in shipped().items()]
    rows = [{"name": name, "kind": spec.kind, "title": spec.title, "source": spec.source} for name, spec in found]
    if as_json:
        from hopattn.scenario.result import json_text

        click.echo(json_text(rows))
        return
    from hopattn.terminal import console, table

    console().print(table(["name", "kind", "title", "source"], [list(row.values()) for row in rows]))
