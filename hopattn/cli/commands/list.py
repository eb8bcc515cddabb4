"""`hopattn list`: list the scenarios or the memories that come with hopattn."""

from typing import Any

import click

from hopattn.cli.code_pages import portable_json
from hopattn.cli.options import option


@click.command(short_help="Show the scenarios, or the memories, that come with hopattn.")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@option("--long", " scenarios, with kind and source.")
@click.option("--memories", is_flag=True, help="Show the named memories instead.")
@option("--json")
def command(words: tuple[str, ...], whole: bool, memories: bool, as_json: bool) -> None:
    """Show the scenarios that come with hopattn, by what you want to see, or those with a WORD in name or title.

    \b
    hopattn list
    hopattn list capacity
    hopattn list practice
    hopattn list ling3804
    hopattn list --long

    The WORD may be one of those that `hopattn list` shows, the word practice for the scenarios that draw worksheets, or
    a group, which is a folder of scenarios, such as that of a course: ling3804, cs371n, kim, at6, note, sheets,
    memories, landscapes, networks, optimisation, papers, positions, circuits, rasp.

    With --memories, show the memories of the literature: what each is made of, its energy, and under which updates that
    never rises.
    """
    from hopattn.foundation.errors import InvalidInput

    if memories and words:
        raise InvalidInput("--memories: shows all memories; a word looks for scenarios")
    if memories:
        _show_memories(as_json)
        return
    from hopattn.views.consoles import console
    from hopattn.views.scenario_list import all_listed, headed, overview, with_words
    from hopattn.views.terminal import show

    listed = all_listed()
    found = with_words(listed, words) if words else listed
    if as_json:
        names = ("name", "kind", "title", "source", "group", "question")
        _print_json([{name: getattr(one, name) for name in names} for one in found])
        return
    out = console()
    alone = words[0].casefold() if len(words) == 1 else ""
    show(out, *(headed(found, out.width, alone, whole) if words or whole else overview(listed, out.width)))


def _show_memories(as_json: bool) -> None:
    """Write the table of the named memories."""
    from dataclasses import asdict

    from hopattn.experiments.certificate import overview
    from hopattn.memories.models import named_memories

    rows = [asdict(overview(card)) for card in named_memories.values()]
    if as_json:
        _print_json(rows)
        return
    from hopattn.views.consoles import console
    from hopattn.views.terminal import show, table

    cells = [[", ".join(one) or "–" if isinstance(one, tuple) else str(one) for one in row.values()] for row in rows]
    show(console(), table([key.replace("_", " ") for key in rows[0]], cells))


def _print_json(rows: list[dict[str, Any]]) -> None:
    from hopattn.results.files import json_text

    click.echo(portable_json(json_text(rows)))
