"""The code of a function is known again wherever it is, and differs where it computes something else."""

import inspect
import os
import subprocess
import sys
from functools import partial, wraps

from hopattn.experiments.sweep.code import code_of


def squared(point, seed):
    return {"value": point["x"] ** 2 if point["x"] in {"one", "two", 3} else 0}


def scaled(factor, power=2, more=()):
    def trial(point, seed, power=power, *, more=more):
        return {"value": factor * point["x"] ** power}

    return trial


def logged(function):
    @wraps(function)
    def inner(point, seed):
        return function(point, seed)

    return inner


class Trial:
    def __call__(self, point, seed):
        return {"value": point["x"]}

    def method(self, point, seed):
        return {"value": point["x"]}


def again(function):
    """The same function from a text with comments, at another place of another file."""
    text = "# a comment\n\n" + inspect.getsource(function).replace("\n", "  # another\n", 1)
    exec(compile(text, "elsewhere.py", "exec"), names := {})
    return names[function.__name__]


def test_equal_functions_have_one_code_and_others_another():
    same = [
        [squared, again(squared), logged(squared), logged(again(squared))],
        [again(scaled)(3), scaled(3), scaled(3, 2)],
        [scaled(4)],
        [scaled(3, 4)],
        [scaled(3, more=("a",))],
        [partial(scaled(3), power=3), partial(again(scaled)(3), power=3)],
        [partial(scaled(3), power=4)],
        [lambda point, seed: {"value": point["x"] ** 2}, lambda point, seed: {"value": point["x"] ** 2}],
        [lambda point, seed: {"value": point["x"] ** 3}],
        [lambda point, seed: {"value": point["y"] ** 2}],
        [lambda point, seed: {"value": [x**2 for x in point.values()]}],
        [lambda point, seed: {"value": [x**4 for x in point.values()]}],
        [Trial(), Trial()],
        [Trial().method],
        [scaled(squared)],
        [scaled(logged(Trial()))],
    ]
    hashes = [{str(code_of(function)) for function in functions} for functions in same]
    assert [len(one) for one in hashes] == [1] * len(same)
    assert len(set.union(*hashes)) == len(same)


def test_the_code_is_the_same_in_every_process():
    message = {
        subprocess.run(
            [sys.executable, "-c", "from tests.experiments.test_code import *; print(code_of(squared))"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert message == {str(code_of(squared))}
