"""`hopattn papers`: published numbers, computed again."""

from typing import TYPE_CHECKING

import click

from hopattn.cli.options import Command, option
from hopattn.cli.output import Outputs, Thing, writes

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from hopattn.figures.files import Picture
    from hopattn.papers.record import Computed, Record


class RecordName(click.types.StringParamType):
    """The name of a record, the group of a paper, or a word."""

    name = "record"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        """The names of records and groups that begin with the incomplete word."""
        from click.shell_completion import CompletionItem

        from hopattn.papers import records

        choices = dict.fromkeys([*records(), *(record.group for record in records().values())])
        return [CompletionItem(name) for name in choices if name.startswith(incomplete)]


@click.command(cls=Command, short_help="Show published numbers beside ours, computed now.")
@click.argument("words", nargs=-1, metavar="[NAME|GROUP|WORD]...", type=RecordName())
@click.option("--check", is_flag=True, help="Compute the numbers again, and show those that do not hold.")
@option("--long", " numbers.")
@option("--workers", ".")
@option("--json")
@writes("papers")
def command(words: tuple[str, ...], check: bool, whole: bool, workers: int | None, outputs: Outputs) -> int:
    """Show the numbers that papers publish, and what hopattn computes: of a NAME, of a GROUP, or with a WORD.

    \b
    hopattn papers
    hopattn papers critical-load
    hopattn papers critical-load --out load.svg
    hopattn papers hopfield-1982
    hopattn papers memories
    hopattn papers hopfield 1982
    hopattn papers kinetic
    hopattn papers --check
    hopattn papers --long

    A GROUP is that of a paper, or that of the scenarios, as in hopattn list, which show the numbers.

    A single NAME is computed and shown whole: paper and place, the published number, ours with its standard error, the
    verdict and why, the working, and the command that computes it. With --check, several processes compute all numbers
    again; exit code 1 if one does not hold as its verdict says.

    \b
    exact            ours is the published number
    asymptotic       the published number is a limit; ours is the value at this size
    bound            ours is on the right side of the published bound
    kinetic          a crossover at finite time, no transition; ours is the value at this time
    superseded       ours differs: another record has the number that holds
    does not hold    ours differs: the number does not hold as printed
    not checked      no number of ours
    """
    from hopattn.foundation.errors import InvalidInput
    from hopattn.papers.checking import chosen, computed
    from hopattn.papers.record import verdicts
    from hopattn.results.files import json_text

    found = chosen(words)
    single = len(words) == 1 and found[0].name == words[0]
    if outputs.is_drawn() and not single:
        raise InvalidInput(f"--out: a picture needs the name of one record, not {len(found)} records")
    pictures = [_picture(found[0])] if outputs.is_drawn() else []
    results: list[Computed] = []
    if check or single:
        from hopattn.views.tables import progress

        with progress("numbers", quick=True) as report:
            results = computed(found, 1 if single else workers, report)

    def written(form: str) -> str | bytes:
        rows = results or found
        return json_text([one.to_dict() for one in rows]) if form == "json" else getattr(verdicts(rows), f"to_{form}")()

    outputs.write(Thing("papers", written, pictures), show=lambda: _show(found, results, words, check, whole))
    return 1 if any(one.holds is False for one in results) else 0


def _show(found: "list[Record]", results: "list[Computed]", words: tuple[str, ...], check: bool, whole: bool) -> None:
    from hopattn.views import papers_text

    if check:
        papers_text.show_checked(results, whole)
    elif results:
        papers_text.show_record(results[0])
    else:
        papers_text.show_overview(found, whole=whole or bool(words))


def _picture(record: "Record") -> "Picture":
    """The figure of the scenario that shows a number; raises `InvalidInput` where there is none.

    It is the one that the gallery draws from the scenario, else that of its kept sweep, else its favourite.
    """
    from hopattn.experiments.sweeps.kept import kept_folder, kept_sweep
    from hopattn.figures.favourites import favourite, why_no_figures
    from hopattn.figures.figure import gallery
    from hopattn.figures.files import Picture
    from hopattn.figures.sweep import sweep_sheet
    from hopattn.foundation.errors import InvalidInput
    from hopattn.scenario.files import shipped
    from hopattn.scenario.loading import load_scenario
    from hopattn.scenario.running import run

    if record.figure is None:
        raise InvalidInput(f"--out: no scenario shows '{record.name}'")
    figures = [figure for figure in gallery().values() if figure.scenario == record.figure]
    scenario = load_scenario(shipped()[record.figure])
    if not figures and (kept_folder() / f"{record.figure}.jsonl").is_file():
        return Picture("sweep", lambda: sweep_sheet(kept_sweep(scenario)), None, record.figure)
    result = figures[0].result() if figures else run(scenario)
    if (figure := figures[0] if figures else favourite(result)) is None:
        raise InvalidInput(f"--out: {why_no_figures(result)}")
    return Picture.of(figure, result)
