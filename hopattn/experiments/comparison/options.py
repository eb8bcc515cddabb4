"""The options of the command line: which go with which source of a comparison."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hopattn.experiments.comparison.compare import compare_problems, require_few
from hopattn.experiments.comparison.contenders import DEFAULT, contenders_named
from hopattn.experiments.comparison.cost import Admit, Size, require_time
from hopattn.experiments.comparison.from_files import head_arrays, heads_of, patterns_of
from hopattn.experiments.comparison.from_scenario import heads_left_out, problems_of
from hopattn.experiments.comparison.over_random_patterns import AXES, AXES_OF_GIVEN, TRIALS, compare_draws
from hopattn.experiments.comparison.result import Comparison
from hopattn.foundation.array_files import named
from hopattn.foundation.endings import is_of_numbers
from hopattn.foundation.errors import InvalidInput, in_file, reject_unknown, unknown
from hopattn.foundation.writing import counted
from hopattn.scenario.grids import axes_from
from hopattn.scenario.language.paths import parse_assignment
from hopattn.scenario.loading import load_scenario

ALWAYS = ("models", "over", "beta", "max_steps", "seed", "report", "anyway", "note")
"""The options that go with every source, and the keys of --set."""
OF_RANDOM = ("load", "dim", "n_patterns", "patterns", "noise", "hidden", "correlation", "trials")
"""The further options and keys that go with random patterns."""
SETTINGS = ("beta", "max_steps", *OF_RANDOM[:-1])
"""The keys of --set."""


def compared(source: str | None, over: Sequence[str], settings: Sequence[str], given: Mapping[str, Any]) -> Comparison:
    """The comparison on random patterns, on a scenario, or on the patterns or the heads of a file, as the source says.

    over, settings: texts such as beta=0.1:32:log5 and noise=0.2. given: the other options of the command line that were
    given, by name. Of a scenario, beta is by default its own; of the heads of a file it is 1/√dim, as in attention. The
    cues of patterns from a file are damaged patterns.
    """
    changes = dict(parse_assignment(text) for text in settings)
    reject_unknown("--set", changes, SETTINGS)
    given = {**given, **changes, **({"over": over} if over else {})}
    if source is None:
        options = _options(given, OF_RANDOM, AXES, "random patterns")
        admit = _admit(options, options.get("trials", TRIALS))
        return compare_draws(options.pop("over", {}), options, admit)
    file = Path(source)
    if not is_of_numbers(source):
        options = _options(given, (), ("beta",), "a scenario")
        scenario = load_scenario(source)
        admit = _admit(options, _points(options))
        problems = problems_of(scenario, options.get("rng"))
        admit([Size(len(one.keys), len(one.cues), one.keys.shape[1]) for one in problems])
        about = f"scenario {scenario.name}: {scenario.spec.title}{heads_left_out(scenario, problems)}"
        return compare_problems(problems, about, options)
    with in_file(named(file)):
        return _of_file(file, given)


def _of_file(file: Path, given: Mapping[str, Any]) -> Comparison:
    """The comparison on the patterns or the heads of a file."""
    if head := head_arrays(file, given.get("array")):
        options = _options(given, ("mask", "array"), ("beta",), "queries, keys and values from a file")
        options.pop("array", None)
        admit = _admit(options, _points(options))
        problems = heads_of(file, head, options.pop("mask", "none"), admit)
        return compare_problems(problems, f"{counted(len(problems), 'head')} of {file.name}", options)
    of_patterns = (
        "patterns from a file (a file of heads has the arrays q, k and v alone; else --array q,k,v asks for them)"
    )
    options = _options(given, ("noise", "hidden", "trials", "array"), AXES_OF_GIVEN, of_patterns)
    admit = _admit(options, _points(options) * options.get("trials", TRIALS))
    patterns = patterns_of(file, admit, options.pop("array", None)).read()
    return compare_draws(options.pop("over", {}), options, given=patterns)


def _admit(options: dict[str, Any], times: int) -> Admit:
    """The bound of the time of a comparison, from its options; `anyway` and `note` are taken out of them.

    times: how often each memory recalls each problem. Raises `InvalidInput` if that alone is too often.
    """
    recalls = len(contenders_named(options.get("memories", DEFAULT))) * times
    require_few(recalls)
    own = {name: options.pop(name) for name in ("anyway", "note") if name in options}
    return partial(require_time, recalls=recalls, **own)


def _points(options: Mapping[str, Any]) -> int:
    """The number of points of the grid."""
    return math.prod(len(numbers) for numbers in options.get("over", {}).values())


def _options(given: Mapping[str, Any], further: Iterable[str], axes: Sequence[str], source: str) -> dict[str, Any]:
    """The options as keywords, with memories and axes parsed.

    further: the options that go with this source besides `ALWAYS`. axes: the axes that go with it. source: in words.
    Raises `InvalidInput` for an option that does not go with the source.
    """
    for name in given:
        if name not in (*ALWAYS, *further):
            option = f"--set {name}" if name in SETTINGS else f"--{name}"
            raise InvalidInput(f"{option}: does not go with {source}")
    options = dict(given)
    if "models" in options:
        options["memories"] = [name.strip() for name in str(options.pop("models")).split(",")]
    if "seed" in options:
        options["rng"] = options.pop("seed")
    if "over" in options:
        options["over"] = axes_from(options["over"])
        for name in options["over"]:
            if name in AXES and name not in axes:
                raise InvalidInput(f"--over: {name} does not go with {source}, only {', '.join(axes)}")
            if name not in axes:
                raise InvalidInput(f"--over: {unknown(name, axes)}")
    return options
