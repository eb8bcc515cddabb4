"""Every public function and method, given anything, works or raises an error of hopattn."""

import random
import resource
import signal
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given

import hopattn as ha
from hopattn.foundation import lazy
from tests.draws import count
from tests.fuzz.calls import ARGUMENTS, MISSING, public
from tests.fuzz.corpus import kept
from tests.fuzz.methods import INTERNAL, LABELS, OWN, REFUSED, made
from tests.fuzz.wrong_calls import attempt, calls, cases, parameters, values

SHARES = 8
"""The parts into which the calls are divided, so that several processes can share them."""
SECONDS, ROOM = 5, 2**30
"""The processor time and the bytes that one call may take."""
NEEDS_TORCH = {"circuits.train"}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@contextmanager
def limits():
    """A limit of the processor time and of the memory, beyond which an exception is raised."""

    def end(*_):
        raise TimeoutError(f"takes more than {SECONDS} seconds")

    before = signal.signal(signal.SIGVTALRM, end), resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, before[1][1]))
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before[0])
        resource.setrlimit(resource.RLIMIT_AS, before[1])


def faults(one_argument_each):
    """Each case that ends by another exception, with the exception."""
    found = []
    for case in one_argument_each:
        try:
            with limits(), suppress(ha.HopattnError):
                attempt(case)
        except Exception as error:
            found.append(f"{case}: {type(error).__name__}: {error}")
    return found


def single_cases(call):
    """Cases of one call with one wrong argument: all of them, or a few in a quick run."""
    for name in parameters(call):
        every = values(call, name)
        drawn = random.Random(f"{call} {name}").sample(every, count(len(every), 2))
        yield from ({"call": call, "arguments": {name: value}} for value in drawn)


@pytest.mark.parametrize("share", range(SHARES))
def test_a_wrong_argument_is_refused_by_an_error_of_hopattn_or_works(share):
    assert [fault for call in [*calls()][share::SHARES] for fault in faults(single_cases(call))] == []


def test_no_kept_call_breaks_the_law():
    assert faults([one["case"] for one in kept().values() if one["kind"] == "wrong_calls"]) == []


@given(cases())
def test_several_wrong_arguments_are_too(case):
    assert faults([case]) == []


@pytest.mark.parametrize("share", range(SHARES))
def test_every_call_works_with_the_arguments_of_the_tables(share):
    absent = set() if find_spec("torch") else NEEDS_TORCH
    own = {*[*calls()][share::SHARES]} - MISSING - REFUSED
    for call in own - absent:
        attempt({"call": call, "arguments": {}})
    if own & absent:
        pytest.skip(f"PyTorch is not installed (the extra 'torch'), which {', '.join(own & absent)} needs")


def test_every_public_name_is_called_or_the_class_of_an_object_with_methods():
    objects = [made(label) for label in LABELS]
    known = {id(one) for made_one in objects for one in (made_one, type(made_one))} | {id(public(n)) for n in ARGUMENTS}
    names = [name for name in everything() if name not in ARGUMENTS and id(public(name)) not in known]
    needs_a_cluster = "cluster.Sharded"
    bases = {"Activation", "Separation", "Similarity", "Update", "networks.Synapse"}
    assert {*names} == {"HopattnError", "InvalidInput", needs_a_cluster, "Status", "updates"} | bases


def test_no_entry_of_the_tables_is_left_over():
    kinds = {kind.__name__: kind for kind in (type(made(label)) for label in LABELS)}
    assert set(OWN) | MISSING | REFUSED <= set(calls())
    assert all(hasattr(kinds[name.partition(".")[0]], name.partition(".")[2]) for name in INTERNAL)


def everything():
    """Every public name: those at the top, and those of the rooms with the room before them.

    Modules of PyTorch and of JAX are left out: they take tensors of PyTorch, or arrays of JAX, alone.
    """
    rooms = lazy.rooms(ha.__file__)
    others = [(room, getattr(ha, room)) for room in rooms if room not in ("torch", "jax")]
    inside = [f"{room}.{name}" for room, module in others for name in module.__all__ if name not in rooms]
    return [*(name for name in ha.__all__ if name not in rooms), *inside]
