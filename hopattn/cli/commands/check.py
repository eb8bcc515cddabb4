"""`hopattn check`: run scenarios and check their expectations."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from hopattn.cli.code_pages import portable_json
from hopattn.cli.options import option
from hopattn.cli.scenario_names import ScenarioName

if TYPE_CHECKING:
    from hopattn.scenario.result import Result

MANY = 20
"""The number of scenarios from which on several processes run them, since each takes some seconds to start.

So many that come with hopattn are shown in their groups.
"""


@click.command(short_help="Run scenarios and show which expectations are met.")
@click.argument("scenarios", nargs=-1, metavar="[NAME|GROUP|FILE]...", type=ScenarioName(groups=True))
@option("--long", " scenarios, each in a line with its source.")
@option("--workers", f" for {MANY} scenarios or more.")
@option("--json")
def command(scenarios: tuple[str, ...], whole: bool, workers: int | None, as_json: bool) -> int:
    """Run every scenario that comes with hopattn, or those that are named, and show which expectations are missed.

    \b
    hopattn check
    hopattn check ling3804
    hopattn check mine.toml

    The name of a GROUP, as in hopattn list, stands for its scenarios.
    Of a scenario with a table [practice], the first sheet is drawn too, whose problems must be friendly.

    Files of one name are shown with their paths, as in hopattn check course/*/exercise.toml.
    """
    from hopattn.experiments.processes import results_of
    from hopattn.scenario.checking import InvalidScenario
    from hopattn.scenario.files import GROUPS, in_group, shipped
    from hopattn.views.tables import progress

    found: list[tuple[Result, str, float]] = []
    problems: list[str] = []
    names = [one for name in scenarios for one in in_group(name)] or [*shipped()]
    if "-" in names or (workers is None and len(names) < MANY):  # a worker has no standard input of its own
        workers = 1
    with progress("scenarios", quick=True) as report:
        report(0, len(names))
        for done, one in enumerate(results_of(_checked, names, workers, ordered=True), start=1):
            if isinstance(one, str):
                problems.append(one)
            else:
                found.append(one)
            report(done, len(names))
    places = [place for _, place, _ in found]
    results = _told_apart([result for result, _, _ in found], places)
    if as_json:
        from hopattn.results.files import json_text

        rows = [
            {"name": r.name, "source": r.source, "kind": r.kind, "ok": r.ok, "expectations": r.table()} for r in results
        ]
        click.echo(portable_json(json_text(rows)))
    elif results:
        from hopattn.views.check_text import Checked, show_check

        groups = [Path(place).parent.name for place in places]
        seconds = (taken for _, _, taken in found)
        checked = [Checked(*one) for one in zip(results, groups, seconds, strict=True)]
        in_groups = not scenarios or (len(names) >= MANY and GROUPS.keys() >= {*groups})
        show_check(checked, in_groups=in_groups, long=whole)
    if problems:
        raise InvalidScenario(problems)
    return 0 if all(result.ok for result in results) else 1


def _checked(name: str) -> "tuple[Result, str, float] | str":
    """The verdicts on a scenario, where it stands and the seconds that it took; the message of an error."""
    from hopattn.foundation.errors import InvalidInput
    from hopattn.foundation.threads import single_threaded
    from hopattn.practice.drawing import Exercise
    from hopattn.scenario.loading import load_scenario
    from hopattn.scenario.running import run

    start = perf_counter()
    # The matrices of a scenario are small: several threads of BLAS would wait for each other most of the time.
    with single_threaded():
        try:
            scenario = load_scenario(name)
            result = run(scenario)
            if scenario.spec.practice is not None:
                Exercise(scenario).draw_each()
        except InvalidInput as error:
            return str(error)
    result = replace(result, runs=())  # its arrays are not sent to another process
    return result, scenario.where, perf_counter() - start


def _told_apart(results: "Sequence[Result]", places: Sequence[str]) -> "list[Result]":
    """The results, each under its own name; where several have one name, under their places."""
    counts = Counter(result.name for result in results)
    return [
        replace(result, name=place) if counts[result.name] > 1 else result
        for result, place in zip(results, places, strict=True)
    ]
