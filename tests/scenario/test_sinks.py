"""A sink in a scenario: the rest in arrays, tables, working, figures and expectations."""

import numpy as np
import pytest

import hopattn as ha
from tests.texts import parsed

WORDS = (
    '\nschema = 1\ntitle = "a sink"\nsource = "ours"\n[vocabulary]\naxes = ["money", "river"]\n'
    "words = { bank = [0.6, 0.8], money = [1, 0], river = [0, 1] }\n"
)
HEAD = f"""kind = "attention"{WORDS}[input]
tokens = ["river", "money", "bank"]
[[layer]]
[[layer.head]]
"""
MEMORY = f"""kind = "memory"{WORDS}[input]
tokens = ["bank", "river"]
[memory]
patterns = ["money", "river"]
"""


def of_head(head):
    return ha.run(parsed(HEAD + head), explain=True).runs[0]


def of_memory(memory):
    return ha.run(parsed(MEMORY + memory), explain=True).runs[0]


@pytest.mark.parametrize("beta", [1.0, 3.0])
@pytest.mark.parametrize("separation", ["softmax", "sparsemax"])
def test_the_rest_of_a_head_is_an_array_and_a_column_of_the_table(separation, beta):
    found = of_head(f'separation = "{separation}"\nbeta = {beta}\nsink = 0.5')
    x = found.arrays["input"].values
    own = ha.separations[separation](beta=beta, sink=0.5)
    rest = found.arrays["layer 1 head 1 rest"]
    assert rest.labels == (("river", "money", "bank"),)
    np.testing.assert_allclose(rest.values, own.rest(x @ x.T, np.tri(3, dtype=bool)), rtol=1e-12)
    table = found.table("layer 1 head 1 weights")
    assert table.labels[1] == ("river", "money", "bank", "rest")
    np.testing.assert_allclose(table.values.sum(axis=1), 1, rtol=1e-12)
    assert found.table("layer 1 state") is found.arrays["layer 1 state"]
    hidden = np.zeros((3, 4), bool) if table.hidden is None else table.hidden
    assert not hidden[:, 3].any()


def test_without_a_sink_there_is_no_rest():
    for found in (of_head("beta = 2"), of_memory("beta = 2")):
        assert not [name for name in found.arrays if name.split()[-1] == "rest"]
        assert not [line for line in found.working if " rest " in line]


def test_the_first_text_of_a_batch_has_its_own_rest():
    text = (HEAD + "sink = 0").replace("[input]\n", '[input]\nbatch = [["bank", "bank", "bank"]]\n')
    alone = of_head("sink = 0").arrays["layer 1 head 1 rest"].values
    np.testing.assert_array_equal(ha.run(parsed(text)).runs[0].arrays["layer 1 head 1 rest"].values, alone)


def test_the_working_has_the_sink_as_one_more_term():
    lines = of_head('mask = "strict"\nsink = 0').working
    assert "    e^0 + e^.6 + e^0 ≈ 1 + 1.8221 + 1 ≈ 3.8221" not in lines  # those of bank are .8 and .6
    assert any(line.startswith("    e^.8 + e^.6 + e^0 ≈ 2.2255 + 1.8221 + 1") for line in lines)
    assert any("rest 1/5.0477" in line for line in lines)
    memory = of_memory("beta = 2\nsink = 1").working
    assert any("powers of e, β = 2: e^1.2 + e^1.6 + e^1" in line for line in memory)
    assert any("log(e^(2×.6) + e^(2×.8) + e^1)/2" in line for line in memory)


@pytest.mark.parametrize("memory", ['model = { name = "modern", beta = 2, sink = 1 }', "beta = 2\nsink = 1"])
def test_a_memory_has_the_rest_of_its_first_step(memory):
    found = of_memory(memory)
    cues, keys = found.arrays["input"].values, np.eye(2)
    own = ha.Memory(keys, beta=2, sink=1)
    np.testing.assert_allclose(found.arrays["step 1 rest"].values, own.rest(cues), rtol=1e-12)
    np.testing.assert_allclose(found.arrays["energy"].values[:, 0], own.energy(cues), rtol=1e-12)
    assert found.table("step 1 weights").labels[1] == ("money", "river", "rest")
    assert found.arrays["softmax separation"].labels == (("beta", "sink"),)


@pytest.mark.parametrize(("text", "share"), [(HEAD, np.e), (HEAD.replace("river", "rest"), 1)], ids=["rest", "word"])
def test_a_weight_to_the_rest_is_expected_unless_a_word_has_that_name(text, share):
    expect = f'[[expect]]\nweight = {{ from = "money", to = "rest" }}\nis = {share / (1 + np.e)}\nwithin = 1e-12\n'
    assert ha.run(parsed(f'{text}mask = "strict"\nsink = 1\n{expect}')).ok
