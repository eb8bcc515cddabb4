"""BLAS has one thread while work is shared, whoever shares it, and as many as before when the last one is done."""

from threading import Event, Thread

from threadpoolctl import threadpool_info, threadpool_limits

from hopattn.foundation.threads import hold_new_blas, single_threaded, workers


def threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_the_last_user_restores_the_threads_of_blas():
    begun, done = Event(), Event()

    def other():
        with single_threaded():
            begun.set()
            done.wait(10)

    with threadpool_limits(2, user_api="blas"):
        with workers(2):
            thread = Thread(target=other)
            thread.start()
            assert begun.wait(10)
        assert threads() == {1}
        done.set()
        thread.join()
        assert threads() == {2}


def test_a_blas_that_is_held_twice_is_restored():
    with threadpool_limits(2, user_api="blas"):
        with workers(2) as share:
            hold_new_blas()
            assert share(lambda i: (i, *threads()), [(i,) for i in range(3)]) == [(0, 1), (1, 1), (2, 1)]
        assert threads() == {2}
