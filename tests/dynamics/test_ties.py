"""The law of ties: a neuron whose exact field is 0 stays as it was, and every other one goes to its side.

The numbers are written as a person writes them, such as tenths; the fields they mean are those of `exact_fields.py`.
"""

import math

import numpy as np
import pytest

import hopattn as ha
from hopattn.learning import rules
from hopattn.memories.models.classical import OF_0_AND_1
from hopattn.networks import Dense, Layer, Network
from hopattn.networks.associator import Bidirectional
from hopattn.retrieval.ways import way_of
from tests.cluster.test_sharded_memory import cut
from tests.draws import count
from tests.dynamics.exact_fields import Couplings, Stored, all_states, learned
from tests.refusal import refused
from tests.texts import parsed

SEQUENCE = ha.Asynchronous("sequence")
WRITTEN = {  # how a person writes whole numbers
    "tenths": lambda m: m / 10,
    "times .3": lambda m: 0.3 * m,
    "over 7": lambda m: m / 7,
    "over √7": lambda m: m / 7**0.5,
    "times 1/√7": lambda m: m * (1 / np.sqrt(7)),
}
same = np.testing.assert_array_equal
both_kernels = pytest.mark.usefixtures("both_kernels")
written = pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
in_dtypes = pytest.mark.parametrize("dtype", [np.float64, np.float32])
activations = pytest.mark.parametrize(("activation", "silent"), [("sign", -1), ("step", 0)])


def states_of(n, silent, rng):
    """All states, and of spins some with unknown entries."""
    return np.concatenate([all_states(n, silent), rng.integers(silent, 2, size=(30, n))])


def numbers(rng, *shape):
    return rng.integers(-3, 4, size=shape)


def assert_exact(memory, model, x, array=lambda x: x.astype(float), alone=True):
    """The field, the step and one step of every update are the exact ones; alone: also of one neuron at a time."""
    clear = model.clear(*model.fields(x))

    def holds(update, expected, where=slice(None), x=x):
        same(np.asarray(memory.recall(array(x), update=update, max_steps=1).state)[where], expected[where])

    same(np.sign(np.asarray(memory.field(array(x))))[clear], model.signs(x)[clear])
    same(np.asarray(memory.step(array(x)))[clear], model.step(x)[clear])
    holds("sync", model.step(x), clear)
    if isinstance(model, Couplings) and not any(map(memory.why_not, ("energy", "convexity"))):
        holds("concave_convex", *model.with_inertia(x))
    if alone:
        after, clear = model.sweep(x)
        holds(SEQUENCE, after, clear)
        rest = x[(x == after).all(axis=1) & clear & (x != (0 if model.silent else -1)).all(axis=1)]
        if len(rest):  # no neuron turns, whatever the order is
            holds(ha.Glauber(0.0), rest, x=rest)


def assert_exact_places(memory, model):
    whole, x = ha.landscapes.spin_states(memory), all_states(int(memory._reference.shape[-1]), model.silent)
    assert np.array_equal(whole.states, x) and np.array_equal(whole.turns, model.turns(x))
    assert np.array_equal(whole.minima, np.flatnonzero(~model.turns(x).any(axis=1)))


def test_the_digits_of_seven_segments_are_recalled_from_themselves():
    """An 8 and a 9 differ in one segment, whose neuron no other one couples to."""
    p = np.array([[1] * 7, [1, 1, 1, 1, -1, 1, 1]])
    for network in (
        ha.memories.hopfield(p, rule="pseudo_inverse"),
        ha.Hopfield(ha.learning.pseudo_inverse(p), patterns=p),
    ):
        assert network.recall(p).matched.tolist() == [0, 1]


HARD = {  # fields that are 0, whose couplings are rounded by more than their last digit
    ("covariance", -1): "0001 0101 0001",
    ("pseudo_inverse", 0): "110101 111010 101000 011100 110010",
    ("storkey", -1): "101 100 001 110 000",
}


def networks_of(rule, seed, silent, array=np.asarray):
    """Networks that a rule learns, with and without its diagonal and a bias that makes ties, and their exact model."""
    rng = np.random.default_rng(seed)
    diagonal = "self_coupling" in rules[rule].__annotations__
    ones = rng.integers(2, size=rng.integers([2, 3], [6, 7]))
    if seed == 0 and (rule, silent) in HARD:
        ones = np.array([[*map(int, row)] for row in HARD[rule, silent].split()])
    n, patterns = ones.shape[1], np.where(ones, 1, silent)
    if silent == 0 and not (rule in OF_0_AND_1 and ones.any(axis=1).all()):
        return
    of_0_and_1 = silent == 0 and rule == "hebb"  # of the spins 2V − 1, and not divided by N
    exact = ("outer_products", 2 * patterns - 1) if of_0_and_1 else (rule, patterns)
    for own in (False, True)[: 1 + diagonal]:
        if (w := learned(*exact, own)) is not None:
            for bias in (0, *(-(w @ x)[rng.integers(n)] for x in rng.permutation(all_states(n, silent))[:2])):
                activation = "sign" if silent else "step"
                network = ha.memories.hopfield(
                    array(patterns * 1.0), rule=rule, self_coupling=own, activation=activation, bias=float(bias)
                )
                yield network, Couplings(w, bias, silent), states_of(n, silent, rng)


@pytest.mark.parametrize("rule", rules)
@pytest.mark.parametrize("silent", [-1, 0])
def test_of_a_learning_rule_neurons_are_as_exact_couplings_have_them(rule, silent):
    cases = [case for seed in range(count(60, 7)) for case in networks_of(rule, seed, silent)]
    for i, (network, model, x) in enumerate(cases):
        assert_exact(network, model, x)
        assert rule not in ("pseudo_inverse", "storkey") or np.array_equal(network.couplings == 0, model.w == 0)
        if i % 4 == 0:
            assert_exact_places(network, model)
    assert len(cases) > 2 or (silent == 0 and rule not in OF_0_AND_1)


@pytest.mark.slow
@pytest.mark.parametrize("rule", rules)
def test_so_it_is_in_every_library(rule, library):
    for network, model, x in networks_of(rule, 1, -1, library.array):
        assert_exact(network, model, x, lambda x: library.array(x * 1.0), alone=library.name == "numpy")


@in_dtypes
@written
@both_kernels
@activations
def test_couplings_and_biases_of_decimals_are_those_of_whole_numbers(activation, silent, write, dtype):
    for seed in range(count(20, 2)):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 7))
        m, b = numbers(rng, n, n), numbers(rng, n)
        for couplings, bias in ((m, b), (m + m.T, 0 * b), (m + m.T, b)):
            w, given = write(couplings).astype(dtype), write(bias).astype(dtype)
            network, model = ha.Hopfield(w, bias=given, activation=activation), Couplings(couplings, bias, silent)
            assert_exact(network, model, states_of(n, silent, rng), lambda x: x.astype(dtype))
        assert_exact_places(network, model)


@both_kernels
@written
def test_many_spins_end_where_whole_couplings_lead_them(write):
    rng = np.random.default_rng(5)
    j, x = np.triu(rng.choice([-1, 1], size=(101, 101)), 1), rng.choice([-1, 1], size=(100, 101))
    found = ha.Hopfield(write(j + j.T)).recall(x, update=SEQUENCE)
    while not np.array_equal(x, after := Couplings(j + j.T).sweep(x)[0]):
        x = after
    assert np.array_equal(found.state, x)


@in_dtypes
@written
@activations
def test_associators_answer_as_whole_numbers_do(activation, silent, write, dtype):
    """Square and not, to spins and to tenths; and both ways."""
    for seed in range(count(40, 6)):
        rng = np.random.default_rng(seed)
        n, more = (int(size) for size in rng.integers([2, 0], [7, 2]))
        m, x = numbers(rng, n + more, n), states_of(n, silent, rng)
        model, memory = Couplings(m, silent=silent), ha.Associator(write(m).astype(dtype), activation=activation)
        tenths = np.maximum(numbers(rng, 30, n), 3 * silent)
        s, cues = model.signs(tenths), (tenths / 10).astype(dtype)
        same(memory.step(cues), np.where(s == 0, 0 if more else cues, np.where(s > 0, 1, silent)))
        if not more:
            assert_exact(memory, model, x, lambda x: x.astype(dtype))
        sides = (ha.Associator(write(w).astype(dtype), activation="sign") for w in (m, m.T))
        s = Couplings(m.T).signs(model.signs(x))
        same(Bidirectional(*sides).step(x.astype(dtype)), np.where(s == 0, x, s))


def test_neurons_of_0_and_1_of_an_associator_stay_0_and_1_one_by_one():
    memory = ha.Associator([[0, 1], [-1, 0]], activation="step")
    assert memory.recall([1, 0], update=SEQUENCE, max_steps=1).state.tolist() == [1, 0]


def keys_of(seed, write):
    """Keys of whole numbers, some with the reflection of each at one neuron; how they are written; and states."""
    rng = np.random.default_rng(seed)
    many, n = rng.integers([1, 2], [4, 7])
    keys = rng.choice([-1, 1], size=(many, n)) if seed % 2 else numbers(rng, many, n)
    if seed % 4 < 2:
        keys = np.concatenate([keys, keys * np.where(np.arange(n) == seed % n, -1, 1)])
    return keys, write(keys), rng.permutation(states_of(n, -1, rng))[:24]


def powers(n, rectified):
    return ha.separations["rectified_power" if rectified else "power"](n=n)


@in_dtypes
@pytest.mark.parametrize("write", [lambda m: m * 1.0, *WRITTEN.values()], ids=["whole", *WRITTEN])
def test_a_memory_answers_as_keys_of_whole_numbers_do(write, dtype):
    single = dtype is np.float32
    for seed in range(count(40, 6)):
        own, keys, x = keys_of(seed, lambda m: write(m).astype(dtype))
        values, rectified = numbers(np.random.default_rng(seed), *own.shape), seed // 3 % 2 == 0
        ns, margin = ((2, 5), (3, 7), (4, 4 if single else 20))[seed % 3], 1e-3 if single else 1e-9
        models = [(powers(n, rectified), Stored.powers(own, n, rectified, margin)) for n in ns]
        models.append(("identity", Couplings(own.T @ own)))
        if not single:
            beta, kind = (1.0, 25.0)[seed % 2], ("exponential", "softmax")[seed // 2 % 2]
            unit = float(write(np.array([1]))[0])
            models.append((ha.separations[kind](beta=beta), Stored.exponentials(own, beta * unit)))
        for separation, model in models:
            memory = ha.Memory(keys, separation=separation, activation="sign")
            assert_exact(memory, model, x, lambda x: x.astype(dtype))
        read = write(values).astype(dtype)
        memory = ha.Memory(keys, read, separation="identity", activation="sign", patterns=keys)
        same(memory.step(x.astype(dtype)), Couplings(values.T @ own).step(x))


@both_kernels
@pytest.mark.parametrize(("size", "n"), [(1, 20), (1, 41), (100_003, 3), (100_003, 4)])
def test_powers_beyond_exact_floats_answer_as_integers_do(size, n):
    for seed in (1, 5, 9, 13):
        own, keys, x = keys_of(seed, lambda m: m * float(size))
        assert_exact(ha.Memory(keys, separation=powers(n, True), activation="sign"), Stored.powers(own, n), x)


def test_streamed_and_sharded_keys_answer_as_whole_numbers_do():
    """Six thousand keys in pairs that differ in the sign of five neurons, whose fields are 0."""
    rng = np.random.default_rng(8)
    t, x = rng.integers(-9, 10, size=(3000, 30)), rng.choice([-1, 1], size=(200, 30))
    own = np.concatenate([t, t * np.where(np.arange(30) < 25, 1, -1)])[rng.permutation(6000)]
    x[:, 25:] = 0
    memory, model = ha.Memory(own / 10, separation="identity", activation="sign"), Couplings(own.T @ own)
    assert way_of(memory.similarity, memory.separation, x * 1.0, memory.keys) == "blocks"
    assert np.all(model.signs(x)[:, 25:] == 0)
    for one, some in ((memory, x), (memory, x[:1]), (cut(memory, [1000, 1700]), x[:20])):
        same(np.sign(one.field(some)), model.signs(some))
        same(one.step(some), model.step(some))


@written
@activations
def test_layers_are_updated_as_whole_numbers_have_them(activation, silent, write):
    """One layer; two of spins; and spins with a hidden layer of the identity, which brings its own rounding."""
    for seed in range(count(40, 6)):
        rng = np.random.default_rng(seed)
        n, k = (int(size) for size in rng.integers(2, 5, size=2))
        m, t, a, b = numbers(rng, n, n), numbers(rng, n, k), numbers(rng, n), numbers(rng, k)
        network = Network([Layer("a", n, activation)], [Dense(write(m)).on("a", "a"), Dense(write(a)).on("a")])
        model, x = Couplings(m + m.T, a, silent), states_of(n, silent, rng)
        assert_exact(network, model, x)
        assert_exact_places(network, model)
        state, clear = model.with_inertia(x)
        same(network.recall(x, update="layers", max_steps=1).state[clear], state[clear])
        joined = [Dense(write(t)).on("a", "b"), Dense(write(a)).on("a"), Dense(write(b)).on("b")]
        network = Network([Layer("a", n, activation), Layer("b", k, activation)], joined)
        zero = np.zeros((n, n), int), np.zeros((k, k), int)
        model = Couplings(np.block([[zero[0], t], [t.T, zero[1]]]), np.append(a, b), silent)
        x, first = states_of(n + k, silent, rng)[::2], np.arange(n + k) < n
        assert_exact(network, model, x)
        half = np.where(first, model.step(x), x)
        same(network.recall(x, update="layers", max_steps=1).state, np.where(first, half, model.step(half)))
        network = Network([Layer("v", n, "sign"), Layer("h", k, "identity")], [Dense(write(t.T)).on("h", "v")])
        x = states_of(n, -1, rng)
        for update in ("layers", "sync"):
            found = network.recall({"v": x}, update=update, max_steps=1).state[:, :n]
            same(found, Couplings(t @ t.T).step(x))


def test_minima_of_one_energy_have_none_below_them():
    m, x = np.array([[0, 2, 3, 3], [2, 0, 2, 0], [3, 2, 0, -3], [3, 0, -3, 0]]), all_states(4)
    assert len(set(np.sum(x * (x @ m), axis=1)[~Couplings(m).turns(x).any(axis=1)].tolist())) == 1
    for dtype in (np.float64, np.float32):
        assert ha.landscapes.spin_states(ha.Hopfield((0.3 * m).astype(dtype))).depths.tolist() == [math.inf] * 4
        network = Network([Layer("a", 4, "sign")], [Dense((0.15 * m).astype(dtype)).on("a", "a")])
        assert ha.landscapes.spin_states(network).depths.tolist() == [math.inf] * 4


def test_a_clear_field_is_no_tie():
    """Fields of 2·10⁻⁹ of the sum of the sizes of their terms, beside 300 couplings that are no decimals."""
    rng = np.random.default_rng(3)
    w, x = rng.normal(size=(300, 300)) * (1 - np.eye(300)), rng.choice([-1.0, 1.0], size=300)
    sums, side = np.array([math.fsum(row) for row in w * x]), rng.choice([-1, 1], size=300)
    for i, bias in enumerate(-sums + 2e-9 * side * np.abs(w).sum(axis=1)):
        assert np.sign(math.fsum([*(w[i] * x), bias])) == side[i]
    network = ha.Hopfield(w, bias=-sums + 2e-9 * side * np.abs(w).sum(axis=1))
    assert np.array_equal(np.sign(network.field(x)), side) and np.array_equal(network.step(x), side)
    assert network.recall(x, update=SEQUENCE, max_steps=1).state[0] == side[0]
    assert not ha.Hopfield(w, bias=-sums).field(x).any()


def test_the_rounding_of_couplings_widens_a_tie(tmp_path):
    w, bias = np.array([[0, 1, -1], [1, 0, 1], [-1, 1, 0]]), [1e-6] * 3
    refused(lambda: ha.Hopfield(w, rounding=[0, 0, -1e-9]), "rounding", "0 or more")
    refused(lambda: ha.Hopfield(w, rounding=[0, 0]), "rounding", "3 neurons")
    wide = ha.Hopfield(w, bias=bias, rounding=[1e-5, 1e-5, 1e-7])
    wide.save(tmp_path / "m.npz")
    for network, tied in ((ha.Hopfield(w, bias=bias), 1), (wide, -1), (ha.load(tmp_path / "m.npz"), -1)):
        assert (network.field([1, 1, 1]) == 0).tolist() == [tied == -1, False, False]
        assert network.recall([-1, 1, 1], update=SEQUENCE, max_steps=1).state.tolist() == [tied, 1, 1]


TIED = """schema = 1
title = "a tie"
source = "ours"
kind = "memory"
vocabulary = { axes = ["a", "b", "c", "d", "e"], magnitude = "free", words = { p = P, q = Q, cue = CUE } }
memory = { patterns = ["p", "q"], model = { name = "hopfield", rule = "RULE", bias = BIAS }, update = "sync" }
input = { tokens = ["cue"] }
"""


@pytest.mark.parametrize("rule", ["hebb", "pseudo_inverse", "storkey"])
def test_a_tie_is_explained_as_a_field_of_0_and_turns_nothing(rule):
    p, q, x = np.array([[1, 1, 1, -1, 1], [1, -1, 1, 1, 1], [1, 1, -1, 1, -1]])
    w = learned(rule, [p, q])
    bias, text = -(w @ x)[0], TIED
    for word, value in (("P", p), ("Q", q), ("CUE", x), ("BIAS", float(bias)), ('"RULE"', f'"{rule}"')):
        text = text.replace(f"= {word}", f"= {value.tolist() if isinstance(value, np.ndarray) else value}")
    (run,) = ha.run(parsed(text), explain=True).runs
    many = int(np.sum(w @ x + bias == 0))
    assert any(line.endswith(f"{many} {'has' if many == 1 else 'have'} zero field") for line in run.working)
    assert any(line.startswith("  field of all neurons: ") and "(0, " in line for line in run.working)
    assert np.array_equal(run.arrays["step 1 output"].values, Couplings(w, bias).step(x[None]))


@pytest.mark.parametrize(
    ("n_neurons", "n", "dtype"), [(784, 100, "float64"), (784, 120, "float64"), (100, 20, "float32")]
)
def test_a_power_beyond_the_numbers_is_right_or_refused(n_neurons, n, dtype):
    rng = np.random.default_rng(n)
    patterns = rng.choice([-1, 1], size=(50, n_neurons))
    x = np.where(rng.random((1, n_neurons)) < 0.1, -patterns[3], patterns[3])
    model, memory = Stored.powers(patterns, n), ha.memories.dense(patterns.astype(dtype), n=n)
    for update, expected in (("sync", model.step(x)), (SEQUENCE, model.sweep(x)[0])):
        assert np.array_equal(expected, patterns[3:4])
        try:
            found = memory.recall(x.astype(dtype), update=update)
        except ha.InvalidInput as error:
            assert dtype in str(error)
        else:
            assert np.array_equal(found.state, expected) and found.matched.tolist() == [3]


BLOCKS = np.array([[1.0] * 60 + [0.0] * 5, [0.0] * 60 + [1.0] * 5])
FAR = np.where(np.arange(65) == 60, -1.0, 1.0)
WIDE = [[0, 1e17, 0.3], [1e17, 0, 0], [0.3, 0, 0]]
TINY = np.zeros((6, 6))
TINY[0, 1:4], TINY[4, 5] = (4 / 3, 4 / 3, -8 / 3), 2e-15


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (lambda: ha.Associator([[0, 1], [1, 0]], activation="sign").field([1e17, 0.5])[0], 0.5),
        (lambda: ha.Hopfield(WIDE).field([-1, 0, 1])[0], 0.3),
        (lambda: ha.Hopfield(WIDE, activation="step").field([0, 0, 1])[0], 0.3),
        (lambda: ha.Hopfield(np.float32([[0, 1e7, 0.3], [1e7, 0, 0], [0.3, 0, 0]])).field([-1.0, 0, 1])[0], 0.3),
        (lambda: ha.Memory(BLOCKS, separation="softmax", activation="sign").field(FAR)[60], math.exp(3 - 60)),
        (lambda: ha.Hopfield(TINY + TINY.T).field(np.ones(6))[0], 0),
        (lambda: ha.Hopfield(np.full((9, 9), 0.1)).field(np.float16([1] * 8 + [-1]))[0], 0.7),
    ],
)
def test_a_field_is_judged_by_its_own_terms(field, expected):
    """Large terms that are 0 in this state, or of another neuron or pattern, hide no small one."""
    np.testing.assert_allclose(float(field()), expected, rtol=1e-6)


@pytest.mark.parametrize("update", [SEQUENCE, "sync"])
def test_neurons_alone_are_judged_by_their_own_terms(update):
    network = Network([Layer("a", 4, "sign")], [Dense([[0, 1, 0, 0], [0] * 4, [0, 0, 0, 1e-17], [0] * 4]).on("a", "a")])
    for memory, cue, after in (
        (ha.Hopfield(WIDE), [-1, 0, 1], 1),
        (ha.Hopfield(WIDE, activation="step"), [0, 0, 1], 1),
        (network, [1, 1, -1, 1], 1),
    ):
        state = memory.recall(np.array(cue, float), update=update, max_steps=1).state
        assert state[cue.index(min(cue))] == after


def test_a_projection_of_many_patterns_keeps_its_fields_in_single_precision(torch):
    """80 patterns of 100 neurons: the condition of the patterns is 18, and no field of a pattern is rounding."""
    rows = np.random.default_rng(1).choice([-1.0, 1.0], (80, 100))
    for p in (rows, torch.tensor(rows, dtype=torch.float32)):
        fields = np.asarray(ha.memories.hopfield(p, rule="pseudo_inverse", self_coupling=True).field(p))
        np.testing.assert_allclose(fields, rows, atol=1e-4)


def test_a_cue_is_judged_by_itself():
    network = ha.Hopfield(np.float32([[0, 1, 1, 1e-6], [1, 0, 0, 0], [1, 0, 0, 0], [1e-6, 0, 0, 0]]))
    cue = np.float32([1, 1, -1, 1])
    assert network.field(cue)[0] == network.field(np.stack([cue, np.float32([0.5, 1, 1, 1])]))[0, 0] == np.float32(1e-6)


def test_biases_that_cancel_leave_no_field():
    biases = (Dense([b] * 2).on("a") for b in (0.1, 0.2, -0.3))
    network = Network([Layer("a", 2, "sign")], [Dense([[0.0, 0.1], [0, 0]]).on("a", "a"), *biases])
    for memory in (network, ha.memories.of_network(network)):
        assert memory.recall([-1.0, 0.0], update="sync", max_steps=1).state[0] == -1


@pytest.mark.parametrize(("far", "mask"), [([-1e15, 0.1], None), ([1e16, 0.1], [True, True, False])])
def test_a_key_without_a_weight_hides_no_field(far, mask):
    keys, values = [[1.5, 0.5], [0.5, 0.5], far], [[1, 1], [-1, -1], [1, 1]]
    memory = ha.Memory(keys, values, separation="softmax", beta=1.0, activation="sign")
    np.testing.assert_allclose(memory.field([1.0, 1.0], mask), math.tanh(0.5), rtol=1e-12)


def test_values_of_several_sizes_answer_alike_alone_and_together(library):
    rng = np.random.default_rng(3)
    keys, values, cues = (rng.choice([-1.0, 1.0], (n, 16)) for n in (1000, 1000, 32))
    values[3] *= 1e9
    memory = ha.Memory(*map(library.array, (keys, values)), separation="softmax", beta=1.0, activation="sign")
    together, alone = memory.step(library.array(cues)), [memory.step(library.array(cue)) for cue in cues]
    same(np.asarray(together), np.stack([np.asarray(one) for one in alone]))


@pytest.mark.parametrize("separation", [ha.separations.sparsemax(), ha.separations.entmax(alpha=1.5)])
def test_weights_that_compete_keep_a_tie(separation):
    keys = [[1, 0.8, 0.5, 0.9], [0.1, 0.8, 0.5, 0.9], [0.1, 0.8, 0.9, 0.5]]
    memory = ha.Memory(keys, [[0, 0], [1, 1], [-1, -1]], separation=separation, activation="sign")
    same(memory.field(np.ones(4)), [0, 0])


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
def test_a_field_has_its_derivative_under_the_transforms_of_pytorch(torch):
    w = torch.tensor([[0, 0.1, 0.2, -0.3], [0.1, 0, 0.07, 0], [0.2, 0.07, 0, 0], [-0.3, 0, 0, 0]], dtype=torch.float64)
    x, network = torch.ones(4, dtype=torch.float64), ha.Hopfield(w)
    value, slope = torch.func.jvp(network.field, (x,), (x,))
    same(value.numpy()[0], 0)
    np.testing.assert_allclose(torch.func.jacrev(network.field)(x), w)
    np.testing.assert_allclose(slope, w @ x, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("write", [np.asarray, lambda m: m / 10], ids=["whole", "tenths"])
def test_jax_traces_a_field_again_and_again(jax, write):
    w, x = write(np.array([[0, 1, 2, -3], [1, 0, 1, 1], [2, 1, 0, 0], [-3, 1, 0, 0]])), jax.numpy.ones((2, 4))
    dense = Network([Layer("a", 4, "sign")], [Dense(jax.numpy.asarray(w)).on("a", "a")])
    for memory in (ha.Hopfield(jax.numpy.asarray(w)), ha.Associator(jax.numpy.asarray(w), activation="sign"), dense):
        first = jax.jit(memory.field)(x)
        for field in (memory.field, jax.jit(memory.field), jax.vmap(memory.field)):
            same(np.asarray(field(x)), np.asarray(first))
        assert first[0, 0] == 0
