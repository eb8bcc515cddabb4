"""The check of a file costs work in proportion to its size, whatever it holds many of; counted, not timed."""

import difflib
import sys

import pytest

import hopattn as ha
from hopattn.foundation.errors import nearest
from hopattn.practice.drawing import Exercise
from hopattn.scenario.loading import parse

TOP = 'schema = 1\ntitle = "t"\nsource = "s"\nkind = "attention"\n'
HEAD = '[[layer]]\n[[layer.head]]\nmask = "causal"\n'


def with_words(n, tokens, more=""):
    words = "".join(f"w{i} = [{i}, 1]\n" for i in range(n))
    start = f'[vocabulary]\nmagnitude = "free"\naxes = ["a", "b"]\n[vocabulary.words]\n{words}'
    return f"{TOP}{start}[input]\ntokens = {tokens}\n{HEAD}{more}"


def with_layers(n):
    asked = "".join(f'[[expect]]\nmatrix = "weights"\nlayer = {i + 1}\nis = [[1, 0], [0, 1]]\n' for i in range(n))
    return with_words(2, ["w0", "w1"], HEAD * (n - 1) + asked)


def with_layers_of_neurons(n):
    layers = "".join(f'l{i} = {{ shape = 2, activation = "tanh" }}\n' for i in range(n))
    synapse = '[[network.synapses]]\nname = "dense"\non = ["l{}", "l{}"]\nweights = [[1, 0], [0, 1]]\n'
    synapses = "".join(synapse.format(i, i + 1) for i in range(n - 1))
    start = TOP.replace("attention", "network") + '[network]\nupdate = "layers"\n[network.layers]\n'
    return f"{start}{layers}{synapses}[cue.c]\nl0 = [1, 1]\n"


def with_parts(n):
    parts = "".join(f's{i} = "like wurd"\n' for i in range(n))
    return f'{TOP}[spaces]\nword = ["x", "y"]\n{parts}[input]\ntokens = ["x"]\n{HEAD}'


def with_words_of_practice(n):
    words = "".join(f"w{i} = [0.6, 0.8, 0, 0]\n" for i in range(n))
    return ha.load("bank").text.replace("[vocabulary.words]\n", f"[vocabulary.words]\n{words}")


GROWN = {
    "words of practice": with_words_of_practice,
    "unknown tokens": lambda n: with_words(n, [f"w{i}q" for i in range(n)]),
    "expectations of layers": with_layers,
    "synapses of layers": with_layers_of_neurons,
    "unknown parts": with_parts,
}
"""Files with n of something."""


def calls_of(text):
    """The number of Python functions that the check of a text calls."""
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(counted)
    try:
        scenario = parse(text, "f.toml", "f")
        if scenario.spec.practice is not None:
            Exercise(scenario).draw(0, 1)
    except ha.InvalidInput:
        pass
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", GROWN)
def test_the_work_of_a_check_grows_with_the_file(name, monkeypatch):
    monkeypatch.setattr("hopattn.scenario.checking.MOST_PROBLEMS", 10)
    make, n = GROWN[name], 50
    calls_of(make(2))  # imports, and the classes of the kind
    assert calls_of(make(4 * n)) < 5 * calls_of(make(n))


def test_a_sweep_has_at_most_the_axes_of_an_array():
    axes = "".join(f'k{i} = "0:1:2"\n' for i in range(33))
    with pytest.raises(ha.InvalidInput, match=r"sweep\.over: has 33 entries; expected at most 32"):
        parse(f"{with_words(2, ['w0'])}[sweep.over]\n{axes}", "f.toml", "f")


@pytest.mark.parametrize("n", [20, 32])
def test_a_grid_of_too_many_points_is_refused_before_its_ends_are_tried(n, monkeypatch):
    """Two values on each axis: the grid has as many ends as points."""
    monkeypatch.setattr("hopattn.experiments.sweeps.of_scenario.ScenarioTrial.at", None)
    over, text = {f"layer.{i + 1}.head.1.beta": "1,2" for i in range(n)}, with_layers(n)
    axes = "".join(f'"{key}" = "{grid}"\n' for key, grid in over.items())
    says = rf"over: the grid has {2**n:,} points; at most 1,000,000"
    with pytest.raises(ha.InvalidInput, match=rf"f\.toml:\d+: sweep\.{says}"):
        parse(f"{text}[sweep.over]\n{axes}", "f.toml", "f")
    with pytest.raises(ha.InvalidInput, match=says):
        ha.experiments.sweep_scenario(parse(text, "f.toml", "f"), over)


def test_of_many_near_names_few_are_compared_in_their_order(monkeypatch):
    compared = []
    ratio = difflib.SequenceMatcher.ratio
    monkeypatch.setattr(difflib.SequenceMatcher, "ratio", lambda pair: compared.append(pair.a) or ratio(pair))
    names = ["w" * 100 + str(i) for i in range(900)]
    assert nearest("w" * 100 + "q17", names) in names
    assert len(compared) <= 100
