"""The array libraries that tests run on, and the referees that need one of them: each skips where it is missing."""

import importlib.util

import numpy as np
import pytest

LIBRARIES = ("numpy", "array_api_strict", "torch", "jax")
beside_numpy = pytest.mark.parametrize("library", LIBRARIES[1:], indirect=True)
"""For a test that holds the numbers of `library` against those of NumPy."""


class Library:
    """An array library as the tests see it: arrays in float64 on a device, and back to NumPy."""

    def __init__(self, name, device=None):
        self.name, self.device = name, device
        if name == "jax":
            import jax

            jax.config.update("jax_enable_x64", True)
        if name == "torch":
            import torch as module
        elif name == "jax":
            import jax.numpy as module
        elif name == "array_api_strict":
            import array_api_strict as module
        else:
            module = np
        self.module = module

    def array(self, values):
        given = np.asarray(values)
        return self.module.asarray(given.tolist(), dtype=self._dtype(given), device=self.device)

    def _dtype(self, values):
        return self.module.float64 if values.dtype.kind == "f" else self.module.bool

    def numpy(self, array):
        return np.asarray(array if self.device is None else array.cpu())


def made(name):
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed (the extra of that name brings it)")
    return Library(name)


@pytest.fixture(params=LIBRARIES, scope="session")
def library(request):
    return made(request.param)


@pytest.fixture(scope="session")
def gpu():
    """PyTorch with its arrays on a GPU, for tests with the mark `gpu`."""
    if not made("torch").module.cuda.is_available():
        pytest.skip("PyTorch has no GPU here: torch.cuda.is_available() is False")
    return Library("torch", "cuda")


@pytest.fixture(scope="session")
def torch():
    """PyTorch as a referee."""
    return made("torch").module


@pytest.fixture
def traced(torch):
    """Compile a function by PyTorch: as one graph from 2.12 on; an earlier one cannot follow array-api-compat there."""
    torch._dynamo.reset()
    whole = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 12)
    return lambda function: torch.compile(function, backend="eager", fullgraph=whole)


@pytest.fixture(scope="session")
def entmax():
    """The entmax package as a referee for sparse separations."""
    if importlib.util.find_spec("entmax") is None:
        pytest.skip("entmax is not installed (pip install entmax, which needs torch)")
    import entmax

    return entmax


@pytest.fixture(scope="session")
def jax():
    """JAX as a referee, in float64."""
    made("jax")
    import jax

    return jax
