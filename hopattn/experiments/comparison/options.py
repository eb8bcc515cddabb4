"""From what a person asks for on the command line to a comparison: which options go with which source."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hopattn.experiments.comparison.compare import compared
from hopattn.experiments.comparison.from_files import heads_of, patterns_of
from hopattn.experiments.comparison.from_scenario import questions_of
from hopattn.experiments.comparison.over_random_patterns import AXES, OF_STORED, compare_patterns, compare_random
from hopattn.experiments.comparison.result import Comparison
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.grids import Values, axes_from
from hopattn.scenario.loading import load

ALWAYS = ("memories", "over", "beta", "max_steps", "seed")
DRAWN = ("load", "dim", "n_patterns", "patterns", "noise", "hidden", "correlation", "trials")
Given = Mapping[str, Any]


def of_random(given: Given) -> Comparison:
    """Random patterns, as the options say."""
    options = _options(given, DRAWN, AXES, "random patterns")
    return compare_random(**options)


def of_patterns(file: Path, given: Given) -> Comparison:
    """The patterns of a file, with cues that are damaged patterns."""
    options = _options(given, ("noise", "hidden", "trials"), OF_STORED, "patterns from a file")
    return compare_patterns(patterns_of(file), **options)


def of_heads(file: Path, given: Given) -> Comparison:
    """The heads of a file; beta is 1/√dim by default, as in attention."""
    options = _options(given, ("mask",), ("beta",), "queries, keys and values from a file")
    questions = heads_of(file, options.pop("mask", "none"))
    betas = [float(one.keys.shape[1]) ** -0.5 for one in questions]
    told = f"{len(questions)} head{'s' if len(questions) > 1 else ''} of {file.name}"
    return compared(questions, told, betas=betas, **_with_beta(options))


def of_scenario(name: str, given: Given) -> Comparison:
    """What a scenario asks; its own beta by default."""
    options = _options(given, (), ("beta",), "a scenario")
    scenario = load(name)
    asking = questions_of(scenario, options.get("seed"))
    own = [one.question.default_beta if one.beta is None else one.beta for one in asking]
    told = f"scenario {scenario.name}: {scenario.spec.title}"
    return compared([one.question for one in asking], told, betas=own, **_with_beta(options))


def _with_beta(options: dict[str, Any]) -> dict[str, Any]:
    """The axis of beta, if there is one, in place of the number."""
    over = options.pop("over", {})
    if over and "beta" in options:
        raise InvalidInput("beta: is given both as a number and as an axis; give one of them")
    return {**options, **({"beta": over["beta"]} if over else {})}


def _options(given: Given, fitting: Iterable[str], axes: Iterable[str], what: str) -> dict[str, Any]:
    """The options, with memories and axes read; raises `InvalidInput` for one that does not go with the source."""
    for name in given:
        if name not in (*ALWAYS, *fitting):
            raise InvalidInput(f"--{name.replace('_', '-')}: does not go with {what}")
    options = dict(given)
    if "memories" in options:
        options["memories"] = [name.strip() for name in str(options["memories"]).split(",")]
    if "over" in options:
        options["over"] = _grid(options["over"], tuple(axes), what)
    return options


def _grid(texts: Iterable[str], axes: tuple[str, ...], what: str) -> dict[str, Values]:
    """The axes of a grid from texts such as beta=0.1:32:log5."""
    found = axes_from(texts)
    for name in found:
        if name in AXES and name not in axes:
            raise InvalidInput(f"--over: {name} does not go with {what}, only {', '.join(axes)}")
        if name not in axes:
            raise InvalidInput(f"--over: {unknown(name, axes)}")
    return found
