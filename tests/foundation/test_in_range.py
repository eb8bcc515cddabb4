"""Overflow is refused with the name of the argument: finite numbers never give NaN or an infinity without a word."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.in_range import in_range
from tests.each import each

EYE, LARGE = np.eye(2), 1e200 * np.eye(2)


def head(**matrices):
    return ha.Head(**{"w_query": EYE, "w_key": EYE, "w_value": EYE, **matrices})


@each(
    "name, call",
    [
        ("q", lambda: ha.transformer.LinearState().attended(LARGE, LARGE, LARGE)),
        (
            "v",
            lambda: ha.transformer.DeltaState().attended(
                EYE, EYE[:1].repeat(2, axis=0), 1.7e308 * np.array([[1.0], [-1.0]])
            ),
        ),
        ("q", lambda: ha.attention(1e300 * EYE, LARGE, EYE)),
        ("v", lambda: ha.transformer.linear_attention(EYE, EYE, np.full((2, 2), 1e308))),
        ("x", lambda: head().trace(LARGE)),
        ("x", lambda: head(w_query=1e150 * EYE)([[1e200, 0], [0, 1e200]])),
        ("Head.w_query", lambda: head(w_query=LARGE, w_key=1e150 * EYE).trace(EYE)),
        ("MultiHead.heads.w_query", lambda: ha.MultiHead([head(w_query=1e300 * EYE, w_key=LARGE)], EYE)(EYE)),
        ("cues", lambda: ha.Associator(1e150 * EYE).step([1e200, 1.0])),
        ("cues", lambda: ha.memories.modern(1e150 * EYE, beta=1.0).weights(np.full(2, 1e300))),
        ("cues", lambda: ha.Hopfield(1e150 * EYE).field([1e200, 1.0])),
        ("patterns", lambda: ha.learning.hebb(LARGE + 1e200)),
        ("patterns", lambda: ha.learning.storkey(1e150 * EYE + 1e150)),
        ("activation", lambda: ha.cue([1e150, 1e150], [1e200, 1.0])),
        ("magnitudes", lambda: ha.gradients.saturation_of([1e100, 0.0], [1e300])),
        ("base", lambda: ha.sinusoidal(3, 4000, base=5e-324)),
        ("states", lambda: ha.Hopfield([[0, 1], [1, 0]], bias=[1, -1], activation="identity").energy([1e200, 1e200])),
    ],
)
def test_overflow_is_refused_with_the_name_of_the_argument(name, call):
    with pytest.raises(ha.InvalidInput, match=rf"^{name}: "):
        call()


def test_the_outermost_call_names_its_own_argument():
    inner = in_range(lambda x: x * 1e200)
    outer = in_range(lambda given: inner(given) + 1)
    with pytest.raises(ha.InvalidInput, match=r"^given: numbers of size 1e\+200 give a result beyond those of float64"):
        outer(np.array([1e200, 1.0]))


def test_what_is_not_finite_before_and_what_numpy_expects_come_as_they_are():
    assert np.isnan(ha.memories.modern(EYE).step([np.nan, 1.0])).all()
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.isinf(ha.Associator(LARGE).step([1e200, 1.0])[0])
    found = ha.Memory(3 * EYE, separation="identity").recall([1.0, 0.0], max_steps=1000)
    assert found.status == "diverged"


@each(
    "name, call",
    [
        ("stack_gradients: 1,000,000 layers", lambda: ha.gradients.vanishing_gradients(10**6, rng=0)),
        (
            "stack_gradients: 12 layers of dim 32, of 1,000,000 words",
            lambda: ha.gradients.stack_gradients(n_words=10**6, rng=0),
        ),
        ("RandomFeatures: 100,000,000 directions", lambda: ha.retrieval.RandomFeatures(10**8).directions(2)),
        ("random_texts: 100,000,000 texts", lambda: ha.circuits.random_texts(10**8, 100, 2, 1, rng=0)),
    ],
)
def test_what_would_take_hours_or_all_memory_is_refused_at_once(name, call):
    with pytest.raises(ha.InvalidInput, match=f"^{name}.* would take "):
        call()


def test_a_normalisation_of_nothing_is_refused():
    with pytest.raises(ha.InvalidInput, match=r"x: got shape \(2, 0\); expected \(…, dim\)"):
        ha.transformer.LayerNorm()(np.zeros((2, 0)))
