"""Figures of networks of layers, and of recalls at a temperature: names of the reader's own, and true words."""

import hopattn as ha
from hopattn.figures.gallery.energies import MOVING, NONE, Energies
from hopattn.figures.gallery.network import Graph
from hopattn.figures.gallery.parts import SUM, Parts
from hopattn.figures.language import in_language
from tests.figures.finished import finished


def texts(figure):
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def test_names_of_layers_stay_as_they_are_in_german_and_stand_at_their_lines():
    result = ha.run("two-layers")
    for plot in (Parts(), Graph()):
        german = "\n".join(texts(finished(in_language(lambda figure, own=plot: own.draw(figure, result), "de"))))
        assert "„hidden“" in german and "„visible“" in german
        assert "verdeckt" not in german and "sichtbar" not in german
    figure = finished(lambda figure: Parts().draw(figure, result))
    assert not figure.legends
    for ax in figure.axes:
        named = {text.get_text(): text.xy[1] for text in ax.texts}
        assert SUM in named and named.keys() == {line.get_label() for line in ax.lines}
        for line in ax.lines:
            end = ax.transAxes.inverted().transform(ax.transData.transform(line.get_xydata()[-1]))
            assert abs(named[line.get_label()] - end[1]) < 0.03


def test_recalls_at_a_temperature_are_not_said_to_converge():
    result = ha.run("langevin", overrides={"ensemble.cues": 25, "ensemble.max_steps": 50, "variant": []})
    shown = texts(finished(lambda figure: Energies().draw(figure, result)))
    assert MOVING[False] in shown and Energies().about(Energies().shown(result), []).message == NONE
    assert not any("converges to" in text or "converges elsewhere" in text for text in shown)
