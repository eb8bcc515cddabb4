"""`hopattn check`: run scenarios and check their expectations."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from hopattn.cli.code_pages import portable_json
from hopattn.cli.scenario_names import ScenarioName

if TYPE_CHECKING:
    from hopattn.scenario.result import Result


@click.command(short_help="Run scenarios and show which expectations are met.")
@click.argument("scenarios", nargs=-1, metavar="[NAME|FILE]...", type=ScenarioName())
@click.option("--long", "is_long", is_flag=True, help="Show a line for each scenario, with its source.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
def command(scenarios: tuple[str, ...], is_long: bool, as_json: bool) -> int:
    """Run every scenario that comes with hopattn, or those that are named, and show which expectations are missed.

    Of a scenario with a table [practice], a problem of each kind is drawn too, which must be friendly.

    Files of one name are shown with their paths, as in hopattn check course/*/exercise.toml.
    """
    from hopattn.foundation.errors import CannotDo, InvalidInput
    from hopattn.foundation.threads import single_threaded
    from hopattn.practice.drawing import Exercise
    from hopattn.scenario.checking import InvalidScenario
    from hopattn.scenario.files import shipped
    from hopattn.scenario.loading import load
    from hopattn.scenario.running import run
    from hopattn.views.tables import progress

    results, places, seconds, problems = [], [], [], []
    names = scenarios or tuple(shipped())
    # The matrices of a scenario are small: several threads of BLAS would wait for each other most of the time.
    with progress("scenarios", quick=True) as report, single_threaded():
        for done, name in enumerate(names):
            report(done, len(names))
            start = perf_counter()
            try:
                scenario = load(name)
                result = run(scenario)
                if scenario.spec.practice is not None:
                    Exercise(scenario).draw_each()
                results.append(result)
                places.append(scenario.where)
                seconds.append(perf_counter() - start)
            except (InvalidInput, CannotDo) as error:
                problems.append(str(error))
        report(len(names), len(names))
    results = _told_apart(results, places)
    if as_json:
        from hopattn.results.files import json_text

        rows = [
            {"name": r.name, "source": r.source, "kind": r.kind, "ok": r.ok, "expectations": r.table()} for r in results
        ]
        click.echo(portable_json(json_text(rows)))
    elif results:
        from hopattn.views.check_text import Checked, show_check

        groups = [Path(place).parent.name for place in places]
        checked = [Checked(*one) for one in zip(results, groups, seconds, strict=True)]
        show_check(checked, in_groups=not scenarios, long=is_long)
    if problems:
        raise InvalidScenario(problems)
    return 0 if all(result.ok for result in results) else 1


def _told_apart(results: "Sequence[Result]", places: Sequence[str]) -> "list[Result]":
    """The results, each under its own name; where several have one name, under their places."""
    counts = Counter(result.name for result in results)
    return [
        replace(result, name=place) if counts[result.name] > 1 else result
        for result, place in zip(results, places, strict=True)
    ]
