"""Scenarios of probes: their arrays, their verdicts beside chance, and their messages."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.files import shipped_folder
from hopattn.scenario.kinds import kinds
from hopattn.scenario.loading import parse
from tests.counts import spread
from tests.each import each
from tests.refusal import assert_refused

TEMPLATE = kinds["probe"].template()
SMALL = TEMPLATE.replace("dim = 32", "dim = 4").replace("sequences = 400", "sequences = 20")


def verdicts(text):
    return ha.run(parse(text, "file.toml", "file")).expectations


def test_the_arrays_are_those_of_the_function():
    run = ha.run(parse(TEMPLATE, "file.toml", "file"))
    rng = np.random.default_rng(0)
    blocks = ha.circuits.random_blocks(2, 32, 2, rng=rng)
    texts = ha.circuits.random_texts(400, 6, 1000, 32, rng=rng)
    masked, unmasked = (ha.circuits.position_probe(blocks, texts, mask=mask) for mask in ("causal", None))
    for name, expected in (
        ("masked accuracy", masked.accuracy),
        ("unmasked accuracy", unmasked.accuracy),
        ("line accuracy", masked.line),
        ("rest accuracy", masked.rest),
        ("masked distance", masked.distance),
        ("unmasked length", unmasked.mean_length),
        ("accuracy", masked.accuracy[-1]),
        ("standard error", 1 / (6 * np.sqrt(200))),
    ):
        np.testing.assert_allclose(run.arrays[name].values, expected, rtol=1e-9)
    assert run.arrays["masked accuracy"].labels[0] == ("words", "layer 1", "layer 2")


def test_a_verdict_is_a_comparison_with_chance_in_standard_errors():
    met = verdicts(TEMPLATE)
    assert [outcome.met for outcome in met] == [True, True]
    assert met[1].expected.startswith("0.166667 ± 0.0471")  # 4 / (6 × √200)
    swapped = TEMPLATE.replace("above chance", "X").replace('"at chance"', '"above chance"').replace("X", "at chance")
    assert [outcome.met for outcome in verdicts(swapped)] == [False, False]
    assert [outcome.met for outcome in verdicts(TEMPLATE + "errors = 1e-6\n")] == [True, False]
    assert [
        outcome.met for outcome in verdicts(TEMPLATE.replace('"above chance"', '"above chance"\nerrors = 100'))
    ] == [
        False,
        True,
    ]


@pytest.mark.quick(0)
@pytest.mark.parametrize("seed", spread([6, 11, *range(12, 30)], 1))
def test_the_shipped_probe_meets_its_expectations_for_other_random_weights(seed):
    assert ha.run(ha.load("position-probe"), rng=seed).ok


def test_a_layer_is_named_by_its_number_and_the_words_by_0():
    text = TEMPLATE.replace('probe = "unmasked"', 'probe = "masked"\nlayer = 0')
    outcome = verdicts(text)[1]
    accuracy = ha.run(parse(TEMPLATE, "file.toml", "file")).arrays["masked accuracy"].values[0]
    assert outcome.computed == f"{accuracy:.6g}"
    assert outcome.expectation == "masked probe of the words is at chance"


def test_another_norm_and_another_mask_give_other_numbers():
    base = ha.run(parse(SMALL, "file.toml", "file")).arrays
    for change in ({"probe.norm": "first"}, {"probe.mask": "strict"}, {"probe.common": 0}, {"probe.heads": 1}):
        other = ha.run(parse(SMALL, "file.toml", "file"), overrides=change).arrays
        assert not np.allclose(base["masked length"].values, other["masked length"].values), change
    same = ha.run(parse(SMALL, "file.toml", "file"), overrides={"probe.mask": "none"}).arrays
    np.testing.assert_array_equal(same["masked accuracy"].values, same["unmasked accuracy"].values)


def test_the_working_states_chance_and_each_layer():
    lines = ha.run(parse(SMALL, "file.toml", "file"), explain=True).runs[0].working
    assert lines[0] == "chance: one of 6 places, 1/6 ≈ .1667"
    assert lines[1] == "standard error at chance: at most 1/(6×√10) ≈ .0527, for 10 texts"
    assert [line.partition(":")[0] for line in lines[2:5]] == ["words", "layer 1", "layer 2"]


@each(
    ("old", "new", "message"),
    [
        ("heads = 2", "heads = 3", "10: probe.heads: 3 heads do not divide 32 elements into equal parts"),
        ("sequences = 400", "sequences = 4", "12: probe.sequences: got 4; expected at least 20"),
        ("sequences = 400", "sequences = 40000", "12: probe.sequences: got 40000; expected at most 2000"),
        ("length = 6", "lenght = 6", "11: probe.lenght: 'lenght' is unknown; did you mean 'length'?"),
        ('mask = "causal"', 'mask = "casual"', "13: probe.mask: 'casual' is unknown; did you mean 'causal'?"),
        ('probe = "masked"', 'probe = "mask"', "16: expect.1.probe: 'mask' is unknown; did you mean 'masked'?"),
        ('is = "above chance"', 'is = "above"', "17: expect.1.is: 'above' is unknown"),
        (
            'is = "above chance"',
            'is = "above chance"\nlayer = 3',
            "18: expect.1.layer: got 3; the last layer is 2",
        ),
        (
            'is = "above chance"',
            'is = "above chance"\nerrors = 0',
            "18: expect.1.errors: got 0; expected more than 0",
        ),
    ],
)
def test_a_mistake_has_a_message(old, new, message):
    assert old in TEMPLATE
    assert_refused(TEMPLATE.replace(old, new, 1), message)


def test_a_probe_is_expected_of_a_probe_alone():
    text = kinds["program"].template() + '\n[[expect]]\nprobe = "masked"\nis = "at chance"\n'
    assert_refused(text, "40: expect.4.probe: there is no array 'masked accuracy' here")
    text = TEMPLATE + '\n[[expect]]\nstep = "count"\nis = [1]\n'
    assert_refused(text, "24: expect.3.step: 'count' is unknown; there is nothing to choose from")


TRAINED = """schema = 1
title = "t"
source = "ours"
kind = "probe"
[probe]
training = "no-positions"
sequences = 20
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sequences = 20", "sequences = 20\ndim = 8", "8: probe.dim: belongs to a random model; leave it out"),
        ('"no-positions"', '"none.npz"', "6: probe.training: there is no file 'none.npz'"),
        (
            '"no-positions"',
            '"two.npz"',
            "6: probe.training: this model was trained with positions; expected one without",
        ),
    ],
)
def test_a_training_that_does_not_fit_is_refused(tmp_path, old, new, message):
    (tmp_path / "two.npz").write_bytes((shipped_folder() / "circuits" / "two-layers.npz").read_bytes())
    with pytest.raises(InvalidInput) as error:
        parse(TRAINED.replace(old, new), str(tmp_path / "file.toml"), "file")
    assert f"file.toml:{message}" in str(error.value)
