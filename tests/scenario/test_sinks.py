"""A sink in a scenario: the rest in arrays, tables, working, figures and expectations, and what is refused."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.base import mask_of
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.loading import parse
from hopattn.scenario.running import run
from hopattn.views.array_cells import array_cells
from tests.each import each

WORDS = """
schema = 1
title = "a sink"
source = "ours"
[vocabulary]
axes = ["money", "river"]
[vocabulary.words]
bank = [0.6, 0.8]
money = [1, 0]
river = [0, 1]
"""
HEAD = f"""kind = "attention"{WORDS}[input]
tokens = ["river", "money", "bank"]
[[layer]]
[[layer.head]]
{{head}}
"""
MEMORY = f"""kind = "memory"{WORDS}[memory]
patterns = ["money", "river"]
{{memory}}
[input]
tokens = ["bank", "river"]
"""


def of_head(head, more=""):
    return run(parse(HEAD.format(head=head) + more, "sink.toml", "sink"), explain=True).runs[0]


def of_memory(memory):
    return run(parse(MEMORY.format(memory=memory), "sink.toml", "sink"), explain=True).runs[0]


@each("beta", [1.0, 3.0])
@each("separation", ["softmax", "sparsemax"])
def test_the_rest_of_a_head_is_an_array_and_a_column_of_the_table(separation, beta):
    found = of_head(f'separation = "{separation}"\nbeta = {beta}\nsink = 0.5')
    x = found.arrays["input"].values
    own = ha.separations[separation](beta=beta, sink=0.5)
    rest = found.arrays["layer 1 head 1 rest"]
    assert rest.labels == (("river", "money", "bank"),)
    np.testing.assert_allclose(rest.values, own.rest(x @ x.T, np.tri(3, dtype=bool)), rtol=1e-12)
    table = found.table("layer 1 head 1 weights")
    assert table.labels[1] == ("river", "money", "bank", "rest")
    assert array_cells(table)[0] == ["", "river", "money", "bank", "rest"]
    np.testing.assert_allclose(table.values.sum(axis=1), 1, rtol=1e-12)
    assert found.table("layer 1 state") is found.arrays["layer 1 state"]
    allowed = mask_of(found, "layer 1 head 1", table)
    assert np.array_equal(allowed, np.hstack([np.tri(3, dtype=bool), np.ones((3, 1), bool)]))


def test_without_a_sink_there_is_no_rest():
    for found in (of_head("beta = 2"), of_memory("beta = 2")):
        assert not [name for name in found.arrays if name.split()[-1] == "rest"]
        assert not [line for line in found.working if " rest " in line]


def test_the_first_text_of_a_batch_has_its_own_rest():
    text = HEAD.format(head="sink = 0").replace("[input]\n", '[input]\nbatch = [["bank", "bank", "bank"]]\n')
    alone = of_head("sink = 0").arrays["layer 1 head 1 rest"].values
    np.testing.assert_array_equal(run(parse(text, "b.toml", "b")).runs[0].arrays["layer 1 head 1 rest"].values, alone)


def test_the_working_has_the_sink_as_one_more_term():
    lines = of_head('mask = "strict"\nsink = 0').working
    assert "    e^0 + e^.6 + e^0 ≈ 1 + 1.8221 + 1 ≈ 3.8221" not in lines  # those of bank are .8 and .6
    assert any(line.startswith("    e^.8 + e^.6 + e^0 ≈ 2.2255 + 1.8221 + 1") for line in lines)
    assert any("rest 1/5.0477" in line for line in lines)
    memory = of_memory("beta = 2\nsink = 1").working
    assert any("powers of e, β = 2: e^1.2 + e^1.6 + e^1" in line for line in memory)
    assert any("log(e^(2×.6) + e^(2×.8) + e^1)/2" in line for line in memory)


@each("memory", ['model = { name = "modern", beta = 2, sink = 1 }', "beta = 2\nsink = 1"])
def test_a_memory_has_the_rest_of_its_first_step(memory):
    found = of_memory(memory)
    cues, keys = found.arrays["input"].values, np.eye(2)
    own = ha.Memory(keys, beta=2, sink=1)
    np.testing.assert_allclose(found.arrays["step 1 rest"].values, own.rest(cues), rtol=1e-12)
    np.testing.assert_allclose(found.arrays["energy"].values[:, 0], own.energy(cues), rtol=1e-12)
    assert found.table("step 1 weights").labels[1] == ("money", "river", "rest")
    assert found.arrays["softmax separation"].labels == (("beta", "sink"),)


def test_a_weight_to_the_rest_is_expected():
    expect = '[[expect]]\nweight = {{ from = "money", to = "{to}" }}\nis = 0.5\nwithin = {within}\n'
    found = run(
        parse(HEAD.format(head='mask = "strict"\nsink = 0') + expect.format(to="rest", within=1e-9), "s.toml", "s")
    )
    assert found.ok
    with pytest.raises(InvalidInput, match="'rest' is unknown"):
        parse(HEAD.format(head="") + expect.format(to="rest", within=1), "s.toml", "s")


@each(
    ("head", "message"),
    [
        (
            'separation = "identity"\nsink = 0',
            r"head\.1\.sink: the separation 'identity' does not let patterns compete",
        ),
        ("sink = nan", r"sink: got nan; expected a finite number"),
        ('sink = "0"', "sink: got '0'; expected a"),
        ("weights = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\nsink = 0", "sink: is not used where weights are given"),
        ('separation = { name = "entmax", sink = 0 }', "sink"),
        ("sinks = 0", "'sinks' is unknown; did you mean 'sink'"),
    ],
)
def test_a_wrong_sink_of_a_head_is_refused_once(head, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        of_head(head)
    assert str(caught.value).count("\n") == 0


@each(
    ("memory", "message"),
    [
        ('separation = "power"\nsink = 0', r"memory\.sink: the separation 'power' does not let patterns compete"),
        ('model = "modern"\nsink = 0', r"memory\.sink: is a part of the model 'modern'"),
        ('model = { name = "dense", sink = 0 }', "sink"),
        (
            'model = { name = "universal", separation = "identity", sink = 0 }',
            r"memory\.model: sink: the separation 'id",
        ),
    ],
)
def test_a_wrong_sink_of_a_memory_is_refused_once(memory, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        of_memory(memory)
    assert str(caught.value).count("\n") == 0


@each("name", ["sink", "null-pattern"])
def test_the_page_to_play_with_says_that_it_has_no_sink(name):
    with pytest.raises(InvalidInput, match="has no sink"):
        ha.explore(name)


def test_a_trace_with_a_sink_is_drawn_with_its_rest():
    head = ha.Head(*[np.eye(2)] * 3, sink=0.0)
    axes = ha.plot(head.trace(np.array([[1.0, 0.0], [0.6, 0.8]])), "attention")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "rest"]
