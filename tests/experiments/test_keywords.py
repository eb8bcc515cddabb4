"""The keywords of sweeps and comparisons: each is described, and a mistyped one is refused with the nearest choice."""

import re
from inspect import getdoc

import pytest

import hopattn as ha
from hopattn.experiments.comparison.compare import CompareOptions
from hopattn.experiments.comparison.over_random_patterns import PatternOptions, RandomOptions
from hopattn.experiments.sweep.of_scenario import ScenarioSweepOptions
from hopattn.experiments.sweep.runner import SweepOptions
from hopattn.foundation.errors import InvalidInput

KEYWORDS = {
    "sweep": "trials rng file workers scheduler about report note",
    "sweep_scenario": "trials measures rng overrides file workers scheduler report note",
    "compare": "memories beta targets mask max_steps rng report",
    "compare_random": "memories beta dim load noise hidden correlation n_patterns patterns trials max_steps rng report",
    "compare_patterns": "memories beta noise hidden trials max_steps rng report",
}
OPTIONS = {
    "sweep": SweepOptions,
    "sweep_scenario": ScenarioSweepOptions,
    "compare": CompareOptions,
    "compare_random": RandomOptions,
    "compare_patterns": PatternOptions,
}


@pytest.mark.parametrize("name", KEYWORDS)
def test_every_keyword_is_accepted_and_described(name):
    keywords = KEYWORDS[name].split()
    assert set(OPTIONS[name].__annotations__) == set(keywords)
    described = re.findall(r"^(\w+): ", getdoc(getattr(ha, name, None) or getattr(ha.experiments, name)), re.MULTILINE)
    assert [keyword for keyword in described if keyword in keywords] == keywords


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ha.sweep(len, {"x": (1,)}, trails=3), "sweep: 'trails' is unknown; did you mean 'trials'?"),
        (
            lambda: ha.experiments.sweep_scenario(None, workrs=1),
            "sweep_scenario: 'workrs' is unknown; did you mean 'workers'?",
        ),
        (lambda: ha.compare([[1]], [[1]], target=[0]), "compare: 'target' is unknown; did you mean 'targets'?"),
        (lambda: ha.experiments.compare_random(lod=0.1), "compare_random: 'lod' is unknown; did you mean 'load'?"),
        (
            lambda: ha.experiments.compare_patterns([[1]], dim=3),
            "compare_patterns: 'dim' is unknown .choices: beta, hidden, ",
        ),
    ],
)
def test_a_mistyped_keyword_is_refused_with_the_nearest_choice(call, message):
    with pytest.raises(InvalidInput, match=message.replace("?", r"\?")):
        call()


def test_the_keywords_have_the_defaults_that_their_descriptions_name():
    said = {"dim": 64, "load": 0.1, "noise": 0.1, "hidden": 0, "correlation": 0, "patterns": "spins", "trials": 20}
    said |= {"max_steps": 100, "rng": 0}
    few = {"memories": ["nearest"]}
    assert ha.experiments.compare_random(**few).to_json() == ha.experiments.compare_random(**few, **said).to_json()
    for name, value in said.items():
        shown = f'"{value}"' if isinstance(value, str) else str(value)
        assert re.search(rf"^{name}:[^:]*\({shown}\)\.", getdoc(ha.experiments.compare_random), re.MULTILINE), name
