"""Memories that are made while PyTorch or JAX trace a function: keys whose numbers are not known yet."""

import numpy as np
import pytest

import hopattn as ha

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
