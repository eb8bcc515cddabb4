"""Two memories as one chain, and the sheet to hand out."""

from dataclasses import replace

import click
import numpy as np
import pytest

import hopattn as ha
from hopattn.cli.main import cli
from hopattn.figures.figure import gallery
from hopattn.figures.fit import trial
from hopattn.figures.gallery.chains import PARTS, STEP
from hopattn.figures.sheet import Arrows, Bars, Curve, Nodes
from hopattn.figures.style import STYLES
from hopattn.figures.text import number
from hopattn.memories.models import named_memories
from tests.runs import result_of, sheet_of

LECTURE = "hopfield-beside-attention"


def nodes(panel):
    return [mark for mark in panel.marks if isinstance(mark, Nodes)]


def boxes(panel):
    """The colours of the six boxes of a chain, by the names of its parts."""
    return dict(zip(PARTS, nodes(panel)[0].colour, strict=True))


def bars(panel):
    """The bars of each box, with their numbers and the unit in which they are drawn."""
    return [mark for mark in panel.marks if isinstance(mark, Bars)]


def test_only_the_boxes_in_which_two_memories_differ_have_colours():
    for panel in sheet_of("chains", LECTURE).panels:
        coloured = [part for part, colour in boxes(panel).items() if colour == "plus"]
        assert coloured == ["separation", "activation", "again?"]


def test_each_box_says_what_the_part_is():
    hopfield, attention = (nodes(panel)[2].texts for panel in sheet_of("chains", LECTURE).panels)
    assert hopfield == ["damaged", "dot", "identity\nβ = .125", "weighted\nsum", "sign", "until it rests"]
    assert attention == ["damaged", "dot", "softmax\nβ = 1", "weighted\nsum", "identity", "no"]


def test_numbers_and_bars_are_those_of_the_runs():
    lengths = []
    for run, panel in zip(result_of(LECTURE).runs, sheet_of("chains", LECTURE).panels, strict=True):
        columns = [mark.texts for mark in nodes(panel) if mark.align != "center"]
        numbers = [[number(v) for v in run.arrays[name].values[0]] for name in STEP[1:3]]
        assert [[*column] for column in columns] == [["stripes", "halves", "pairs"], *numbers]
        wanted = [run.arrays[name].values[0] for name in (STEP[0], *STEP[2:], "state")]
        assert all(np.array_equal(bar.values, n) for bar, n in zip(bars(panel), wanted, strict=True))
        lengths.append([bar.unit for bar in bars(panel)])
    assert np.allclose(*lengths), "both chains have one unit in each box"


def test_a_memory_that_steps_again_has_a_way_back():
    ways = [sum(isinstance(mark, Arrows) for mark in panel.marks) for panel in sheet_of("chains", LECTURE).panels]
    assert ways == [3, 1]


@pytest.mark.parametrize(
    ("scenario", "coloured"),
    [("modern", ["again?"]), ("universal", ["similarity", "separation"]), ("barrier", ["separation"])],
)
def test_other_memories_differ_in_other_boxes(scenario, coloured):
    sheet = sheet_of("chains", scenario)
    assert [[part for part, colour in boxes(panel).items() if colour == "plus"] for panel in sheet.panels] == 2 * [
        coloured
    ]


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [("bank", "no memory"), ("nearest", "one memory"), ("letters", "other patterns")],
)
def test_what_is_no_pair_is_refused_with_the_reason(scenario, reason):
    assert reason in gallery()["chains"].lacks(result_of(scenario))


def test_the_rows_of_the_page_are_what_the_memories_say_of_themselves():
    run, panel = result_of("modern").runs[0], sheet_of("sheet", "modern").panels[1]
    keys, cue = run.arrays["patterns"].values, run.arrays["input"].values[0]
    memory = named_memories["nearest"].build(keys)
    for i, weights in ((2, run.arrays["step 1 weights"].values[0]), (-1, memory.weights(cue))):
        kept = np.sort(np.argsort(-run.arrays["step 1 weights"].values[0])[:4])
        assert np.allclose(bars(panel)[i].values, weights[kept])


def test_the_valleys_are_energies_of_memories():
    curves = [mark for mark in sheet_of("sheet", "modern").panels[3].marks if isinstance(mark, Curve)]
    for curve, beta in zip(curves, (4, 0.8), strict=True):
        energy = ha.Memory([[1.0], [-1.0]], beta=beta).energy(np.array([[0.5], [1.0]]))
        assert np.diff(np.interp([0.5, 1.0], curve.x, curve.y)) == pytest.approx(np.diff(energy))
    assert [int(np.sum(np.diff(np.sign(np.diff(curve.y))) > 0)) for curve in curves] == [2, 1]


def test_the_page_is_a4_in_every_style_unless_another_size_is_asked_for():
    sheet = sheet_of("sheet", "modern")
    assert {style.on_page(sheet.size).size for style in STYLES.values()} == {(8.27, 11.69)}
    assert STYLES["slide"].with_size(8.5, 11).on_page(sheet.size).size == (8.5, 11)
    assert trial(sheet, replace(STYLES["paper"].on_page(sheet.size), font=12)).faults == 0
    smallest = min(mark.size for panel in sheet.panels for mark in nodes(panel) if any(mark.texts))
    assert smallest * 12 > 9, "points on a page"


def test_every_command_of_the_page_is_read():
    for line in nodes(sheet_of("sheet", "modern").panels[4])[0].texts:
        program, name, *arguments = line.split()
        cli.get_command(click.Context(cli), name).make_context(name, arguments)  # refuses an unknown argument
        assert program == "hopattn"
