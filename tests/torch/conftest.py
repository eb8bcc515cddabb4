"""All tests of layers draw the same numbers, on one thread, since their tensors are small; and again on a GPU."""

import pytest


@pytest.fixture(autouse=True, params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request, torch):
    """The device on which the tensors of a test are made."""
    if request.param == "cuda":
        request.getfixturevalue("gpu")
    n = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if request.param == "cuda":
        torch.set_default_device("cuda")
    yield request.param
    torch.set_default_device(None)
    torch.set_num_threads(n)
