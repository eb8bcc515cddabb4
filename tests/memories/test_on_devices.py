"""Every named memory on arrays of PyTorch, JAX and array-api-strict: the same numbers as with NumPy, to 1e-12."""

import pickle
from itertools import product

import numpy as np
import pytest

import hopattn as ha
from hopattn.dynamics.recall import CAPABILITIES
from hopattn.experiments.random_memories import DRAWS
from hopattn.foundation.errors import InvalidInput
from hopattn.memories import named_memories
from tests.draws import count
from tests.libraries import Library
from tests.refusal import refused

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
WORDS = ("status", "steps", "period", "converged", "matched", "spurious")
BY_STEP = ("trajectory", "overlaps", "weights")
every = pytest.mark.parametrize("name", named_memories)
JAX_IS_SLOW = ["numpy", "array_api_strict", "torch", pytest.param("jax", marks=pytest.mark.slow)]
beside_numpy = pytest.mark.parametrize("library", JAX_IS_SLOW[1:], indirect=True)
on_every_library = pytest.mark.parametrize("library", JAX_IS_SLOW, indirect=True)


def pairs(library, name):
    """A memory of NumPy arrays, the same one of another library, and three cues in the domain of its activation."""
    build = named_memories[name].build
    for seed in range(count(8, 1)):
        rng = np.random.default_rng(seed)
        arguments = dict(DRAWS[name](rng)) if library.name != "jax" else of_one_shape(name, rng)
        given = {key: on(library, one) for key, one in arguments.items()}
        try:
            own = build(**arguments)
        except InvalidInput:  # the draw is refused, whatever the library
            with pytest.raises(InvalidInput):
                build(**given)
            continue
        cues = np.asarray(own.activation(rng.normal(size=(3, named_dim(arguments)))))
        yield own, build(**given), cues


def of_one_shape(name, rng):
    """Arguments of as many patterns and neurons in each memory: JAX compiles each operation for each shape."""
    more = {"bam": ("right",), "sdm": ("values",), "delta": ("values",), "input_driven": ("input",)}.get(name, ())
    rows = {key: rng.choice([-1.0, 1.0], size=(4, 6)) for key in (named_memories[name].stored, *more)}
    if name == "input_driven":
        rows["input"] = rows["input"][0]
    return rows | {"sdm": {"radius": 2}, "random_features": {"rng": 0}}.get(name, {})


def on(library, value):
    """An argument of a memory; an array as one of this library."""
    return library.array(value) if isinstance(value, np.ndarray) and value.ndim else value


def named_dim(arguments):
    """The dim of the stored patterns or keys, the first argument."""
    return np.shape(next(iter(arguments.values())))[-1]


def require_same_record(library, found, expected):
    for words in WORDS:
        assert np.array_equal(getattr(found, words), getattr(expected, words)), words
    for numbers in ("state", "residual", "energies", *BY_STEP):
        own, other = getattr(expected, numbers), getattr(found, numbers)
        assert (own is None) == (other is None), numbers
        if own is not None:
            np.testing.assert_allclose(library.numpy(other), own, **CLOSE, err_msg=numbers)


def require_same_steps(library, own, other, cues):
    given = library.array(cues)
    for method in ("step", "field", "weights", "energy"):
        if hasattr(own, method) and not (method == "energy" and own.why_not("energy")):
            found = getattr(other, method)(given)
            assert (type(found), found.device) == (type(given), given.device), method
            np.testing.assert_allclose(library.numpy(found), getattr(own, method)(cues), **CLOSE, err_msg=method)
    assert [other.why_not(name) for name in CAPABILITIES] == [own.why_not(name) for name in CAPABILITIES]
    assert other.default_update == own.default_update
    assert other._curvature == pytest.approx(own._curvature, rel=1e-12)


def require_same_recall(library, own, other, cues, update):
    """The same record; no recall where the update is not one of the memory."""
    if not ha.updates.make(update).obstacle(own):
        keep = () if own.why_not("recall") else BY_STEP[: 2 + hasattr(own, "weights")]
        # Where a cue leaves a saddle, each step makes the difference of two roundings several times larger.
        options = {"update": update, "max_steps": count(12, 6), "keep": keep}
        found, given = other.recall(library.array(cues), **options), library.array(cues)
        assert (type(found.state), found.state.device) == (type(given), given.device)
        require_same_record(library, found, own.recall(cues, **options))


@pytest.fixture
def asked_late(monkeypatch):
    """Arrays of a CPU take four steps before it is asked which cues go on, as those of an accelerator do."""
    monkeypatch.setattr("hopattn.dynamics.loop.is_far", lambda x: True)


@beside_numpy
@every
def test_steps_and_recalls_are_those_of_numpy(library, name):
    for own, other, cues in pairs(library, name):
        require_same_steps(library, own, other, cues)
        for update in ("sync", *["concave_convex"] * bool(0 < own._curvature < np.inf)):
            require_same_recall(library, own, other, cues, update)


@pytest.mark.usefixtures("asked_late")
@every
def test_recalls_are_those_of_numpy_where_the_device_is_asked_every_fourth_step(torch, name):
    for own, other, cues in pairs(Library("torch"), name):
        require_same_recall(Library("torch"), own, other, cues, "sync")


@beside_numpy
@pytest.mark.parametrize("name", ["graded", pytest.param("modern", marks=pytest.mark.slow)])
def test_continuous_time_is_that_of_numpy(library, name):
    """Where weights have kinks, both are within the error of the integration, 1e-10, and not equal to 1e-12."""
    for own, other, cues in pairs(library, name):
        require_same_recall(library, own, other, cues, ha.Graded(0.5))


@on_every_library
@pytest.mark.parametrize("late", [False, True])
def test_cues_that_grow_end_and_cycle_beside_each_other_end_as_alone(library, late, request):
    """Each cue of x ← Wx: it grows without bound, stays, changes its sign for ever, or falls."""
    if late:
        request.getfixturevalue("asked_late")
    couplings, cues = np.diag([4.0, 1.0, -1.0, 0.5]), np.eye(4)
    expected = ha.Associator(couplings).recall(cues, max_steps=60, keep="trajectory")
    found = ha.Associator(library.array(couplings)).recall(library.array(cues), max_steps=60, keep="trajectory")
    assert expected.status.tolist() == ["diverged", "converged", "cycle", "limit"]
    require_same_record(library, found, expected)
    assert found.asked_every == (4 if late and library.name != "numpy" else 1)
    assert ("asked every 4 steps" in repr(found)) == (found.asked_every == 4)
    alone = ha.Associator(library.array(couplings)).recall(library.array(cues[2]))
    assert (alone.status, alone.period, alone.state.shape) == ("cycle", 2, (4,))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("late", [False, True])
def test_one_cue_of_a_hundred_that_takes_more_steps_than_the_others_ends_as_with_numpy(torch, late, masked, request):
    if late:
        request.getfixturevalue("asked_late")
    keys, mask = np.eye(3), np.ones((100, 3), dtype=bool)
    cues, mask[7, 2] = keys[np.arange(100) % 3].copy(), False
    cues[7] = [0.5001, 0.4999, 0.0]
    options = {"mask": mask if masked else None, "keep": BY_STEP}
    found = ha.Memory(torch.asarray(keys), beta=8.0).recall(torch.asarray(cues), **options)
    assert found.steps[7] > np.median(found.steps) + 4
    require_same_record(Library("torch"), found, ha.Memory(keys, beta=8.0).recall(cues, **options))


@pytest.mark.gpu
@every
def test_a_memory_on_a_gpu_is_that_of_numpy(gpu, name):
    for own, other, cues in pairs(gpu, name):
        require_same_steps(gpu, own, other, cues)
        require_same_recall(gpu, own, other, cues, "sync")


@pytest.mark.gpu
def test_a_recall_on_a_gpu_asks_it_every_fourth_step(gpu):
    record = ha.memories.modern(gpu.array(np.eye(4))).recall(gpu.array(np.full((2, 4), 0.25)))
    assert (record.asked_every, record.state.device.type) == (4, "cuda")


@on_every_library
def test_a_mask_is_of_any_library(library):
    keys, cues, mask = np.eye(3), np.array([[0.6, 0.4, 0.0], [0.1, 0.2, 0.7]]), np.array([[1, 0, 1], [0, 1, 1]]) > 0
    expected = ha.memories.modern(keys).recall(cues, mask=mask)
    other = ha.memories.modern(library.array(keys))
    for own in (mask, mask.tolist(), library.array(mask)):
        require_same_record(library, other.recall(library.array(cues), mask=own), expected)


@pytest.mark.slow
def test_a_recall_that_is_traced_names_the_alternative(torch, jax):
    keys, cue = np.eye(3), np.array([0.6, 0.4, 0.0])

    def recalled(keys, cue):
        return ha.memories.modern(keys).recall(cue).state

    message = r"cannot be traced; take a fixed number of steps instead: `for _ in range\(n\): x = memory.step\(x\)`"
    of_torch, of_jax = (map(torch.asarray, (keys, cue)), map(jax.numpy.asarray, (keys, cue)))
    k, x = of_torch
    for one, other in ((k.clone().requires_grad_(), x), (k, x.clone().requires_grad_())):
        with pytest.raises(InvalidInput, match=message):
            recalled(one, other)
        with torch.no_grad():
            assert recalled(one, other).shape == (3,)
    of_x, learned = lambda x: recalled(k, x), torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    for call in (
        lambda: torch.func.vmap(of_x)(x[None]),
        lambda: torch.func.grad(lambda x: of_x(x).sum())(x),
        lambda: torch.compile(of_x, backend="eager")(x),
        lambda: ha.Memory(k, beta=learned).recall(x),
        lambda: ha.Memory(k, sink=learned).recall(x),
    ):
        with pytest.raises(InvalidInput, match=message):
            call()
    k, x = of_jax
    for call in (
        jax.jit(recalled),
        jax.grad(lambda k, x: recalled(k, x).sum()),
        lambda k, x: jax.vmap(recalled, (None, 0))(k, x[None]),
    ):
        with pytest.raises(InvalidInput, match=message):
            call(k, x)
    with pytest.raises(InvalidInput, match=message):
        jax.jit(lambda k: ha.Memory(k, jax.numpy.eye(3, k=1) @ k, patterns=jax.numpy.eye(3)).recall(x))(k)


@pytest.mark.parametrize("name", ["modern", "graded", "bam"])
def test_a_fixed_number_of_steps_is_traced(torch, jax, name):
    patterns, cue = np.array([[1.0, 1, -1, -1], [1, -1, 1, -1]]), np.array([0.5, 0.4, -0.2, 0.1])
    build = (lambda rows: ha.memories.bam(rows, rows)) if name == "bam" else named_memories[name].build

    def steps(patterns, x):
        memory = build(patterns)
        for _ in range(3):
            x = memory.step(x)
        return x

    expected, (k, x) = steps(patterns, cue), map(jax.numpy.asarray, (patterns, cue))
    np.testing.assert_allclose(jax.jit(jax.vmap(steps, (None, 0)))(k, x[None])[0], expected, **CLOSE)
    k, x = map(torch.asarray, (patterns, cue))
    np.testing.assert_allclose(torch.func.vmap(steps, (None, 0))(k, x[None])[0], expected, **CLOSE)
    if name == "modern":  # patterns of the others are ±1, and the states of bam are signs
        torch.autograd.gradcheck(steps, (k.requires_grad_(), x.requires_grad_()))
    elif name == "graded":
        torch.autograd.gradcheck(lambda x: steps(k, x), (x.requires_grad_(),))
    if name != "bam":
        slope = jax.jit(jax.grad(lambda x: steps(jax.numpy.asarray(patterns), x).sum()))
        np.testing.assert_allclose(slope(jax.numpy.asarray(cue)), torch.autograd.grad(steps(k, x).sum(), x)[0], **CLOSE)


@pytest.mark.parametrize("name", ["modern", "sparse", "spherical", "linear", "graded", "exponential", "dense"])
def test_energies_pass_the_check_of_derivatives(torch, name):
    patterns = torch.tensor([[1.0, 1, -1, -1], [1, -1, 1, -1]], dtype=torch.float64)
    state = torch.tensor([[0.5, 0.4, -0.2, 0.1]], dtype=torch.float64, requires_grad=True)
    build = named_memories[name].build
    torch.autograd.gradcheck(lambda x: build(patterns).energy(x), (state,))
    if name in ("modern", "sparse", "linear"):  # other patterns than ±1 and of length 1 are patterns too
        torch.autograd.gradcheck(lambda rows, x: build(rows).energy(x), (patterns.requires_grad_(), state))


def test_a_list_of_arrays_keeps_their_library(library):
    rows = [library.array([1.0, 0.0]), library.array([0.0, 1.0])]
    assert type(ha.memories.modern(rows).keys) is type(rows[0])


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_the_dtype_stays(torch, dtype):
    dtype = getattr(torch, dtype)
    rows = torch.tensor([[1.0, -1, 1, 1], [1, 1, -1, 1]], dtype=dtype)
    for memory in (ha.memories.modern(rows), ha.memories.dense(rows), ha.memories.hopfield(rows)):
        found = memory.recall(rows, update="sync", keep="trajectory")
        assert found.state.dtype == found.trajectory.dtype == dtype
        assert found.matched.tolist() == [0, 1]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_many_scores_are_those_of_the_definition(torch, dtype):
    """From so many scores on, PyTorch's fused attention computes the step and the energy, also with a sink."""
    dtype = getattr(torch, dtype)
    rng = np.random.default_rng(0)
    keys, cues = (torch.tensor(rng.normal(size=(n, 16)), dtype=dtype) for n in (300, 200))
    for beta, sink in product((0.3, 1.0, 4.0), (None, 0.0, 9.0, -1e300)):
        memory, null = ha.Memory(keys, beta=beta, sink=sink), -np.inf if sink is None else sink
        scores = beta * (cues.double() @ keys.double().mT)
        scores = torch.concat([scores, torch.full_like(scores[:, :1], null)], -1)
        state, energy = torch.softmax(scores, -1)[:, :-1] @ keys.double(), -torch.logsumexp(scores, -1) / beta
        energy = energy + 0.5 * (cues.double() ** 2).sum(-1)
        close = {"rtol": 200 * torch.finfo(dtype).eps, "atol": 200 * torch.finfo(dtype).eps}
        for found in (memory.step(cues), memory._step_with_energy(cues)[0]):
            np.testing.assert_allclose(found, state, **close)
        for found in (memory.energy(cues), memory._step_with_energy(cues)[1]):
            np.testing.assert_allclose(found, energy, **close)
    large = ha.Memory(keys * 1e150, beta=1e200) if dtype == torch.float64 else ha.Memory(keys * 1e18, beta=1e6)
    assert torch.isfinite(large.step(cues * (1e150 if dtype == torch.float64 else 1e18))).all()


@pytest.mark.parametrize("place", ["cues", "keys", "values"])
def test_the_slope_of_many_scores_is_the_sum_of_those_of_few(torch, place):
    rng = np.random.default_rng(0)
    texts = {name: torch.tensor(rng.normal(size=(n, 4))) for name, n in (("cues", 130), ("keys", 140), ("values", 140))}
    cues, keys, values = (texts | {place: texts[place].requires_grad_()}).values()
    slopes = []
    for parts in ([cues], cues.split(65)):
        states = [ha.Memory(keys, values).step(part).square().sum() for part in parts]
        energies = [ha.Memory(keys, sink=1.0).energy(part).sum() for part in parts]
        slopes.append(torch.autograd.grad(sum(states) + (0 if place == "values" else sum(energies)), texts[place])[0])
    np.testing.assert_allclose(*slopes, rtol=1e-10, atol=1e-10)


def test_a_record_of_another_library_becomes_the_arrays_and_tables_of_numpy(torch):
    cues = np.array([[0.6, 0.4, 0.0], [0.1, 0.2, 0.7]])
    expected = ha.memories.modern(np.eye(3)).recall(cues, keep=BY_STEP)
    found = ha.memories.modern(torch.eye(3).double()).recall(torch.asarray(cues), keep=BY_STEP)
    assert isinstance(found.to_numpy().state, np.ndarray)
    require_same_record(Library("numpy"), found.to_numpy(), expected)
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert found.to_pandas().round(9).equals(expected.to_pandas().round(9))
    assert "converged" in found._repr_html_() and len(pickle.loads(pickle.dumps(found)).matched) == 2


@beside_numpy
def test_spins_one_at_a_time_stay_with_numpy_and_say_so(library):
    network, cue = ha.memories.hopfield(library.array([[1.0, -1.0, 1.0]])), library.array([1.0, 1.0, 1.0])
    for update in (None, "async", ha.Glauber(0.5)):
        refused(lambda one=update: network.recall(cue, update=one), "update: ", "NumPy arrays alone", "update='sync'")


def test_arrays_that_do_not_fit_are_refused_by_their_names(torch, jax):
    """Arrays of another library, on another device, of another dtype, or without numbers of their own."""
    x, single, number = torch.eye(2, dtype=torch.float64), torch.eye(2), torch.tensor(1.0, dtype=torch.float64)
    far, head, texts, memories = x.to("meta"), ha.Head(x, x, x, mask="causal"), x.expand(3, 2, 2), ha.memories
    heads, nan = [head] * 3, torch.tensor([[1.0, 0], [float("nan"), 0]])
    apart, dtypes = ("on the device meta", "on cpu"), "torch.float64"
    for memory, name in ((memories.modern(x), "keys"), (memories.hopfield(x[:1] * 0 + 1), "couplings")):
        for cue, *words in (
            (np.eye(2), f"cues and {name}: ", "not of numpy and torch"),
            (jax.numpy.eye(2), f"cues and {name}: ", "not of jaxlib and torch"),
            (single, "cues: ", "torch.float32", f"{name} of torch.float64", "convert"),
            (far, "cues: ", *apart, name),
        ):
            refused(lambda own=memory, given=cue: own.step(given), *words)
            refused(lambda own=memory, given=cue: own.recall(given, update="sync"), words[0].rstrip(": ").split()[0])
    for call, *words in (
        (lambda: ha.Memory(x).save("m.npz"), "save: keys: ", "NumPy arrays"),
        (lambda: ha.Memory(x, single), "values: torch.float32", f"keys of {dtypes}"),
        (lambda: ha.Memory(x, far), "values: ", *apart),
        (lambda: ha.Memory(x, np.eye(2)), "values and keys: ", "one library"),
        (lambda: ha.Memory(x, 2 * x, patterns=far), "patterns: ", *apart),
        (lambda: ha.Memory(x, sink=number.to("meta")), "sink: ", *apart),
        (lambda: ha.Memory(x, beta=number.to("meta")), "beta: ", *apart),
        (lambda: ha.attention(x, x, x, beta=number.to("meta")), "beta: ", *apart),
        (lambda: ha.attention(x, far, x), "k: ", "on the device meta", "q on cpu"),
        (lambda: ha.attention(x, x, far), "v: ", *apart),
        (lambda: ha.attention(x, x, single), "v: torch.float32", f"q of {dtypes}"),
        (lambda: ha.attention(x, x, x, bias=far), "bias: ", *apart),
        (lambda: ha.attention(texts, texts, texts, sink=torch.ones(3, device="meta")), "sink: ", apart[0]),
        (lambda: ha.Head(x, far, x, mask="causal"), "w_key: ", *apart),
        (lambda: ha.Head(x, x, single, mask="causal"), "w_value: torch.float32", f"w_query of {dtypes}"),
        (lambda: head(far), "x: ", *apart),
        (lambda: head(x, bias=far), "bias: ", *apart),
        (lambda: ha.MultiHead(heads, torch.ones(2, 6), sink=torch.ones(3).to("meta")), "sink: ", apart[0]),
        (lambda: ha.learning.associate(x, single), "one side: torch.float32", dtypes),
        (lambda: memories.bam(2 * x - 1, far), "one side: ", apart[0]),
        (lambda: memories.modern(far).recall(far), "recall: ", "cannot be traced"),
        (lambda: ha.learning.perceptron(far), "patterns: ", "until all are stable"),
        (lambda: memories.modern([torch.ones(2), torch.ones(3)]), "patterns: ", "unequal length"),
        (lambda: ha.Memory(nan.repeat(6_000, 1)), "keys: row 1", "NaN"),
        (lambda: memories.modern(x).recall(nan.double()), "cues: row 1", "NaN"),
    ):
        refused(call, *words)
    for keys, word in (
        (single.to_sparse(), "x.to_dense()"),
        (single.to(torch.float8_e4m3fn), "torch.float8_e4m3fn"),
        (single.to(torch.complex64), "real numbers"),
    ):
        for build in (memories.modern, memories.hopfield, ha.learning.hebb):
            refused(lambda make=build, rows=keys: make(rows), "patterns: ", word)
    assert ha.Memory(x, sink=number, beta=number).step(x).dtype == torch.float64
