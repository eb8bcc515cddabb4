"""Public calls: their signatures check arguments, axes of one name have one length, results are numbers."""

import inspect
import pickle
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.argument_names import _IN_LOOPS, _REFUSING, PLACED
from hopattn.foundation.boundary import Count, Declared, Of, Positive, finite, formula, not_minus_infinity, public
from hopattn.foundation.checks import real
from hopattn.foundation.shown_types import spelled_out
from tests.foundation.test_shown import CLASSES, ENTRIES, NAMED, in_rooms
from tests.refusal import refused
from tools.signatures import members


@public
def scaled_sum(x: Annotated[Any, Of("… n dim")], y: Annotated[Any, Of("… m dim")], *, beta: Positive = 1.0) -> Any:
    return beta * (x @ y.mT)


@dataclass(frozen=True, eq=False)
class Layer(Declared):
    weight: Annotated[Any, Of("out in")]
    bias: Annotated[Any, Of("out")] = None

    @public
    def __call__(self, x: Annotated[Any, Of("… in")]) -> Any:
        return x @ self.weight.mT

    @public
    def added(self, x: Annotated[Any, Of("… out")], times: Count = 1) -> Any:
        return x if self.bias is None else x + times * self.bias


@dataclass(frozen=True)
class Reader(Declared):
    dim: Count

    @public
    def read(self, x: Annotated[Any, Of("… n? dim", finite=True)], head: ha.Head = None) -> Any:
        return x


@public
def cosines(a: Annotated[Any, Of("… n? dim")], b: Annotated[Any, Of("… m? dim")]) -> Any:
    return a @ b.mT if b.ndim > 1 else a @ b


CALLS = {name: one for name, one in NAMED.items() if inspect.isfunction(one)} | {CLASSES[one]: one for one in CLASSES}
KINDS = {name: one for name, one in {**ENTRIES, **NAMED}.items() if inspect.isclass(one)}
METHODS = {
    f"{place}.{name}": getattr(kind, name)
    for place, kind in KINDS.items()
    for name in members(kind)
    if inspect.isroutine(method := inspect.getattr_static(kind, name))
    and inspect.isfunction(getattr(method, "__func__", method))
}
"""The public methods of every public class, with those that it inherits."""

LAYER = Layer(np.ones((2, 3)), [1.0, 2.0])
READER = Reader(3)
X, Y = np.ones((5, 4, 3)), np.ones((2, 3))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: scaled_sum(X, np.ones((2, 5))), ("y: got shape (2, 5); expected (…, m, dim) with dim = 3 of x",)),
        (lambda: scaled_sum(np.ones(3), Y), ("x: got shape (3,); expected (…, n, dim)",)),
        (lambda: scaled_sum(np.ones((0, 3)), Y), ("x: got shape (0, 3)", "no axis of length 0")),
        (lambda: scaled_sum(X, np.ones((2, 2, 3))), ("x, y: the leading axes (5,), (2,) do not broadcast",)),
        (lambda: scaled_sum(X, Y, beta=-1), ("beta: expected a positive finite number, not -1",)),
        (lambda: scaled_sum(X, Y, betta=1), ("scaled_sum: option 'betta' is unknown; did you mean 'beta'?",)),
        (
            lambda: scaled_sum(X, Y, 2.0),
            ("scaled_sum: got 3 arguments by position; expected only x, y; write beta=",),
        ),
        (lambda: scaled_sum([["a"]], Y), ("x: expected real numbers",)),
        (lambda: scaled_sum(1e200 * X, 1e200 * Y), ("x: numbers of size 1e+200 give a result beyond", "float64")),
        (lambda: LAYER(np.ones(2)), ("x: got shape (2,); expected (…, in) with in = 3 of weight",)),
        (lambda: LAYER.added(np.ones(3)), ("x: got shape (3,); expected (…, out) with out = 2 of weight",)),
        (lambda: LAYER.added(np.ones(2), 0), ("times: expected a whole number of at least 1, not 0",)),
        (lambda: Layer(np.ones((2, 3)), np.ones(3)), ("bias: got shape (3,); expected (out,) with out = 2 of weight",)),
        (lambda: READER.read(np.ones(2)), ("x: got shape (2,); expected (…, n, dim) or (dim,) with dim = 3",)),
        (lambda: READER.read(np.ones((4, 2))), ("x: got shape (4, 2); expected (…, n, dim) or (dim,) with dim = 3",)),
        (lambda: READER.read(3.0), ("x: got shape (); expected (…, n, dim) or (dim,) with dim = 3",)),
        (lambda: READER.read([[0, 1, 2], [0, np.nan, 2]]), ("x: row 1 holds a NaN or an infinity",)),
        (lambda: READER.read(Y, "causal"), ("head: expected a Head, not 'causal'",)),
        (lambda: cosines(np.ones(3), np.ones((2, 4))), ("b: got shape (2, 4)", "or (dim,) with dim = 3 of a")),
        (lambda: cosines(X, np.ones((2, 7, 3))), ("a, b: the leading axes (5,), (2,) do not broadcast",)),
    ],
)
def test_what_a_signature_does_not_allow_is_one_message(call, words):
    refused(call, *words)


def test_an_axis_may_be_missing():
    assert cosines(Y, np.ones(3)).shape == (2,) and cosines(np.ones(3), Y).shape == (2,)
    assert cosines(X, np.ones((7, 3))).shape == (5, 4, 7)  # rows of one text and of five: n and m are no leading axes
    assert np.array_equal(READER.read([1, 2, 3]), [1.0, 2.0, 3.0])


@given(bound=st.sampled_from(["above", "least", "below", "most"]), limit=st.floats(-9, 9), value=st.floats(-9, 9))
def test_each_bound_of_a_number_holds_and_is_said(bound, limit, value):
    holds = {"above": value > limit, "least": value >= limit, "below": value < limit, "most": value <= limit}[bound]
    if holds:
        assert real(value, "x", **{bound: limit}) == value
    else:
        words = {"above": "above", "least": "of at least", "below": "below", "most": "of at most"}[bound]
        reach = "a positive finite number" if (bound, limit) == ("above", 0) else f"a finite number {words} {limit:g}"
        refused(lambda: real(value, "x", **{bound: limit}, cure="try 1"), f"x: expected {reach}, not {value!r}; try 1")


def test_lists_follow_the_library_of_the_arrays_and_two_libraries_are_refused(torch):
    tensor = torch.ones((2, 3), dtype=torch.float32)
    for first, second in ((tensor, Y.tolist()), (Y.tolist(), tensor)):
        result = scaled_sum(first, second)
        assert isinstance(result, torch.Tensor) and result.dtype == torch.float32
    assert isinstance(Layer(tensor)([1.0, 2.0, 3.0]), torch.Tensor)
    refused(lambda: scaled_sum(tensor, Y), "y and x: expected arrays of one library", "torch.asarray(x)")
    refused(lambda: scaled_sum(tensor, tensor.double()), "y: torch.float64 do not fit x of torch.float32")


def test_a_result_is_judged_by_its_annotation_or_by_what_it_may_be():
    def unnamed(x):
        return x * np.inf

    def number(x: float) -> float:
        return x * np.inf

    assert public(unnamed)(1.0) == np.inf  # without an annotation, anything may come
    refused(lambda: public(number)(1.0), "x: numbers of size 1 give a result beyond")
    assert formula(number)(1.0) == np.inf
    assert public(may_be=not_minus_infinity)(number)(1.0) == np.inf
    refused(lambda: public(may_be=not_minus_infinity)(number)(-1.0), "x: numbers of size 1")
    refused(lambda: public(may_be=finite)(unnamed)(1.0), "x: numbers of size 1")
    assert public(number)(np.inf) == np.inf  # what was not finite before comes as it is
    with np.errstate(over="ignore"):
        assert public(number)(1.0) == np.inf


def test_a_public_call_is_pickled_and_traced(torch, jax):
    assert pickle.loads(pickle.dumps(scaled_sum)) is scaled_sum
    x = torch.ones((2, 3), requires_grad=True)
    torch._dynamo.reset()  # what other tests have compiled
    torch.compile(scaled_sum, fullgraph=True, backend="eager")(x, x).sum().backward()
    assert (x.grad == 4).all()
    grad = jax.grad(lambda x: scaled_sum(x, x).sum())(jax.numpy.ones((2, 3)))
    assert (grad == 4).all()
    assert jax.vmap(scaled_sum)(jax.numpy.ones((5, 2, 3)), jax.numpy.ones((5, 4, 3))).shape == (5, 2, 4)


def test_the_boundary_itself_takes_four_calls_of_our_own():
    calls, package = [], Path(ha.__file__).parent

    def count(frame, event, _):
        if event == "call" and package in Path(frame.f_code.co_filename).parents:
            calls.append(frame.f_code.co_name)

    LAYER(Y)
    sys.setprofile(count)
    try:
        LAYER(Y)
    finally:
        sys.setprofile(None)
    assert calls == ["checked", "arguments", "_fit", "__call__"]


@pytest.mark.parametrize(
    ("call", "word", "message"),
    [
        (
            ha.Memory(Y).step,
            "attn_mask",
            "'attn_mask' is PyTorch's word; write mask=, True = may attend",
        ),
        (ha.attention, "attn_mask", "write mask=, True = may attend; bias= for numbers that are added"),
        (ha.transformer.free_energy, "attn_mask", "write mask=, True = may attend"),
        (ha.attention, "scale", "write beta="),
        (ha.Memory(Y).step, "scale", "'scale' is unknown"),
        (ha.Memory, "betta", "did you mean 'beta'"),
        (ha.Memory(Y).recall, "max_step", "Memory.recall: option 'max_step' is unknown; did you mean 'max_steps'?"),
        (ha.Hopfield(np.zeros((2, 2))).step, "masks", "Hopfield.step: option 'masks' is unknown"),
        (ha.Hopfield, "biass", "did you mean 'bias'"),
        (ha.MultiHead, "sinks", "did you mean 'sink'"),
        (ha.Block, "norm_frist", "Block: option 'norm_frist' is unknown; did you mean 'norm_first'?"),
        (ha.networks.Network, "synapse", "did you mean 'synapses'"),
        (ha.transformer.RMSNorm, "eps", "RMSNorm: option 'eps' is unknown; write epsilon="),
        (ha.separations.entmax, "alfa", "did you mean 'alpha'"),
        (ha.padding, "length", "did you mean 'lengths'"),
    ],
)
def test_a_keyword_that_a_call_lacks_is_answered_by_what_the_call_takes(call, word, message):
    with pytest.raises(ha.InvalidInput) as refusal:
        call(**{word: None})
    text = str(refusal.value)
    assert message in text and ("bias=" in text) == ("bias=" in message)


@in_rooms(CALLS)
def test_every_public_function_and_class_refuses_a_keyword_and_a_place_that_it_lacks(names):
    for call in map(CALLS.get, names):
        parameters = inspect.signature(call).parameters.values()
        if not any(one.kind is one.VAR_KEYWORD for one in parameters):  # those of `**options` have lists of their own
            refused(partial(call, not_there=1), "", "option 'not_there' is unknown")
        if not any(one.kind is one.VAR_POSITIONAL for one in parameters):
            refused(partial(call, *[None] * 20), "", "got 20 arguments by position")


def in_loops(call):
    """Whether loops call it at every step, so that Python alone refuses its arguments."""
    if getattr(call, "__func__", call) in _REFUSING:
        return False
    kind, _, name = call.__qualname__.rpartition(".")
    bases = getattr(sys.modules[call.__module__], kind).__mro__ if kind else ()
    return any(vars(base).get(name) in _IN_LOOPS for base in bases if inspect.isfunction(vars(base).get(name)))


@in_rooms(METHODS)
def test_every_public_method_refuses_a_keyword_that_it_lacks_unless_loops_call_it(names):
    for method in map(METHODS.get, names):
        parameters = inspect.signature(method).parameters
        placed = [None] * ("self" in parameters)
        if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
            continue
        if in_loops(method):
            with pytest.raises(TypeError, match="not_there"):
                method(*placed, not_there=1)
        else:
            refused(partial(method, *placed, not_there=1), "", ": option 'not_there' is unknown")


def test_a_call_that_fails_without_numbers_is_refused_and_a_hidden_check_is_no_declaration():
    @public
    def exact(x: Any) -> float:
        raise OverflowError

    refused(lambda: exact("text"), "", "exact: the result is beyond the numbers of float64")

    def hidden(x: Annotated[Any, Of("n")] | None = None) -> Any:
        return x

    with pytest.raises(TypeError, match="with the check outermost"):
        public(hidden)


def test_a_subclass_has_the_fields_of_its_base_and_any_object_the_axes_of_its_call():
    @dataclass(frozen=True, eq=False)
    class Gated(Layer):
        gate: Annotated[Any, Of("in")] = None

    class Plain:
        @public
        def sums(self, x: Annotated[Any, Of("… n")], y: Annotated[Any, Of("… n")]) -> Any:
            return x + y

    assert Gated(np.ones((2, 3)), gate=[1, 1, 1]).gate.dtype == float
    refused(lambda: Gated(np.ones((2, 3)), gate=[1.0]), "gate: got shape (1,); expected (in,) with in = 3 of weight")
    assert Plain().sums([1, 2], y=[3, 4]).tolist() == [4, 6]
    refused(lambda: Plain().sums([1, 2], [3]), "y: got shape (1,); expected (…, n) with n = 2 of x")


def test_the_object_may_be_named_and_what_is_missing_is_said_by_python():
    memory = ha.Memory(Y)
    assert np.array_equal(ha.Memory.step(self=memory, cues=Y[0]), memory.step(Y[0]))
    for call in (lambda: memory.step(), lambda: ha.Memory.step(), lambda: ha.Memory.step(Y[0])):
        with pytest.raises(TypeError, match="missing"):
            call()


OPTIONS = {
    name: [*spelled_out(inspect.signature(call)).parameters]
    for name, call in CALLS.items()
    if any(one.kind is one.VAR_KEYWORD for one in inspect.signature(call).parameters.values())
}
"""The names of all arguments of the calls whose keywords are those of a `TypedDict`."""


@pytest.mark.parametrize("name", OPTIONS)
def test_the_keywords_of_options_are_names_as_all_others(name):
    call = CALLS[name]
    placed = [one for one in inspect.signature(call).parameters.values() if one.kind in PLACED]
    keywords = [f"{word}=" for word in OPTIONS[name][len(placed) :]]
    assert len(keywords) > 3
    choices = ", ".join(sorted(OPTIONS[name]))
    refused(lambda: call(zzz=1), f"{call.__name__}: option 'zzz' is unknown (choices: {choices})")
    refused(lambda: call(*[None] * (len(placed) + 1)), "", f"; write {', '.join(keywords)} by name")
    if "rng" in OPTIONS[name]:
        refused(lambda: call(seed=1), f"{call.__name__}: option 'seed' is unknown; write rng=")


def test_calls_with_options_are_found():
    assert {"hopattn.compare", "hopattn.plot", "hopattn.sweep"} <= {*OPTIONS} and len(OPTIONS) >= 6


@pytest.mark.parametrize(("n", "many"), [(1, "1 argument"), (2, "2 arguments")])
def test_a_call_of_keywords_alone_expects_none_by_position(n, many):
    refused(lambda: ha.separations.softmax(*range(n)), f"Softmax: got {many} by position; expected none; write beta=")
    refused(lambda: ha.similarities.dot(*range(n)), f"Dot: got {many} by position; expected none; there are no others")


def test_a_method_that_hands_its_options_on_has_others_by_name():
    record = ha.Memory(np.eye(2)).recall(np.eye(2))
    refused(lambda: record.plot("recall", "x"), "", "expected only name; write all others by name")
