"""Laws of every memory that the registries can make."""

import itertools

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st

import hopattn as ha
import hopattn.memories.memory
from hopattn import activations, separations, similarities
from tests.draws import arrays, betas, count, domain, in_dtypes, near, sizes, spins, stores

both_kernels = pytest.mark.usefixtures("both_kernels")

COMBINATIONS = [
    *itertools.product(["dot"], separations, activations),
    *itertools.product([name for name in similarities if name != "dot"], ["softmax", "identity"], ["identity", "sign"]),
]
"""Every separation with every activation, and every similarity with some of them."""
WITH_ENERGY = [name for name in separations if not separations[name]().why_no_potential]
every = pytest.mark.parametrize(("similarity", "separation", "activation"), COMBINATIONS[::7])
few = settings(max_examples=count(60, 4))
"""A quick run has many combinations, so that few examples of each are many of the law."""
in_dtype = pytest.mark.parametrize(("similarity", "separation", "activation", "dtype"), in_dtypes(COMBINATIONS))


def memory(keys, values=None, *, similarity="dot", separation="softmax", activation="identity", beta=0.5):
    return ha.Memory(keys, values, similarity=similarity, separation=separation, activation=activation, beta=beta)


def small(store, dtype):
    """Keys, cues and mask in a dtype; in float32 a quarter of the size, so that no exponential overflows.

    All numbers are multiples of 1/64, so that dot products are exact in any order of the sum:
    a tie for the best score is then a tie on every processor, and `argmax` has one answer.
    """
    keys, cues, mask = store
    scale = 64 if dtype == "float64" else 16
    return (np.round(scale * keys) / 64).astype(dtype), (np.round(scale * cues) / 64).astype(dtype), mask


@both_kernels
@few
@given(store=stores())
@in_dtype
def test_a_batch_equals_its_cues_one_by_one(similarity, separation, activation, dtype, store):
    keys, cues, _ = small(store, dtype)
    m, tol = memory(keys, similarity=similarity, separation=separation, activation=activation), near(dtype)
    for what in (m.scores, m.weights, m.field):
        together = what(cues)
        assert together.dtype == dtype
        np.testing.assert_allclose(together, [what(cue) for cue in cues], rtol=tol, atol=tol)
    clear = np.abs(together) > tol if activation == "sign" else True  # the sign of rounding is its own
    steps = m.step(cues), np.array([m.step(cue) for cue in cues])
    np.testing.assert_allclose(*(np.where(clear, step, 0) for step in steps), rtol=tol, atol=tol)


@few
@given(store=stores(), order=st.permutations(range(6)))
@in_dtype
def test_permuting_the_keys_permutes_the_weights_and_leaves_the_answer(
    similarity, separation, activation, dtype, store, order
):
    keys, cues, mask = small(store, dtype)
    order = np.array([i for i in order if i < len(keys)])
    m = memory(keys, similarity=similarity, separation=separation, activation="identity")
    p = memory(keys[order], similarity=similarity, separation=separation, activation="identity")
    weights, permuted = m.weights(cues, mask), p.weights(cues, mask[:, order])
    rtol, atol = (1e-9, 1e-12) if dtype == "float64" else (1e-3, 1e-3)  # near 0, entmax is steep
    np.testing.assert_allclose(permuted, weights[:, order], rtol=rtol, atol=atol)
    np.testing.assert_allclose(p.step(cues, mask[:, order]), m.step(cues, mask), rtol=rtol, atol=max(atol, 1e-9))


@few
@given(store=stores())
@in_dtype
def test_inputs_are_never_changed(similarity, separation, activation, dtype, store):
    keys, cues, mask = small(store, dtype)
    cues = domain(activation, cues).astype(dtype)
    kept = [keys.copy(), cues.copy(), mask.copy()]
    m = memory(keys, similarity=similarity, separation=separation, activation=activation)
    m.scores(cues), m.weights(cues, mask), m.step(cues, mask), m.recall(cues, mask=mask, max_steps=3)
    for before, after in zip(kept, (keys, cues, mask), strict=True):
        assert np.array_equal(before, after)


@few
@given(store=stores())
@in_dtype
def test_a_fully_masked_row_gives_zeros(similarity, separation, activation, dtype, store):
    keys, cues, mask = small(store, dtype)
    m = memory(keys, similarity=similarity, separation=separation, activation=activation)
    nothing = np.zeros_like(mask)
    assert np.all(m.weights(cues, nothing) == 0)
    if not m.activation.discrete:  # a spin without a field stays as it was
        rest = m.activation(np.zeros_like(cues))  # 0, but ½ of logistic neurons
        assert np.array_equal(m.step(cues, nothing), rest) and (activation == "logistic" or not rest.any())
    else:
        assert np.array_equal(m.step(cues, nothing), cues)


@both_kernels
@few
@given(store=stores(), beta=betas)
@in_dtype
def test_the_energy_never_rises_where_that_is_claimed(similarity, separation, activation, dtype, store, beta):
    keys, cues, mask = small(store, dtype)
    cues = domain(activation, cues).astype(dtype)
    m = memory(keys, similarity=similarity, separation=separation, activation=activation, beta=beta)
    if not m.descends("sync"):
        assert m.descends("sync").reason
        return
    before, after = m.energy(cues, mask), m.energy(m.step(cues, mask), mask)
    parts = np.abs(m.activation.conjugate(cues)) + np.abs(m.separation.potential(m.scores(cues), mask))
    later = np.abs(m.activation.conjugate(m.step(cues, mask)))
    assert np.all(after - before <= near(dtype) * np.maximum(1, parts + later))


def test_the_odd_power_claims_no_descent_and_here_is_why():
    m = ha.Memory([[1.0, 1.0]], separation=separations["power"](n=3), activation="sign")
    assert not m.descends("sync")
    assert "not convex" in m.descends("sync").reason
    cue = np.array([-1.0, -1.0])  # score −2, weight 4: the step leads to +1 +1, and from −8/3 the energy falls …
    assert m.energy(m.step(cue)) < m.energy(cue)
    two = ha.Memory([[3.0, 1.0], [-2.0, 2.0], [-1.0, -3.0]], separation=separations["power"](n=3), activation="sign")
    rises = [
        state for state in itertools.product([-1.0, 1.0], repeat=2) if two.energy(two.step(state)) > two.energy(state)
    ]
    assert rises  # … but with three patterns it rises from at least one of the four states


def test_a_spin_without_a_field_stays_only_where_the_answer_is_a_state_of_the_same_neurons():
    keys, cue = np.array([[1.0, 1], [1, -1]]), [0.3, 0.0]
    read = [[1.0, 1.0], [-1.0, 1.0]]  # both weights are .15: the field is (0, .3)
    options = {"separation": "identity", "activation": "sign", "beta": 0.5}
    assert ha.Memory(keys, read, **options).step(cue).tolist() == [0, 1]
    assert ha.Memory(keys, [row[:1] for row in read], **options).step(cue).tolist() == [0]
    assert ha.Memory(keys, read, patterns=keys, **options).step(cue).tolist() == [0.3, 1]  # as a sequence has it
    assert ha.Memory(keys, **options).step(cue).tolist() == [1, 0]
    assert ha.memories.sequence(keys, n=2).step([1.0, 0.0]).tolist() == [1, 0]


@given(data=st.data(), n=st.integers(2, 9), m=sizes)
def test_a_tie_between_spins_stays_a_tie(data, n, m):
    patterns, state = data.draw(spins((m, n))), data.draw(spins((n,)))
    exact = patterns.astype(int).T @ (patterns.astype(int) @ state.astype(int))
    step = memory(patterns, separation="identity", activation="sign", beta=1 / n).step(state)
    assert np.array_equal(step, np.where(exact == 0, state, np.sign(exact)))


@given(store=stores(), beta=betas, data=st.data())
def test_a_softmax_step_is_scipys_softmax(store, beta, data):
    keys, cues, _ = store
    values = data.draw(arrays((len(keys), 3)))
    expected = scipy.special.softmax(beta * cues @ keys.T, axis=-1) @ values
    np.testing.assert_allclose(memory(keys, values, beta=beta).step(cues), expected, rtol=1e-12, atol=1e-12)


def test_parts_that_are_objects_keep_their_parameters_in_steps_and_energies():
    rng, softmax = np.random.default_rng(3), separations["softmax"](beta=3.0)
    keys, x = rng.normal(size=(4, 3)), rng.uniform(-0.9, 0.9, (5, 3))
    m = ha.Memory(keys, separation=softmax, activation=activations["tanh"](beta=2.0))
    np.testing.assert_allclose(m.step(x), np.tanh(2 * scipy.special.softmax(3 * x @ keys.T, axis=-1) @ keys))
    own = np.sum(scipy.special.entr((1 + x) / 2) + scipy.special.entr((1 - x) / 2) - np.log(2), axis=1) / -2
    np.testing.assert_allclose(m.energy(x), own - scipy.special.logsumexp(3 * x @ keys.T, axis=1) / 3)


@pytest.mark.parametrize(
    "library", ["array_api_strict", "torch", pytest.param("jax", marks=pytest.mark.slow)], indirect=True
)
@every
def test_the_same_on_every_library(similarity, separation, activation, library):
    rng = np.random.default_rng(4)
    keys, cues, mask = rng.normal(size=(4, 3)), rng.normal(size=(2, 3)), rng.random((2, 4)) > 0.3
    own = memory(keys, similarity=similarity, separation=separation, activation=activation)
    other = memory(library.array(keys), similarity=similarity, separation=separation, activation=activation)
    given_mask = library.array(mask)
    for what in ("weights", "step"):
        found = getattr(other, what)(library.array(cues), given_mask)
        assert type(found) is type(library.array(keys))
        np.testing.assert_allclose(library.numpy(found), getattr(own, what)(cues, mask), rtol=1e-9, atol=1e-12)
    if not own.why_not("energy"):
        found = other.energy(library.array(cues), given_mask)
        np.testing.assert_allclose(library.numpy(found), own.energy(cues, mask), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("separation", WITH_ENERGY)
def test_torch_differentiates_the_energy_to_the_step(separation, torch):
    rng = np.random.default_rng(0)
    m = memory(torch.asarray(rng.normal(size=(4, 3))), separation=separation)
    state = torch.asarray(rng.normal(size=(1, 3))).requires_grad_()
    m.energy(state).sum().backward()
    for slope in (state - m.step(state), m.gradient(state)):
        np.testing.assert_allclose(state.grad.numpy(), slope.detach().numpy(), rtol=1e-9)


@pytest.mark.parametrize("separation", ["softmax", "exponential"])
def test_jax_traces_and_differentiates_the_energy(separation, jax):
    rng = np.random.default_rng(0)
    m = memory(jax.numpy.asarray(rng.normal(size=(4, 3))), separation=separation)
    state = jax.numpy.asarray(rng.normal(size=(3,)))
    slope = jax.jit(jax.grad(lambda x: m.energy(x)))(state)
    np.testing.assert_allclose(slope, state - jax.jit(m.step)(state), rtol=1e-9)


def test_a_memory_shows_what_it_is_and_not_all_its_numbers():
    assert repr(ha.Memory(np.eye(3), beta=2)) == (
        "Memory(keys (3, 3), values (3, 3), Dot(), Softmax(beta=2.0), Identity())"
    )


@pytest.mark.parametrize("n", [30, 120])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_high_power_of_normalised_overlaps_stays_in_range(n, dtype):
    patterns = np.sign(np.random.default_rng(0).normal(size=(5, 784))).astype(dtype)
    power = separations["power"](n=n, beta=1 / 784)
    memory = ha.Memory(patterns, separation=power, activation="sign")
    np.testing.assert_allclose(memory.weights(patterns[0])[0], 1, rtol=1e-4)
    assert memory.recall(patterns[0]).matched == 0
    assert np.isfinite(memory.energy(patterns[0]))


def test_outside_its_domain_the_energy_is_infinite_so_that_no_step_raises_it():
    memory = ha.Memory([[1.0, 1.0], [1.0, -1.0]], separation="identity", activation="sign")
    assert memory.energy([5.0, 5.0]) == np.inf
    assert memory.energy(memory.step([5.0, 5.0])) == -2


def test_a_list_of_cues_becomes_an_array_of_the_keys_library(library):
    memory = ha.Memory(library.array(np.eye(2)))
    assert type(memory.step([0.6, 0.4])) is type(library.array(np.eye(2)))


@pytest.mark.slow
def test_derivatives_at_zero_vectors_are_finite(jax):
    keys = jax.numpy.eye(2)
    for function in (lambda x: ha.cosine(x, keys).sum(), lambda x: activations["unit"]()(x).sum()):
        assert np.all(np.isfinite(jax.grad(function)(jax.numpy.zeros(2))))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_memory_does_not_change_with_the_arrays_that_it_was_made_of(dtype):
    keys, values, cue = np.eye(3, dtype=dtype), 2 * np.eye(3, dtype=dtype), np.ones(3, dtype)
    memories = [
        ha.Memory(keys),
        ha.Memory(keys, values),
        ha.memories.modern(keys),
        ha.memories.hopfield(np.sign(keys - 0.5)),
    ]
    before = [memory.step(cue) for memory in memories]
    keys[0, 0] = values[1, 1] = np.nan
    for memory, state in zip(memories, before, strict=True):
        assert np.array_equal(memory.step(cue), state)
    with pytest.raises(ValueError, match="read-only"):
        memories[0].keys[0, 0] = 5


def test_keys_of_more_than_64_mib_and_keys_in_a_file_are_not_copied(tmp_path):
    for rows, copied in ((2**23, True), (2**23 + 1, False)):
        keys = np.zeros((rows, 1))
        assert np.shares_memory(ha.Memory(keys).keys, keys) != copied
    np.save(tmp_path / "keys.npy", np.eye(2))
    assert isinstance(ha.Memory(tmp_path / "keys.npy").keys, np.memmap)


def test_beta_is_short_for_the_separations_own_and_1_by_default():
    keys = np.eye(2)
    assert ha.Memory(keys, separation="softmax", beta=8).separation == separations["softmax"](beta=8)
    assert (ha.Memory(keys).beta, ha.Memory(keys, beta=3.0).beta, ha.Memory(keys).separation.sink) == (1, 3, None)


def test_mixed_dtypes_give_the_wider_one():
    narrow, wide = np.eye(2, dtype=np.float32), np.eye(2)
    assert ha.Memory(narrow, beta=np.float64(2)).step(narrow).dtype == np.float32
    assert ha.memories.modern(narrow).step(wide).dtype == np.float64
    assert ha.memories.modern(narrow).recall([1, 0]).state.dtype == np.float64


@both_kernels
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("separation", separations)
def test_many_cues_and_patterns_are_answered_as_each_cue_alone(separation, masked):
    """So many scores that they are never in memory at once; whole numbers, so that sums are exact."""
    rng = np.random.default_rng(0)
    keys, values, cues = (rng.integers(-3, 4, size=(n, 6)) / 4.0 for n in (3000, 3000, 1500))
    mask = rng.random(3000) < 0.5 if masked else None
    for m in (memory(keys, separation=separation, beta=0.5), memory(keys, values, separation=separation, beta=0.5)):
        some, step = [0, 1, 700, 1499], m.step(cues, mask)
        np.testing.assert_allclose(step[some], [m.step(cues[i], mask) for i in some], rtol=1e-9, atol=1e-12)
        if not m.why_not("energy"):
            energy = m.energy(cues, mask)[some]
            np.testing.assert_allclose(energy, [m.energy(cues[i], mask) for i in some], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("update", ["sync", "concave_convex"])
def test_many_cues_of_many_patterns_are_recalled_as_each_cue_alone(update):
    rng = np.random.default_rng(1)
    patterns, cues = ha.unit(rng.normal(size=(3000, 8))), ha.unit(rng.normal(size=(1500, 8)))
    m = ha.memories.modern(patterns, beta=40.0)
    together = m.recall(cues, update=update, max_steps=8)
    for i in (0, 3, 800, 1499):
        alone = m.recall(cues[i], update=update, max_steps=8)
        np.testing.assert_allclose(alone.state, together.state[i], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(alone.residual, together.residual[i], rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(alone.energies, together.energies[: alone.steps + 1, i], rtol=1e-10)
        assert (alone.status, alone.matched) == (together.status[i], together.matched[i])


RNG = np.random.default_rng(2)
KEYS, CUES = RNG.normal(size=(3, 5, 4)), RNG.normal(size=(3, 2, 4))


def step(keys, cues):
    """One step of a memory that is made here."""
    return ha.Memory(ha.unit(keys), beta=2.0).step(cues)


def test_keys_may_be_made_inside_jit_vmap_and_scan(jax):
    keys, cues = map(jax.numpy.asarray, (KEYS, CUES))
    expected = np.stack([step(*both) for both in zip(KEYS, CUES, strict=True)])
    np.testing.assert_allclose(jax.jit(step)(keys[0], cues[0]), expected[0], atol=1e-12)
    np.testing.assert_allclose(jax.vmap(step)(keys, cues), expected, atol=1e-12)
    found = jax.lax.scan(lambda state, both: (state, step(*both)), 0, (keys, cues))[1]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_keys_may_be_made_where_pytorch_maps(torch):
    keys, cues = map(torch.asarray, (KEYS, CUES))
    expected = np.stack([step(*both) for both in zip(KEYS, CUES, strict=True)])
    np.testing.assert_allclose(torch.func.vmap(step)(keys, cues), expected, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["modern", "spherical"])
def test_steps_and_energies_are_compiled_as_one_graph(torch, traced, name):
    if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 12):
        return  # it cannot follow array-api-compat
    patterns, cue = torch.tensor([[1.0, 1, -1, -1], [1, -1, 1, -1]]), torch.tensor([[0.5, 0.5, -0.5, 0.5]])
    memory = getattr(ha.memories, name)(patterns)
    for asked in (lambda x: memory.step(memory.step(x)), memory.energy):
        torch.testing.assert_close(traced(asked)(cue), asked(cue))


@pytest.mark.parametrize("separation", separations)
def test_a_cue_that_a_mask_leaves_without_patterns_ends_as_nothing_near(separation, library, monkeypatch):
    monkeypatch.setattr(hopattn.memories.memory, "SCORES_HELD", 2)  # so that each cue is a block of its own
    memory, cues = (
        ha.Memory(library.array(np.eye(2)), separation=separation),
        library.array(np.array([[0.5, 0.25]] * 3)),
    )
    mask = library.array(np.array([[True, True], [False, False], [False, True]]))
    found = memory.recall(cues, mask=mask, update="sync", max_steps=9)
    assert (found.status == "nothing near").tolist() == [False, True, False]
    assert not found.converged[1] and found.meaning[1] == ha.Status.NOTHING_NEAR.meaning
    assert library.numpy(memory._nothing_near(cues, mask)).tolist() == [False, True, False]
    assert library.numpy(memory._nothing_near(cues[1, :], mask[1, :])).tolist() is True


SPINS = np.where(np.random.default_rng(0).random((3, 16)) < 0.5, -1.0, 1.0)


@pytest.mark.parametrize(
    ("memory", "near", "far"),
    [
        (ha.memories.sdm(SPINS, SPINS, radius=2), SPINS[0], -SPINS[0]),
        (ha.memories.threshold_layer(np.eye(3)), [0.9, 0.8, 0.1], [0.4, 0.4, 0.4]),
        (ha.Memory(np.eye(2), separation="rectified_power", activation="sign"), [1, 1], [-1, -1]),
        (ha.Memory(np.eye(2), separation="proportional"), [0.9, 0.1], [-0.9, -0.1]),
        (ha.Memory(np.eye(2), separation="identity", activation="tanh", beta=4.0), [0.5, 0.5], [0, 0]),
        (ha.Memory(2 * np.eye(2), separation="sparsemax", sink=2.0), [2.0, 0.0], [0.1, 0.1]),
        (ha.Memory(2 * np.eye(2), separation="argmax", sink=2.0), [2.0, 0.0], [0.1, 0.1]),
        (ha.Memory(2 * np.eye(2), separation="softmax", sink=2e4, beta=1e4), [2.0, 0.0], [0.1, 0.1]),
    ],
)
def test_a_state_to_which_no_pattern_has_a_weight_ends_as_nothing_near(memory, near, far):
    found = memory.recall([near, far], update="sync")
    assert found.status.tolist() == ["converged", "nothing near"]
    assert memory.weights(found.state).any(axis=1).tolist() == [True, False]


def test_spins_read_the_direction_of_weights_that_are_too_small_for_numbers():
    """.1³⁹⁹ and exp(−1000) are 0 as numbers, and the spins turn to the pattern all the same."""
    for separation, scale in ((separations.power(n=400), 0.01), (separations.exponential(beta=1e4), -0.01)):
        memory = ha.Memory(scale * np.ones((1, 10)), separation=separation, activation="sign")
        assert memory.recall(np.ones(10), update="sync", max_steps=4).status != "nothing near"
        assert not memory.weights(np.ones(10)).any()
