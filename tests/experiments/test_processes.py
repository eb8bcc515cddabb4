"""Work on several processes: its results, its errors, and processes that end."""

import os
import signal

import pytest

from hopattn.experiments.processes import results_of
from hopattn.foundation.errors import CannotDo
from tests.counts import count


def squares():
    """A function that travels to a worker by its code, so that the worker does not import this file and pytest."""

    def square(number):
        if number < 0:
            raise ValueError(f"{number} is below 0")
        return number * number, os.getpid()

    return square


def test_results_come_in_the_order_of_the_tasks_or_as_they_are_finished():
    for ordered in (True, False):
        numbers, places = zip(*results_of(squares(), range(6), 2, ordered), strict=True)
        assert (list(numbers) if ordered else sorted(numbers)) == [0, 1, 4, 9, 16, 25]
        assert os.getpid() not in places


def test_one_process_is_this_one():
    assert list(results_of(squares(), [3], 1)) == [(9, os.getpid())]


def test_an_error_of_the_work_is_raised_as_it_is():
    with pytest.raises(ValueError, match="-1 is below 0"):
        list(results_of(squares(), [1, -1, 2], 2))


@pytest.mark.quick(0)
def test_what_is_given_up_is_given_up_without_a_warning():
    results = results_of(squares(), range(50), 2)
    next(results)
    results.close()


def test_a_stop_right_after_a_task_is_given_out_leaves_no_traceback_of_a_thread():
    def tasks():
        yield from (1, 2)
        raise KeyboardInterrupt

    for _ in range(count(20, 6)):
        with pytest.raises(KeyboardInterrupt):
            list(results_of(squares(), tasks(), 2))


def test_a_process_that_ends_is_reported():
    with pytest.raises(CannotDo, match=r"a worker ended before its work was done .*; take fewer workers"):
        list(results_of(lambda _: os.kill(os.getpid(), signal.SIGKILL), range(3), 2))
