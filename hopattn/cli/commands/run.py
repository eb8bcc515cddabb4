"""`hopattn run`: run scenarios."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from hopattn.cli.options import Command, option
from hopattn.cli.output import ALL, FOLDER, PICTURES, Outputs, Thing, writes
from hopattn.cli.scenario_names import ScenarioName
from hopattn.foundation.errors import InvalidInput, placed

if TYPE_CHECKING:
    from hopattn.figures.files import Picture
    from hopattn.scenario.loading import Scenario
    from hopattn.scenario.result import Result

HANDOUTS = ("md", "html", "tex")


@click.command(cls=Command, short_help="Run a scenario.")
@click.argument("scenarios", metavar="NAME|FILE|-...", nargs=-1, required=True, type=ScenarioName())
@click.option("--explain", is_flag=True, help="Write the arithmetic, step by step, as the lecture does.")
@option("--json")
@option("--set", ", as in mask=causal or layer.1.head.mask=causal.")
@click.option("--digits", type=click.IntRange(1, 15), default=2, show_default=True, help="Decimals in tables.")
@option("--seed", "; replaces the one in the file.")
@option(
    "--array",
    " for csv, json and npz, such as couplings, weights or river/weights of a variant. It may be given again.",
    multiple=True,
)
@writes("run")
def command(
    scenarios: tuple[str, ...],
    explain: bool,
    set: tuple[str, ...],
    digits: int,
    seed: int | None,
    array: tuple[str, ...],
    outputs: Outputs,
) -> int:
    """Run a scenario: one that comes with hopattn by its NAME, a FILE of your own, or - for standard input.

    \b
    hopattn run bank
    hopattn run bank --explain
    hopattn run bank --digits 4
    hopattn run bank --set layer.head.separation=softmax
    hopattn run bank --set input.tokens=in,muddy,rivers,banks
    hopattn run letters --set 'cue."half of R".hide="top"'
    hopattn run bank --out bank.svg
    hopattn run bank --out bank.svg --figure words --style paper --size 3.4x2.4 --no-title
    hopattn run bank --out bank.svg --set figure.run=river
    hopattn run bank --out slides/ --figure words,attention --as pdf,png
    hopattn run bank letters landscape --out talk.pdf
    hopattn run bank --out bank.html
    hopattn run hopfield --out w.csv --array couplings
    hopattn run bank --out results/

    The ending of --out names the form; it may be given again. A FOLDER/ is new, all of its files are written or none.
    With -.csv, or another ending of a text, standard output has this text alone. --lang de
    writes pictures, texts and arithmetic in German.
    """
    from hopattn.scenario.language.paths import parse_assignment
    from hopattn.scenario.running import run

    overrides = dict(parse_assignment(change) for change in set)
    changed = bool(overrides) or seed is not None
    overrides |= {} if outputs.lang is None else {"figure.lang": outputs.lang}
    forms = outputs.forms
    if array and not forms & {"csv", "json", "npz"}:
        raise InvalidInput("--array: is for a table; write one, as in --out weights.csv, or -.csv to print it")
    if outputs.as_json and len(scenarios) > 1:
        raise InvalidInput("--json: prints one result; run one scenario")
    outputs.require_room(len(scenarios), len(scenarios) * max(1, len(outputs.named)))
    named = [name for name in outputs.named if name != ALL]
    if named:
        from hopattn.figures.figure import gallery

        _ = [gallery()[name] for name in named]
    loaded = [_loaded(scenario) for scenario in scenarios]
    if FOLDER in forms and len({one.name for one in loaded}) < len(loaded):
        raise InvalidInput(f"--out: a {FOLDER} holds one scenario of a name; leave the other out")
    results = list["Result"]()
    for one in loaded:
        with placed(one.name) if len(loaded) > 1 else nullcontext():
            results.append(run(one, seed, overrides, explain=explain or bool(forms & {*HANDOUTS})))
    things = [_thing(result, outputs, array) for result in results]
    outputs.write(*things, show=lambda: _show(scenarios, loaded, results, explain, digits, changed, outputs.is_drawn()))
    return 0 if all(result.ok for result in results) else 1


def _show(
    names: Sequence[str],
    loaded: "Sequence[Scenario]",
    results: "Sequence[Result]",
    explain: bool,
    digits: int,
    changed: bool,
    drawn: bool,
) -> None:
    """Write results to standard output, each with what one may do next."""
    import numpy as np

    from hopattn.foundation.sentences import language
    from hopattn.views.next_steps import next_steps
    from hopattn.views.result_text import show_result

    for i, (name, scenario, result) in enumerate(zip(names, loaded, results, strict=True)):
        if i:
            click.echo()
        given = "" if changed or name == "-" else name
        with language(result.figure.lang):
            with np.errstate(all="ignore"):  # figures and pages that might be drawn, of vectors at the edge of a range
                further = [*next_steps(scenario, result, given, explain, drawn)]
            show_result(result, explain, digits, further)


def _thing(result: "Result", outputs: Outputs, array: Sequence[str]) -> Thing:
    """What is written of a result."""
    from hopattn.views.handout import handout

    def written(form: str) -> str | bytes:
        if form in HANDOUTS:
            return handout(result, form)
        with placed("--array"):
            numbers = result if form == "json" and not array else result.shown(*array)
        return getattr(numbers, f"to_{form}")()  # type: ignore[no-any-return]

    pictures = [*_pictures(result, outputs)] if outputs.is_drawn() else []
    return Thing(result.name, written, pictures, lambda folder, _: result.save(folder, command=outputs.line))


def _pictures(result: "Result", outputs: Outputs) -> "Iterator[Picture]":
    """The figures of --figure, or the one that shows a result best."""
    from hopattn.figures.favourites import drawable, favourite, why_no_figures
    from hopattn.figures.figure import gallery
    from hopattn.figures.files import Picture

    if not any(name != ALL for name in outputs.named) and (reason := why_no_figures(result)):
        raise InvalidInput(reason)
    best = favourite(result) if not outputs.named else None
    if best and {"gif"} == outputs.forms & {*PICTURES} and not best.film:
        best = next((figure for figure in drawable(result) if Picture.of(figure, result).moves), best)
    for name in outputs.named or (ALL,):
        for figure in [best] if best else drawable(result) if name == ALL else [gallery()[name]]:
            yield Picture.of(figure, result)


def _loaded(scenario: str) -> "Scenario":
    """The scenario of a name or a file; `-` stands for standard input."""
    from hopattn.scenario.files import MAX_BYTES, decode
    from hopattn.scenario.loading import load_scenario, parse

    if scenario != "-":
        return load_scenario(scenario)
    if sys.stdin is None:
        raise InvalidInput("-: standard input is closed")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    return parse(decode(data, "-"), "-", "standard input")
