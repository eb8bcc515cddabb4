"""Neuron by neuron in a scenario: the array `turns`, its expectations, and the lines of --explain."""

import numpy as np
import pytest

import hopattn as ha
from tests.refusal import assert_refused
from tests.texts import parsed

FIVE = """schema = 1
title = "t"
source = "ours"
kind = "memory"
[memory]
patterns = [[1, -1, 1, -1, -1]]
model = "hopfield"
update = UPDATE
[vocabulary]
axes = ["1", "2", "3", "4", "5"]
magnitude = "free"
[vocabulary.words]
a = [1, 1, 1, 1, -1]
[input]
tokens = TOKENS
"""
IN_ORDER = '{ name = "async", order = [4, 1, 2, 3, 5] }'
TURNS = '[[expect]]\nmatrix = "turns"\n'


def text(update=IN_ORDER, tokens='["a"]', more=""):
    return FIVE.replace("UPDATE", update).replace("TOKENS", tokens) + more


def run(*arguments, **options):
    return ha.run(parsed(text(*arguments)), **options, explain=True).runs[0]


def lines(only):
    return [line.strip() for line in only.working if not line.startswith("coupling")]


def test_the_turns_are_those_by_hand():
    """W = .2 ξξᵀ without its diagonal: the first field of neuron 4 is −.2 + .2 − .2 − .2."""
    only = run()
    turns, x = only.arrays["turns"], np.array([1.0, 1, 1, 1, -1])
    assert turns.dims == ("cue", "turn", "of") and turns.labels[2] == ("field", "before", "after", "energy")
    assert turns.labels[1][:2] == ("1: neuron 4", "2: neuron 1") and turns.values.shape == (1, 10, 4)
    xi, order = np.array([1.0, -1, 1, -1, -1]), [3, 0, 1, 2, 4]
    for i, (field, before, after, energy) in zip([*order, *order], turns.values[0], strict=True):
        h = 0.2 * sum(xi[i] * xi[j] * x[j] for j in range(5) if j != i)
        assert before == x[i]
        x[i] = np.sign(h)
        assert (field, energy) == pytest.approx((h, -0.1 * ((xi @ x) ** 2 - 5))) and after == x[i]
    assert lines(only)[3:6] == [
        "sweep 1, one neuron after the other in the order 4, 1, 2, 3, 5:",
        "neuron 4: −.2×1 + .2×1 + (−.2)×1 + .2×(−1) = −.2 + .2 + (−.2) + (−.2) = −.4, 1 → −1, energy −.4",
        "neuron 1: −.2×1 + .2×1 + (−.2)×(−1) + (−.2)×(−1) = −.2 + .2 + .2 + .2 = .4, stays 1, energy −.4",
    ]
    assert lines(only).index("sweep 2, no neuron changes:") + 6 == next(
        i for i, line in enumerate(lines(only)) if line.startswith("after 2 steps")
    )


@pytest.mark.parametrize(
    ("ties", "end", "named"), [("keep", "stays −1", ""), ("up", "−1 → 1", ", a field of 0 gives 1")]
)
def test_a_field_of_0_keeps_the_neuron_or_gives_1(ties, end, named):
    """With the pattern of ones too, W_ij is .4 within {1, 3} and {2, 4, 5}, and 0 between them."""
    several = text(f'{{ name = "async", ties = "{ties}" }}').replace("-1, -1]]", "-1, -1], [1, 1, 1, 1, 1]]")
    only = ha.run(parsed(several.replace("a = [1, 1, 1, 1, -1]", "a = [1, -1, 1, 1, -1]")), explain=True).runs[0]
    assert f"sweep 1, one neuron after the other in the order 1, 2, 3, 4, 5{named}" in lines(only)[4]
    assert any(
        line.startswith(f"neuron 2: 0×1 + 0×1 + .4×1 + .4×(−1) = 0 + 0 + .4 + (−.4) = 0, {end},")
        for line in lines(only)
    )


def test_an_order_that_is_drawn_is_named_with_its_seed_and_is_that_of_the_recall():
    for seed in range(4):
        only = run('{ name = "async", order = "random" }', rng=seed)
        orders = [line for line in lines(only) if line.startswith("sweep")]
        assert all(f", which seed {seed} draws" in line for line in orders)
        named = [line.partition("order ")[2].partition(", which")[0] for line in orders]
        labels = [label.rpartition(" ")[2] for label in only.arrays["turns"].labels[1]]
        assert named == [", ".join(labels[:5]), ", ".join(labels[5:])]
        x = only.arrays["input"].values[0].copy()
        for label, after in zip(labels, only.arrays["turns"].values[0, :, 2], strict=True):
            x[int(label) - 1] = after
        assert np.array_equal(x, only.arrays["state"].values[0])


def test_turns_are_expected_by_cue_and_column():
    fields = "is = [[-0.4], [0.4], [-0.8], [0.8], [-0.8], [-0.8], [0.8], [-0.8], [0.8], [-0.8]]\n"
    assert ha.run(parsed(text(more=f'{TURNS}columns = ["field"]\n{fields}'))).ok
    two = text(tokens='["1", "a"]', more=f'{TURNS}at = "a"\ncolumns = ["after", "energy"]\nis = [[-1, -0.4], ROWS]\n')
    rows = ", ".join(f"[{after}, {energy}]" for after, energy in zip((1, -1, 1, -1), (-0.4, -2, -2, -2), strict=True))
    again = ", ".join(f"[{after}, -2]" for after in (-1, 1, -1, 1, -1))
    assert ha.run(parsed(two.replace("ROWS", f"{rows}, {again}"))).ok
    field = TURNS.replace("turns", "field")
    assert ha.run(parsed(text(tokens='["1", "a"]', more=f'{field}at = "a"\ncolumns = ["4"]\nis = [[-0.4]]\n'))).ok
    assert ha.run(parsed(text(more=f'{TURNS}columns = ["field"]\nis = [[-0.4], [0.4]]\n'))).ok
    longer = text(more=f'{TURNS}columns = ["field"]\nis = [{", ".join(["[0]"] * 11)}]\n')
    assert_refused(longer, "19: expect.1.is", "the matrix has shape (10, 1)")
    few = text(more=f"{TURNS}is = [[-0.4, 1]]\n")
    assert_refused(few, "18: expect.1.is", "(1, 4), with the columns field, before, after, energy; `columns` names")
    assert_refused(two.replace('at = "a"\n', "").replace("ROWS", "[1, 1]"), "16: expect.1", "needs `at`, one of 1, a")
    assert_refused(two.replace('"a"\ncol', '"b"\ncol').replace("ROWS", "[1, 1]"), "18: expect.1.at", "'b'")
    assert_refused(
        text(more=f'{TURNS}columns = ["feild"]\nis = [[1]]\n'), "18: expect.1.columns.1", "did you mean 'field'?"
    )


@pytest.mark.parametrize(
    "order", ["[3, 1]", "[0, 1, 2, 3, 4]", "3", "[1, 1, 2, 3, 4]", "[1.5, 2]", "true", "{ a = 1 }"]
)
def test_an_order_is_every_neuron_once_from_1(order):
    words = "the number of every neuron once, counted from 1"
    assert_refused(text(f'{{ name = "async", order = {order} }}'), "8: memory.update", words)


def test_only_a_synchronous_step_says_how_many_are_opposed():
    for update, said in (('"sync"', True), (IN_ORDER, False), ('{ name = "glauber", temperature = 1 }', False)):
        only = run(update)
        assert any("opposed to" in line for line in lines(only)) == said
        assert ("turns" in only.arrays) == (update == IN_ORDER)


def test_a_synchronous_step_gives_the_field_of_each_neuron_as_a_sum():
    """W_ij = ξ_i ξ_j/5 but for i = j, and the cue has the overlap 1 with ξ: h = (ξ − x)/5."""
    told = [line for line in lines(run('"sync"')) if line.startswith("neuron ")]
    ends = ["0, stays 1", "−.4, 1 → −1", "0, stays 1", "−.4, 1 → −1", "0, stays −1"]
    assert [line.rpartition(" = ")[2] for line in told] == ends
    biased = text('"sync"').replace('"hopfield"', '{ name = "hopfield", bias = [1, 0, 0, 0, 0] }')
    told = lines(ha.run(parsed(biased), explain=True).runs[0])
    assert any(line.endswith("with the bias 0 + 1 = 1, stays 1") for line in told)
    assert "field of all neurons: (1×pattern 1 − 1×cue)/5 = (0, −.4, 0, −.4, 0)" in lines(run('"sync"'))


def test_a_synchronous_step_takes_ties_in_a_file():
    only = run('{ name = "sync", ties = "up" }')
    assert "5 neurons: 2 are opposed to their field, 3 have zero field, which gives 1" in lines(only)
    assert only.arrays["step 1 output"].values.tolist() == [[1, -1, 1, -1, 1]]
    assert_refused(text('{ name = "sync", ties = "upp" }'), "8: memory.update.ties", "did you mean 'up'?")


def test_of_many_neurons_those_that_change_have_a_line():
    only = next(one for one in ha.run("two-cycle", explain=True).runs if one.name == "one by one")
    sweeps = [i for i, line in enumerate(lines(only)) if line.startswith("sweep ")]
    changed = [
        int(np.sum(a != b)) for a, b in zip(*[only.arrays["trajectory"].values[0][k:] for k in (0, 1)], strict=False)
    ]
    for i, count in zip(sweeps, changed, strict=True):
        told = [line for line in lines(only)[i + 1 : i + 1 + count] if line.startswith("neuron ")]
        assert len(told) == count and not lines(only)[i + 1 + count].startswith("neuron ")
        assert (f"{count} of 35 neurons change" if count else "no neuron changes") in lines(only)[i]


def test_the_field_is_a_sum_of_couplings_and_bias_or_a_difference_of_energies():
    """The cue has the overlap 1 with the pattern, and −1 where its first neuron is turned: E = −[s]₊³/3."""
    for model, line in (
        ('{ name = "dense", n = 3 }', "neuron 1: ½×(0 − (−.3333)) ≈ .1667, stays 1, energy −.3333"),
        ('{ name = "hopfield", bias = -0.5 }', "(−.2) + .2 = 0; with the bias 0 − .5 = −.5, 1 → −1, energy .9"),
        ('{ name = "graded" }', "neuron 1: −.2×1 + .2×1 + (−.2)×1 + (−.2)×(−1) = −.2 + .2 + (−.2) + .2 = 0, 1 → 0"),
    ):
        only = ha.run(parsed(text('"async"').replace('"hopfield"', model)), explain=True).runs[0]
        assert any(line in said for said in lines(only)), only.working


OF_0_AND_1 = text(IN_ORDER).replace("[[1, -1, 1, -1, -1]]", "[[0, 1, 1, 0, 1], [1, 0, 1, 0, 1]]")
STEP = '{ name = "hopfield", activation = "step" }'


def test_patterns_of_0_and_1_are_refused_with_the_model_that_stores_them():
    assert_refused(OF_0_AND_1, "7: memory.model", "'1' holds 0", f"write −1 for 0, or model = {STEP}")
    ones = OF_0_AND_1.replace("a = [1, 1, 1, 1, -1]", "a = [1, 1, 1, 1, 1]")
    only = ha.run(parsed(ones.replace('"hopfield"', STEP))).runs[0]
    assert only.arrays["turns"].values[0, :2, 0].tolist() == [-4, -2] and only.arrays["recalls"].values[0] != "nothing"


def test_thresholds_stand_in_a_file_as_a_number_or_one_for_each_neuron():
    ones = OF_0_AND_1.replace("a = [1, 1, 1, 1, -1]", "a = [1, 1, 1, 1, 1]")
    fields = {}
    for threshold in ("1", "[1, 0, 1, 2, -1]"):
        model = STEP.replace(" }", f", threshold = {threshold} }}")
        only = ha.run(parsed(ones.replace('"hopfield"', model)), explain=True).runs[0]
        fields[threshold] = only.arrays["step 1 field"].values[0].tolist()
        assert any(line.endswith("the bias −4 − 1 = −5, 1 → 0, energy 4") for line in lines(only)) == (threshold == "1")
    assert fields == {"1": [-3, -3, -1, -5, -1], "[1, 0, 1, 2, -1]": [-3, -2, -1, -6, 1]}
    both = STEP.replace(" }", ", threshold = 1, bias = 2 }")
    assert_refused(ones.replace('"hopfield"', both), "7: memory.model", "threshold: is the bias with the other sign")


def test_a_cue_of_0_and_1_says_how_many_neurons_it_leaves_unknown():
    cure = 'neurons of 0 and 1 need model = { name = "hopfield", activation = "step" }'
    said = f"2 of 5 neurons are 0, which is unknown; if 0 means −1, write −1 for 0; {cure}"
    zeros = text(tokens='["a", "1"]').replace("a = [1, 1, 1, 1, -1]", "a = [1, 0, 1, 0, 1]")
    (only,) = ha.run(parsed(zeros), explain=True).runs
    assert only.arrays["unknown"].values.tolist() == [said] and only.arrays["unknown"].labels == (("a",),)
    assert lines(only)[1] == said and "unknown" in only.shown
    known = ha.run(parsed(text())).runs[0], ha.run(parsed(text().replace("1, 1, 1, 1, -1", "1, 0, 1, 1, -1"))).runs[0]
    assert not any("unknown" in one.arrays for one in known)


SQUARE = """schema = 1
title = "t"
source = "ours"
kind = "cue"
[vocabulary]
axes = ["1", "2", "3", "4", "5"]
magnitude = "free"
[vocabulary.words]
a = [1, 1, 1, 1, -1]
[input]
tokens = ["a"]
[network]
activation = "sign"
matrix = MATRIX
[[expect]]
at = "a"
is = [1, -1, 1, -1, -1]
"""


def test_a_square_network_of_a_cue_keeps_the_spins_whose_field_is_0():
    """W = .2 ξξᵀ without its diagonal: the fields of neurons 1, 3 and 5 are 0, and one step gives ξ."""
    xi = np.array([1, -1, 1, -1, -1])
    matrix = (0.2 * (np.outer(xi, xi) - np.eye(5))).round(1).tolist()
    result = ha.run(parsed(SQUARE.replace("MATRIX", str(matrix))), explain=True)
    assert result.ok and result.runs[0].working[-1] == (
        "a: sign gives (1, −1, 1, −1, −1), and keeps a spin whose field is 0"
    )


LAYERS = """schema = 1
title = "t"
source = "ours"
kind = "network"
seed = 3
[network]
update = { name = "async", order = "random" }
[network.layers.v]
shape = 3
activation = "sign"
[network.layers.h]
shape = 2
activation = "step"
[[network.synapses]]
name = "dense"
on = ["h", "v"]
weights = [[1, -1, 2], [0, 1, -1]]
[cue.a]
v = [1, 1, -1]
h = [1, 0]
"""


def test_spins_of_layers_are_worked_out_neuron_by_neuron_by_their_names():
    """E = −hᵀ W v with v = ±1, h = 0 or 1: the field of h_j is (W v)_j, that of v_i is (Wᵀ h)_i."""
    only = ha.run(parsed(LAYERS), explain=True).runs[0]
    heading = next(line for line in lines(only) if line.startswith("sweep 1"))
    assert heading.endswith(", which seed 3 draws:")
    w, x = np.array([[1.0, -1, 2], [0, 1, -1]]), np.array([1.0, 1, -1, 1, 0])
    order = [
        ["v 1", "v 2", "v 3", "h 1", "h 2"].index(name)
        for name in heading.partition("order ")[2].partition(", which")[0].split(", ")
    ]
    for i, line in zip(order, lines(only)[lines(only).index(heading) + 1 :], strict=False):
        h = w[:, i] @ x[3:] if i < 3 else w[i - 3] @ x[:3]
        before, x[i] = x[i], np.sign(h) if h and i < 3 else float(h > 0) if h else x[i]
        assert line.startswith(f"{'v' if i < 3 else 'h'} {i % 3 + 1}: ") and f" = {h:g}, ".replace("-", "−") in line
        assert ("stays" in line) == (before == x[i]) and line.endswith(
            f"energy {-x[3:] @ w @ x[:3]:g}".replace("-", "−")
        )
