"""Odd words and names, long or with signs of markup, do not break the figures of the lectures."""

import pytest

import hopattn as ha
from hopattn.figures.gallery.beside import Beside
from hopattn.figures.gallery.flow import Flow
from hopattn.figures.gallery.induction import Induction
from hopattn.figures.gallery.masks import Masks
from hopattn.figures.gallery.moved import Moved
from hopattn.figures.gallery.neuron import Neuron
from hopattn.figures.gallery.plane import Plane
from hopattn.figures.gallery.positions import Positions
from hopattn.figures.gallery.similarity import Similarity
from hopattn.figures.gallery.steps import Steps
from hopattn.scenario.loading import parse
from tests.counts import spread
from tests.figures.finished import finished

ODD = ("$x_1$", "<script>", "[no]", "Ωμέγα", "a" * 60, "_under", "100%")


def odd_scenario(tokens):
    """The text of a scenario with odd names everywhere."""
    words = "\n".join(f'"{word}" = [{i % 3 - 1}.5, {0.3 * i - 1:.1f}, {i * i % 5}]' for i, word in enumerate(ODD))
    text = ", ".join(f'"{token}"' for token in tokens)
    return f"""schema = 1
title = "$x_1$ [no] <script> {"a" * 300}"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["$a_1$", "<b>", "{"c" * 60}"]
magnitude = "free"
[vocabulary.words]
{words}
[input]
tokens = [{text}]
[[layer]]
[[layer.head]]
"""


@pytest.mark.parametrize("plot", spread([Flow, Masks, Moved, Plane, Steps], 3))
@pytest.mark.parametrize(
    "tokens",
    [
        pytest.param(ODD, id="odd"),
        pytest.param((ODD * 29)[:200], id="many", marks=pytest.mark.quick(0)),
        pytest.param(ODD[:1], id="one"),
    ],
)
def test_odd_words_do_not_break_a_figure(plot, tokens):
    result = ha.run(parse(odd_scenario(tokens), "odd.toml", "odd"))
    if plot is Masks and len(tokens) == 1:
        assert plot().lacks(result) == "its masks hide nothing"
        return
    assert plot().lacks(result) == ""
    figure = finished(lambda figure: plot().draw(figure, result))
    written = [text.get_text() for text in figure.findobj(lambda part: hasattr(part, "get_text"))]
    assert not any("a" * 40 in text for text in written if "\n" not in text and not text.startswith("$x_1$ [no]"))
    assert len([text for text in written if text]) < 200


CUE = """schema = 1
title = "$x$"
source = "ours"
kind = "cue"
[vocabulary]
axes = ["$a_1$", "LONG"]
magnitude = "free"
[vocabulary.words]
"$x$" = [0, 0]
"LONG" = [2, 1]
"<b>" = [-3, 0.001]
[input]
tokens = ["LONG", "$x$", "<b>", "<b>", "$x$"]
[network]
"""
INDUCTION = """schema = 1
title = "$x$"
source = "ours"
kind = "attention"
[spaces]
position = ["cos", "sin"]
word = ["$x_1$", "[no]", "LONG"]
previous = "like word"
[positions]
turn = 30
[input]
tokens = ["$x_1$", "[no]", "LONG", "$x_1$"]
[[layer]]
[[layer.head]]
mask = "strict"
[[layer]]
[[layer.head]]
"""
MEMORY = """schema = 1
title = "$x$"
source = "ours"
kind = "memory"
[vocabulary]
axes = ["$a$", "LONG"]
magnitude = "free"
[vocabulary.words]
"$x$" = [1, -1]
"LONG" = [1, 1]
[memory]
patterns = ["$x$", "LONG"]
[input]
tokens = ["LONG"]
[[variant]]
name = "LONG $x$"
set = { "memory.beta" = 100 }
"""
NEURON, TURN = CUE + 'neurons = { "LONG" = [-1, 2] }', CUE + "rotate = -30"


@pytest.mark.parametrize(
    ("plot", "text"),
    [(Neuron, NEURON), (Similarity, NEURON), (Positions, TURN), (Induction, INDUCTION), (Beside, MEMORY)],
)
def test_odd_names_do_not_break_a_figure(plot, text):
    result = ha.run(parse(text.replace("LONG", "Ω" * 60), "odd.toml", "odd"))
    assert plot().lacks(result) == ""
    finished(lambda figure: plot().draw(figure, result))
