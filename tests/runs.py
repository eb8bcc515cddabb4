"""Results of the shipped scenarios and figures drawn from them: each made once in a process, and only read by tests."""

import warnings
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from matplotlib.figure import Figure

import hopattn as ha
from hopattn.figures.figure import gallery
from hopattn.figures.files import as_svg
from hopattn.figures.fit import fit
from hopattn.figures.style import STYLES
from hopattn.scenario.files import shipped


class Drawing(NamedTuple):
    """A figure of the gallery as matplotlib holds it, and as the bytes of an SVG with its notes."""

    figure: Figure
    svg: bytes
    notes: tuple


@cache
def scenario_of(name):
    return ha.load(name)


@cache
def result_of(name):
    return ha.run(scenario_of(name))


class Results(Mapping):
    """The result of each shipped scenario by its name, computed when it is first asked for."""

    def __getitem__(self, name):
        if name not in shipped():
            raise KeyError(name)
        return result_of(name)

    def __iter__(self):
        return iter(shipped())

    def __len__(self):
        return len(shipped())


@cache
def sheet_of(figure, scenario, **options):
    """The sheet of a figure, by its name in the gallery, of a shipped scenario."""
    return gallery()[figure].sheet(result_of(scenario), options)


def marks_of(part, kind):
    """The marks of a kind in a panel, or in the first one of a sheet."""
    (panel, *_) = getattr(part, "panels", [part])
    return [mark for mark in panel.marks if isinstance(mark, kind)]


@cache
def drawing_of(figure, scenario):
    """A figure, by its name in the gallery, of a shipped scenario; every warning is an error."""
    sheet = sheet_of(figure, scenario)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = fit(sheet, STYLES["slide"])
        svg, notes = as_svg(sheet, scenario=scenario)
    assert fitted.remark() == ""
    return Drawing(fitted.figure, svg, notes)
