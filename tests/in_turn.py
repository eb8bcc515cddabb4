"""Cheap cases of one law, looked at in one test: it names each case that fails."""

import inspect

import pytest


def in_turn(names, cases, ids=None):
    """A decorator as `pytest.mark.parametrize`, but one test looks at all cases, which share its fixtures.

    names: the arguments, as one text or several. ids: names of the cases, or a function that gives them; a case has
    its own values as its name otherwise.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    cases = list(cases)
    known_as = list(map(ids, cases)) if callable(ids) else list(ids or cases)

    def decorated(test):
        signature = inspect.signature(test)
        others = [one for name, one in signature.parameters.items() if name not in names]

        def test_of_all(**fixtures):
            faults = []
            for name, case in zip(known_as, cases, strict=True):
                values = case if len(names) > 1 else (case,)
                try:
                    test(**fixtures, **dict(zip(names, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    faults.append(f"{name}: {type(error).__name__}: {error}")
            if faults:
                pytest.fail(f"{len(faults)} of {len(cases)} cases fail\n" + "\n".join(faults), pytrace=False)

        test_of_all.__signature__ = signature.replace(parameters=others)
        test_of_all.__name__, test_of_all.__doc__ = test.__name__, test.__doc__
        test_of_all.__module__, test_of_all.__qualname__ = test.__module__, test.__qualname__
        return test_of_all

    return decorated
