"""Results of the shipped scenarios and figures drawn from them: each made once in a process, and only read by tests."""

import warnings
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from matplotlib.figure import Figure

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.gallery import plots
from hopattn.figures.remarks import collected
from hopattn.figures.rendering import rendered
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
def drawing_of(plot, scenario):
    """A figure, by its name in the gallery, of a shipped scenario; every warning is an error."""
    figures = []

    def draw(figure):
        warnings.simplefilter("error")
        plots[plot]().draw(figure, shown)
        figures.append(figure)

    shown = chosen(result_of(scenario))
    with collected() as remarks:
        svg, notes = rendered(draw, described=(shown.title or result_of(scenario).title, plots[plot].shows, scenario))
    assert remarks.fault is None, remarks.fault
    return Drawing(figures[-1], svg, notes)
