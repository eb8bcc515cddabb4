"""Every named memory on arrays of PyTorch, JAX and array-api-strict: the same numbers as with NumPy, to 1e-12."""

import pickle
from itertools import product

import numpy as np
import pytest

import hopattn as ha
from hopattn.dynamics import recall_on_device
from hopattn.dynamics.updates.synchronous import ConcaveConvex, Synchronous
from hopattn.experiments import random_memories
from hopattn.experiments.random_memories import DRAWS
from hopattn.figures.as_result import recall_as_result
from hopattn.foundation.errors import InvalidInput
from hopattn.memories.models import named_memories
from hopattn.retrieval.step import Retrieval
from tests.conftest import Library, beside_numpy
from tests.counts import FULL, VARIANTS, count
from tests.each import each

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
WORDS = ("status", "steps", "period", "converged", "matched", "spurious")
BY_STEP = ("trajectory", "overlaps", "weights")
every = each("name", named_memories)


@pytest.fixture
def one_shape(monkeypatch):
    """All memories of a quick run have as many patterns and neurons: JAX compiles each operation for each shape."""
    if not FULL:
        monkeypatch.setattr(random_memories, "_shape", lambda rng: (4, 6))


def pairs(library, name):
    """A memory of NumPy arrays, the same one of another library, and three cues in the domain of its activation."""
    build = named_memories[name].build
    for seed in range(count(8, 1)):
        rng = np.random.default_rng(seed)
        arguments = dict(DRAWS[name](rng))
        given = {key: on(library, one) for key, one in arguments.items()}
        try:
            own = build(**arguments)
        except InvalidInput:  # the draw is refused, whatever the library
            with pytest.raises(InvalidInput):
                build(**given)
            continue
        cues = np.asarray(own.activation(rng.normal(size=(3, named_dim(arguments)))))
        yield own, build(**given), cues


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
        if hasattr(own, method) and not (method == "energy" and "energy" in own.lacks):
            found = getattr(other, method)(given)
            assert (type(found), found.device) == (type(given), given.device), method
            np.testing.assert_allclose(library.numpy(found), getattr(own, method)(cues), **CLOSE, err_msg=method)
    assert (other.lacks, other.own_update) == (own.lacks, own.own_update)
    assert other.curvature == pytest.approx(own.curvature, rel=1e-12)


def require_same_recall(library, own, other, cues, update):
    """The same record; no recall where the update is not one of the memory."""
    if not update.obstacle(own):
        keep = () if "recall" in own.lacks else BY_STEP[: 2 + hasattr(own, "weights")]
        # Where a cue leaves a saddle, each step makes the difference of two roundings several times larger.
        options = {"update": update, "max_steps": count(12, 6), "keep": keep}
        found, given = other.recall(library.array(cues), **options), library.array(cues)
        assert (type(found.state), found.state.device) == (type(given), given.device)
        require_same_record(library, found, own.recall(cues, **options))


@pytest.mark.usefixtures("one_shape")
@beside_numpy
@every
def test_steps_and_recalls_are_those_of_numpy_however_often_the_device_is_asked(library, name, monkeypatch):
    """With inertia 0, the concave-convex update calls the synchronous one, and is not computed again."""
    for own, other, cues in pairs(library, name):
        require_same_steps(library, own, other, cues)
        updates = [Synchronous(), *[ConcaveConvex()] * bool(0 < own.curvature < np.inf)]
        for update, ahead in product(updates, count((1, 4), (4,) if library.name == "torch" else (1,))):
            monkeypatch.setattr(recall_on_device, "steps_ahead", lambda x, ahead=ahead: ahead)
            require_same_recall(library, own, other, cues, update)


@beside_numpy
@each("name", ["graded", "modern"] if VARIANTS else ["graded"])
def test_continuous_time_is_that_of_numpy(library, name):
    """Where weights have kinks, both are within the error of the integration, 1e-10, and not equal to 1e-12."""
    for own, other, cues in pairs(library, name):
        require_same_recall(library, own, other, cues, ha.Graded(0.5))


@pytest.mark.gpu
@every
def test_a_memory_on_a_gpu_is_that_of_numpy(gpu, name):
    for own, other, cues in pairs(gpu, name):
        require_same_steps(gpu, own, other, cues)
        require_same_recall(gpu, own, other, cues, Synchronous())


@pytest.mark.gpu
def test_a_recall_on_a_gpu_asks_it_every_fourth_step(gpu):
    record = ha.memories.modern(gpu.array(np.eye(4))).recall(gpu.array(np.full((2, 4), 0.25)))
    assert (record.asked_every, record.state.device.type) == (4, "cuda")


def test_the_record_says_how_often_the_device_was_asked(torch, monkeypatch):
    memory, cues = ha.memories.modern(torch.eye(4)), torch.eye(4)
    assert memory.recall(cues).asked_every == 1
    monkeypatch.setattr(recall_on_device, "steps_ahead", lambda x: 4)
    found = memory.recall(cues, max_steps=10)
    assert found.asked_every == 4 and "asked every 4 steps" in repr(found)


def test_a_device_is_asked_once_for_several_steps(torch, monkeypatch):
    """One array comes to the host between two questions, whatever the number of cues; in the end, the last energies."""
    asked = []
    monkeypatch.setattr(recall_on_device, "steps_ahead", lambda x: 4)
    monkeypatch.setattr(recall_on_device, "on_host", lambda x: asked.append(x.shape) or np.asarray(x))
    cues = torch.asarray(np.random.default_rng(0).normal(size=(5, 3)))
    ha.memories.modern(torch.eye(3, dtype=torch.float64), beta=1.2).recall(cues, max_steps=16, tol=0.0)
    assert len(asked) == 16 / 4 + 1 and all(shape[-1] == 5 for shape in asked)


class Counted(ha.Memory):
    """A memory that notes how many cues took each step."""

    def __init__(self, *given, **options):
        super().__init__(*given, **options)
        object.__setattr__(self, "stepped", [])

    def step_with_energy(self, states, mask=None):
        self.stepped.append(states.shape[0])
        return super().step_with_energy(states, mask)


@each("ahead", [1, 4])
def test_the_device_goes_on_with_the_cues_that_have_not_stopped(torch, monkeypatch, ahead):
    """One cue of a hundred lies between two patterns, and takes more steps."""
    monkeypatch.setattr(recall_on_device, "steps_ahead", lambda x: ahead)
    keys, mask = np.eye(3), np.ones((100, 3), dtype=bool)
    cues, mask[7, 2] = keys[np.arange(100) % 3].copy(), False
    cues[7] = [0.5001, 0.4999, 0.0]
    memory, own = Counted(torch.asarray(keys), beta=8.0), ha.Memory(keys, beta=8.0)
    for allowed in (None, mask):
        memory.stepped.clear()
        found = memory.recall(torch.asarray(cues), mask=allowed, keep=BY_STEP)
        require_same_record(Library("torch"), found, own.recall(cues, mask=allowed, keep=BY_STEP))
        assert memory.stepped[0] == 100 and memory.stepped[-1] == 1
        assert sum(memory.stepped) < 100 * (np.median(found.steps) + ahead) + found.steps.max() + ahead


@each("dtype", ["float32", "float64"])
def test_states_that_are_nearly_one_are_read_once(torch, monkeypatch, dtype):
    """The size of the patterns that a state reads decides the tolerance; it costs a step for each state."""
    rng, dtype = np.random.default_rng(0), getattr(torch, dtype)
    memory = ha.Memory(torch.asarray(rng.normal(size=(30, 4)), dtype=dtype), beta=0.5)
    near, eps = torch.asarray(rng.normal(size=(1, 4)), dtype=dtype), torch.finfo(dtype).eps
    states = near.repeat(40, 1) * (1 + eps * torch.asarray(rng.normal(size=(40, 1)), dtype=dtype))
    states[[3, 5]] = torch.asarray(rng.normal(size=(2, 4)), dtype=dtype)
    expected = (memory.weights(states) @ memory.keys.abs().amax(-1)).numpy()
    read, field = [], Retrieval.field
    monkeypatch.setattr(Retrieval, "field", lambda own, x, *more: read.append(len(x)) or field(own, x, *more))
    np.testing.assert_allclose(memory.size_read(states), expected, rtol=2 * eps**0.5)
    np.testing.assert_allclose(memory.size_read(states, torch.ones((40, 30), dtype=bool)), expected, rtol=20 * eps)
    assert read == [3, 40]
    with np.errstate(invalid="ignore"):  # older NumPy says that the scores are NaN
        lost = ha.Memory(memory.keys.numpy(), beta=0.5).size_read(np.full((2, 4), np.inf))
    assert lost.shape == (2,)


def test_cues_that_grow_end_and_cycle_beside_each_other_end_as_alone(library, monkeypatch):
    """Each cue of x ← Wx: it grows without bound, stays, changes its sign for ever, or falls."""
    monkeypatch.setattr(recall_on_device, "steps_ahead", lambda x: 4)
    couplings, cues = np.diag([4.0, 1.0, -1.0, 0.5]), np.eye(4)
    expected = ha.Associator(couplings).recall(cues, max_steps=60, keep="trajectory")
    found = ha.Associator(library.array(couplings)).recall(library.array(cues), max_steps=60, keep="trajectory")
    assert expected.status.tolist() == ["diverged", "converged", "cycle", "limit"]
    require_same_record(library, found, expected)
    alone = ha.Associator(library.array(couplings)).recall(library.array(cues[2]))
    assert (alone.status, alone.period, alone.state.shape) == ("cycle", 2, (4,))


def test_a_mask_is_of_any_library(library):
    keys, cues, mask = np.eye(3), np.array([[0.6, 0.4, 0.0], [0.1, 0.2, 0.7]]), np.array([[1, 0, 1], [0, 1, 1]]) > 0
    expected = ha.memories.modern(keys).recall(cues, mask=mask)
    other = ha.memories.modern(library.array(keys))
    for own in (mask, mask.tolist(), library.array(mask)):
        require_same_record(library, other.recall(library.array(cues), mask=own), expected)


@beside_numpy
def test_spins_one_at_a_time_stay_with_numpy_and_say_so(library):
    network = ha.memories.hopfield(library.array([[1.0, -1.0, 1.0]]))
    for update in (None, "async", ha.Glauber(0.5)):
        with pytest.raises(InvalidInput, match=r"one neuron after the other.* NumPy arrays alone; give update='sync'"):
            network.recall(library.array([1.0, 1.0, 1.0]), update=update)


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


@each("name", ["modern", "graded", "bam"])
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


@each("name", ["modern", "sparse", "spherical", "linear", "graded", "exponential", "dense"])
def test_energies_pass_the_check_of_derivatives(torch, name):
    patterns = torch.tensor([[1.0, 1, -1, -1], [1, -1, 1, -1]], dtype=torch.float64)
    state = torch.tensor([[0.5, 0.4, -0.2, 0.1]], dtype=torch.float64, requires_grad=True)
    build = named_memories[name].build
    torch.autograd.gradcheck(lambda x: build(patterns).energy(x), (state,))
    if name in ("modern", "sparse", "linear"):  # other patterns than ±1 and of length 1 are patterns too
        torch.autograd.gradcheck(lambda rows, x: build(rows).energy(x), (patterns.requires_grad_(), state))


def test_arrays_that_do_not_fit_are_refused_by_their_names(torch, jax):
    memory = ha.memories.modern(torch.eye(2, dtype=torch.float64))
    network = ha.memories.hopfield(torch.ones((1, 2), dtype=torch.float64))
    for own, other in ((memory, "keys"), (network, "couplings")):
        for cue, message in (
            (np.eye(2), f"cues and {other}: expected arrays of one library, not of numpy and torch"),
            (jax.numpy.eye(2), f"cues and {other}: expected arrays of one library, not of jaxlib and torch"),
            (torch.eye(2), f"cues: torch.float32 do not fit {other} of torch.float64; convert one of them"),
            (
                torch.eye(2, device="meta", dtype=torch.float64),
                f"cues: on the device meta, but {other} on cpu; give x.to",
            ),
        ):
            with pytest.raises(InvalidInput, match=message):
                own.step(cue)
            with pytest.raises(InvalidInput, match=message.split(":")[0].split(" and")[0]):
                own.recall(cue, update="sync")


def test_arguments_on_another_device_or_of_another_dtype_are_refused_by_their_names(torch):
    x, single, number = torch.eye(2, dtype=torch.float64), torch.eye(2), torch.tensor(1.0, dtype=torch.float64)
    far, one = x.to("meta"), ha.Head(x, x, x)
    texts = x.expand(3, 2, 2)
    for message, call in (
        ("values: torch.float32 do not fit keys of torch.float64", lambda: ha.Memory(x, single)),
        ("values: on the device meta, but keys on cpu", lambda: ha.Memory(x, far)),
        ("values and keys: expected arrays of one library", lambda: ha.Memory(x, np.eye(2))),
        ("patterns: on the device meta, but keys on cpu", lambda: ha.Memory(x, 2 * x, patterns=far)),
        ("sink: on the device meta, but keys on cpu", lambda: ha.Memory(x, sink=number.to("meta"))),
        ("beta: on the device meta, but keys on cpu", lambda: ha.Memory(x, beta=number.to("meta"))),
        ("beta: on the device meta, but k on cpu", lambda: ha.attention(x, x, x, beta=number.to("meta"))),
        ("q: on the device cpu, but k on meta", lambda: ha.attention(x, far, x)),
        ("v: on the device meta, but k on cpu", lambda: ha.attention(x, x, far)),
        ("v: torch.float32 do not fit k of torch.float64", lambda: ha.attention(x, x, single)),
        ("bias: on the device meta, but k on cpu", lambda: ha.attention(x, x, x, bias=far)),
        ("sink: on the device meta", lambda: ha.attention(texts, texts, texts, sink=torch.ones(3, device="meta"))),
        ("w_key: on the device meta, but w_query on cpu", lambda: ha.Head(x, far, x)),
        ("w_value: torch.float32 do not fit w_query of torch.float64", lambda: ha.Head(x, x, single)),
        ("x: on the device meta, but the head's matrices on cpu", lambda: one(far)),
        ("bias: on the device meta, but the head's matrices on cpu", lambda: one(x, bias=far)),
        ("sink: on the device meta", lambda: ha.MultiHead([one] * 3, torch.ones(2, 6), sink=torch.ones(3).to("meta"))),
        (
            "one side: torch.float32 do not fit the other side of torch.float64",
            lambda: ha.learning.associate(x, single),
        ),
        ("one side: on the device meta", lambda: ha.memories.bam(2 * x - 1, far)),
    ):
        with pytest.raises(InvalidInput, match=message):
            call()
    assert ha.Memory(x, sink=number, beta=number).step(x).dtype == torch.float64


def test_arrays_without_numbers_of_their_own_are_refused(torch):
    for keys, message in (
        (torch.eye(2).to_sparse(), r"patterns: expected a dense array; x.to_dense\(\) gives one"),
        (torch.ones((2, 2)).to(torch.float8_e4m3fn), r"patterns: torch.float8_e4m3fn is too short to compute with"),
        (torch.ones((2, 2), dtype=torch.complex64), "patterns: expected real numbers"),
    ):
        for build in (ha.memories.modern, ha.memories.hopfield, ha.learning.hebb):
            with pytest.raises(InvalidInput, match=message):
                build(keys)
    keys = torch.ones((2, 2), device="meta")
    with pytest.raises(InvalidInput, match=r"recall: .* cannot be traced"):
        ha.memories.modern(keys).recall(keys)
    with pytest.raises(InvalidInput, match="patterns: the perceptron rule learns until all are stable"):
        ha.learning.perceptron(keys)


def test_a_nan_on_a_device_is_found_by_one_question(torch, monkeypatch):
    asked = []
    monkeypatch.setattr("hopattn.foundation.arrays.surely", lambda flag: asked.append(flag) or bool(flag))
    keys = torch.ones((20_000, 2))
    ha.Memory(keys)
    assert len(asked) == 1
    keys[12_345, 1] = float("nan")
    with pytest.raises(InvalidInput, match="keys: row 12345 holds a NaN"):
        ha.Memory(keys)
    cues = torch.ones((3, 2))
    cues[1, 0] = float("nan")
    with pytest.raises(InvalidInput, match="cues: row 1 holds a NaN"):
        ha.memories.modern(torch.eye(2)).recall(cues)


def test_a_list_of_arrays_keeps_their_library(library):
    rows = [library.array([1.0, 0.0]), library.array([0.0, 1.0])]
    assert type(ha.memories.modern(rows).keys) is type(rows[0])


def test_a_list_of_arrays_of_unequal_length_is_refused(torch):
    with pytest.raises(InvalidInput, match="patterns: rows of unequal length, dtype or device"):
        ha.memories.modern([torch.ones(2), torch.ones(3)])


@each("dtype", ["float32", "float16", "bfloat16"])
def test_the_dtype_stays(torch, dtype):
    dtype = getattr(torch, dtype)
    rows = torch.tensor([[1.0, -1, 1, 1], [1, 1, -1, 1]], dtype=dtype)
    for memory in (ha.memories.modern(rows), ha.memories.dense(rows), ha.memories.hopfield(rows)):
        found = memory.recall(rows, update="sync", keep="trajectory")
        assert found.state.dtype == found.trajectory.dtype == dtype
        assert found.matched.tolist() == [0, 1]


@each("dtype", ["float32", "float64"])
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
        for found in (memory.step(cues), memory.step_with_energy(cues)[0]):
            np.testing.assert_allclose(found, state, **close)
        for found in (memory.energy(cues), memory.step_with_energy(cues)[1]):
            np.testing.assert_allclose(found, energy, **close)
    large = ha.Memory(keys * 1e150, beta=1e200) if dtype == torch.float64 else ha.Memory(keys * 1e18, beta=1e6)
    assert torch.isfinite(large.step(cues * (1e150 if dtype == torch.float64 else 1e18))).all()


def test_a_record_of_another_library_is_drawn_and_becomes_tables(torch):
    """It has the arrays of NumPy then, and the same figure."""
    pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("xarray", reason="xarray is not installed")
    cues = np.array([[0.6, 0.4, 0.0], [0.1, 0.2, 0.7]])
    expected = ha.memories.modern(np.eye(3)).recall(cues, keep=BY_STEP)
    found = ha.memories.modern(torch.eye(3).double()).recall(torch.asarray(cues), keep=BY_STEP)
    assert isinstance(found.to_numpy().state, np.ndarray)
    assert found.to_pandas().round(9).equals(expected.to_pandas().round(9))
    np.testing.assert_allclose(found.to_xarray()["trajectory"], expected.to_xarray()["trajectory"], **CLOSE)
    own, other = (recall_as_result(one).runs[0].arrays for one in (expected, found))
    assert own.keys() == other.keys()
    np.testing.assert_allclose(other["course"].values, own["course"].values, **CLOSE)
    assert "converged" in found._repr_html_() and len(pickle.loads(pickle.dumps(found)).matched) == 2
