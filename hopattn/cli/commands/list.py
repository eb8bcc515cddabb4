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
    rows = _memories() if memories else _scenarios()
    if as_json:
        from hopattn.results.files import json_text

        click.echo(portable_json(json_text(rows)))
        return
    from hopattn.views.consoles import console
    from hopattn.views.terminal import show, table

    show(console(), table([key.replace("_", " ") for key in rows[0]], [[*map(_text, row.values())] for row in rows]))


def _scenarios() -> list[dict[str, object]]:
    """One row for each shipped scenario."""
    from hopattn.scenario.files import shipped
    from hopattn.scenario.loading import load

    specs = [(name, load(path).spec) for name, path in shipped().items()]
    return [{"name": name, "kind": spec.kind, "title": spec.title, "source": spec.source} for name, spec in specs]


def _memories() -> list[dict[str, object]]:
    """One row for each named memory."""
    from dataclasses import asdict

    from hopattn.experiments.certificate import overview
    from hopattn.memories.models import named_memories

    return [asdict(overview(card)) for card in named_memories.values()]


def _text(value: object) -> str:
    """A value as the text of a cell; an empty tuple is a dash."""
    return (", ".join(value) or "–") if isinstance(value, tuple) else str(value)
