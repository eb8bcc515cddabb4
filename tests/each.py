"""One test of many cases: all of them run, and one failure names every case that fails."""

import inspect
from contextlib import ExitStack
from functools import wraps

import pytest
from hypothesis.errors import UnsatisfiedAssumption

MANY = 7
"""Cases from which on a test can leave some out; a prime number, so that every name in a product has its turn."""


class Stride:
    """How many cases apart those are that run: 1 for all."""

    now = 1


def each(names, cases):
    """Give a test each of these cases in turn, as `pytest.mark.parametrize` gives them to tests of their own.

    names: of the arguments, apart by commas or in a tuple; cases: one value of each, or the value of a single name.
    Two of them make all pairs. Below `@given`, all cases see the same examples, and a case that `assume` refuses is
    left out for that example. Each case has a `monkeypatch` and a `tmp_path` of its own.
    """
    names = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    cases = [(case,) if len(names) == 1 else tuple(case) for case in cases]
    assert cases and all(len(case) == len(names) for case in cases), names

    def decorated(test):
        own, own_names, own_cases = getattr(test, "each", {}).get(test, (test, (), [()]))
        return _of_all(own, names + own_names, [case + more for case in cases for more in own_cases])

    return decorated


def many(test):
    """Whether a test has so many cases that it can leave some out."""
    return any(len(cases) >= MANY for _, _, cases in getattr(test, "each", {}).values())


def _of_all(test, names, cases):
    given = inspect.signature(test).parameters.values()
    others = inspect.Signature([one for one in given if one.name not in names])

    def of_all(*args, **kwargs):
        fixtures = others.bind(*args, **kwargs).arguments
        faults, skipped, assumed = [], [], []
        tried = cases[:: Stride.now]
        for case in tried:
            try:
                with ExitStack() as stack:
                    test(**_its_own(fixtures, stack), **dict(zip(names, case, strict=True)))
            except UnsatisfiedAssumption as error:
                assumed.append(error)
            except pytest.skip.Exception as error:
                skipped.append(f"{named(case)}: {error}")
            except pytest.fail.Exception as error:
                faults.append((case, AssertionError(str(error)).with_traceback(error.__traceback__)))
            except Exception as error:
                faults.append((case, error))
        if faults:
            message = "; ".join(named(case) for case, _ in faults)
            raise ExceptionGroup(f"{len(faults)} of {len(tried)} cases fail: {message}", [error for _, error in faults])
        if skipped:
            pytest.skip("; ".join(skipped))
        if len(assumed) == len(tried):
            raise assumed[0]

    of_all = wraps(test, assigned=("__module__", "__name__", "__qualname__", "__doc__"), updated=())(of_all)
    of_all.pytestmark = list(getattr(test, "pytestmark", []))
    of_all.__signature__ = others
    of_all.each = {of_all: (test, names, cases)}
    return of_all


def _its_own(fixtures, stack):
    own = dict(fixtures)
    if "monkeypatch" in own:
        own["monkeypatch"] = stack.enter_context(own["monkeypatch"].context())
    if "tmp_path" in own:
        own["tmp_path"] = own["tmp_path"] / str(len(list(own["tmp_path"].iterdir())))
        own["tmp_path"].mkdir()
    return own


def named(case):
    """A case in few words, by which it is found among the others."""
    return "-".join(_word(value) for value in case)


def _word(value):
    text = getattr(value, "__name__", None) or (value if isinstance(value, str) else repr(value))
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
