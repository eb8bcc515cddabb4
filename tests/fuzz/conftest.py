"""Workers that the tests of this folder share."""

import pytest

from tests.fuzz.worker import Worker


@pytest.fixture(scope="session")
def worker():
    """A process that executes cases, with everything imported beforehand."""
    with Worker() as one:
        yield one


@pytest.fixture(scope="session")
def cold_worker():
    """A process that executes cases, with nothing imported beforehand and little patience."""
    with Worker("cold", processor=1, wall=6.0, leaving=0.5) as one:
        yield one
