"""Unit vectors, checks, tolerances."""

import os
from pathlib import Path

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hopattn as ha
from hopattn.foundation.arrays import as_float, require_finite, tolerance
from hopattn.foundation.checks import flag, instance, positive, require_room, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.traces import chosen
from hopattn.retrieval.separation import separations
from tests.draws import arrays, sizes
from tests.each import each


@given(data=st.data(), n=sizes, m=sizes)
def test_unit_has_length_one_and_the_same_direction(data, n, m):
    x = data.draw(arrays((n, m))) + 9.0
    u = ha.unit(x)
    np.testing.assert_allclose(np.linalg.norm(u, axis=-1), 1, rtol=1e-14)
    np.testing.assert_allclose(u * np.linalg.norm(x, axis=-1, keepdims=True), x, rtol=1e-12)


@each(
    ("x", "message"),
    [
        ([0, 0], "the vector is zero"),
        ([[1, 0], [0, 0]], "row 1 is zero"),
        ([[1, 0], [np.nan, 0]], "row 1 holds a NaN"),
        ([[[1, 0]], [[0, 0]]], "row 1, 0 is zero"),
        ([], r"unit: got shape \(0,\); expected \(…, dim\) with no axis of length 0"),
        (3, r"unit: got shape \(\); expected \(…, dim\)"),
        ("abc", "expected numbers such as"),
        ([1j], "expected real numbers"),
        (range(10**18), r"would take 7,450,580,596\.9 GiB"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), "expected an array without a mask"),
    ],
)
def test_unit_refuses_what_has_no_direction(x, message):
    with pytest.raises(InvalidInput, match=message):
        ha.unit(x)


def test_a_matrix_becomes_an_array_with_the_rules_of_arrays():
    found = ha.unit(np.eye(2).view(np.matrix))
    assert type(found) is np.ndarray and found[0].shape == (2,)


def test_an_array_beyond_the_memory_that_a_process_may_have_is_refused(monkeypatch):
    resource = pytest.importorskip("resource", reason="this system has no limits of processes")
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    limit = used + 2**28 + 2**27  # room for a little more while the test runs
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (limit, limit))
    require_room(2**25, "an array")
    with pytest.raises(InvalidInput, match=r"an array would take 0\.5 GiB; this process may still have 0\.[34] GiB"):
        require_room(2**26, "an array")


def test_unit_on_every_library(library):
    found = ha.unit(library.array(np.array([[3.0, 4.0], [0.0, -2.0]])))
    np.testing.assert_allclose(library.numpy(found), [[0.6, 0.8], [0, -1]], rtol=1e-15)


def test_whole_numbers_become_floats_and_floats_stay_as_they_are():
    assert as_float([1, 2]).dtype == np.float64
    x = np.ones(2, dtype=np.float32)
    assert as_float(x) is x


def test_torch_whole_numbers_become_torch_floats(library):
    whole_numbers = library.module.asarray([[1, 2]])
    assert type(as_float(whole_numbers)) is type(whole_numbers)


def test_tolerance_is_between_rounding_and_a_visible_change():
    assert np.finfo(float).eps < tolerance(np.float64) < 1e-9
    assert np.finfo(np.float32).eps < tolerance(np.float32) < 1e-4


def test_checks_name_what_is_wrong():
    with pytest.raises(InvalidInput, match="cues: row 2 holds"):
        require_finite(np.array([[1.0], [2.0], [np.inf]]), "cues")
    with pytest.raises(InvalidInput, match="a vector: holds a NaN"):
        require_finite(np.array([np.nan]), "a vector")
    with pytest.raises(InvalidInput, match="steps: expected a whole number of at least 1, not 0"):
        whole(0, "steps")
    with pytest.raises(InvalidInput, match="name: expected a str, not 3"):
        instance(3, str, "name")
    with pytest.raises(InvalidInput, match="cyclic: expected True or False, not 'no'"):
        flag("no", "cyclic")
    assert isinstance(positive(np.float64(2), "beta"), float)
    assert not isinstance(positive(np.float64(2), "beta"), np.floating)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("sparsemax", {}), ("entmax", {"alpha": 1.3}), ("normmax", {"alpha": 3.0}), ("k_subsets", {"k": 2})],
)
@given(scores=hnp.arrays(float, (4, 6), elements=st.floats(-1e4, 1e4)), beta=st.floats(1e-6, 1e6))
def test_newtons_steps_end_where_bisection_ends(name, parameters, scores, beta):
    separation = separations[name](beta=beta, **parameters)
    bisected = separation.weights(array_api_strict.asarray(scores))  # no NumPy array, so that it is bisected
    digits = np.finfo(float).eps * beta * np.ptp(scores)  # of the number that is looked for, between the scores
    np.testing.assert_allclose(separation.weights(scores), np.asarray(bisected), rtol=0, atol=1e-12 + 4 * digits)


def test_one_of_two_computations_runs_even_where_jax_decides_later(jax):
    def positive_root(x):
        return chosen(x > 0, lambda: x**0.5, lambda: 0 * x)

    assert chosen(np.array(True), lambda: 1, lambda: 1 / 0) == 1
    assert chosen(np.array(False), lambda: 1 / 0, lambda: 2) == 2
    for x, root, slope in ((4.0, 2.0, 0.25), (-4.0, 0.0, 0.0)):
        assert float(jax.jit(positive_root)(x)) == root
        assert float(jax.jit(jax.grad(positive_root))(x)) == slope


def test_what_numpy_computes_refuses_a_derivative_and_a_tracer(torch, jax):
    followed = torch.eye(3, requires_grad=True)
    for use in (
        lambda x: ha.compare(x, x),
        ha.retrieval.operating_class,
        lambda x: ha.theory.overlap(x),
        lambda x: ha.experiments.compare_patterns(x),
    ):
        with pytest.raises(InvalidInput, match=r"is computed with NumPy, without a derivative; give x.detach\(\)"):
            use(followed)
        with pytest.raises(InvalidInput, match=r"is computed with NumPy, .*; call it outside of what JAX traces"):
            jax.jit(use)(np.eye(3))


def test_two_dtypes_of_pytorch_are_refused_where_it_has_no_product_of_them(torch):
    wide, narrow = torch.eye(3, dtype=torch.float64), torch.eye(3)
    head = ha.Head(wide, wide, wide)
    for use, message in (
        (lambda: ha.attention(narrow, wide, wide), "q: torch.float32 do not fit k of torch.float64; convert one"),
        (lambda: ha.attention(wide, wide, narrow), "v: torch.float32 do not fit k of torch.float64"),
        (lambda: head(narrow), "x: torch.float32 do not fit the head's matrices of torch.float64"),
        (lambda: ha.MultiHead([head], wide)(wide, source=narrow), "torch.float32 do not fit the head's matrices"),
    ):
        with pytest.raises(InvalidInput, match=message):
            use()


def test_whole_numbers_and_booleans_take_the_dtype_of_the_memory():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.float64):
        memory = ha.Memory(torch.eye(3, dtype=dtype))
        expected = memory.step(torch.tensor([1, 0, 1], dtype=dtype))
        for whole_numbers in (torch.int32, torch.int64, torch.bool):
            assert torch.equal(memory.step(torch.tensor([1, 0, 1], dtype=whole_numbers)), expected)
    with pytest.raises(InvalidInput, match=r"cues: torch\.float32 do not fit keys of torch\.float64"):
        memory.step(torch.tensor([1.0, 0.0, 1.0]))
