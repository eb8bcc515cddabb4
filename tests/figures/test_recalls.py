"""The figures of recalls end with the last state and its name, and show every pattern that a recall passes."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.gallery import plots
from hopattn.figures.recall_course import draw_recall
from hopattn.figures.recalls import energy_scale, overlaps_by_step, verdict
from tests.figures.finished import finished
from tests.runs import drawing_of, result_of


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def pictures(figure):
    """The pictures of the figure, each with its axes; cells of overlaps have another colour map."""
    return [ax for ax in figure.axes if ax.images and ax.images[0].get_cmap().name == "picture"]


def last_pictures(figure):
    """The pictures in heavy frames, from the top."""
    heavy = [ax for ax in pictures(figure) if ax.spines["left"].get_linewidth() > 4]
    return [ax.images[0].get_array().data.ravel() for ax in sorted(heavy, key=lambda ax: -ax.get_position().y0)]


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", ["letters", "two-letters", "spurious", "metastable", "sequence", "spherical", "bam"])
def test_the_last_picture_is_the_last_state(name):
    run, figure = result_of(name).runs[0], drawing_of("recall", name).figure
    ends = last_pictures(figure)
    assert len(ends) == len(run.strips)
    black = np.abs(run.arrays["patterns"].values).max()
    for end, state in zip(ends, run.arrays["state"].values, strict=True):
        assert end == pytest.approx(state / black, abs=1e-12)


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("letters", ["recalls R", "recalls X", "stays at S reversed"]),
        ("spurious", ["stays at S reversed", "stays at a mixture of J, V and X"]),
        ("metastable", ["stays between C, G and 8", "recalls J"]),
        ("two-letters", ["stays at I + L"]),
        ("two-cycle", ["ends in a cycle of 2"]),
        ("sequence", ["visits 8 patterns, the last is H"]),
    ],
)
def test_the_caption_says_where_the_state_is(name, ends):
    run = result_of(name).runs[0]
    assert [verdict(run, i).replace("\u00a0", " ") for i in range(len(run.strips))] == ends
    written = " ".join(" ".join(texts(drawing_of("recall", name).figure)).replace("\u00a0", " ").split())
    assert all(end in written for end in ends)


def test_every_letter_of_a_replayed_word_is_shown_above_its_overlaps():
    run, figure = result_of("sequence").runs[0], drawing_of("recall", "sequence").figure
    drawn = [ax.images[0].get_array().data.ravel() for ax in pictures(figure)]
    letters = dict(zip("HOPFIELD", run.arrays["patterns"].values, strict=True))
    assert [next((n for n in letters if np.array_equal(letters[n], one)), "torn") for one in drawn] == [
        "torn",
        *"OPFIELDH",
    ]
    (cells,) = [ax.images[0].get_array().data for ax in figure.axes if ax.images and ax not in pictures(figure)]
    expected = [[letter @ one / letter.size for one in drawn] for letter in letters.values()]
    assert cells == pytest.approx(np.array(expected))
    assert cells[[*range(1, 8), 0], range(1, 9)] == pytest.approx(1)


def test_energy_and_overlap_are_drawn_by_step(results):
    run, figure = results["letters"].runs[0], drawing_of("recall", "letters").figure
    axes = {ax.get_ylabel(): ax for ax in figure.axes}
    for i, steps in enumerate(run.arrays["steps"].values):
        energy, overlap = (axes[name].lines[i].get_ydata() for name in ("energy", "overlap with\nthe nearest"))
        assert np.array_equal(energy, run.arrays["energy"].values[i][: steps + 1])
        state, pattern = run.arrays["state"].values[i], run.arrays["nearest"].values[i]
        assert overlap[-1] == pytest.approx(ha.cosine(state, pattern))
    assert axes["overlap with\nthe nearest"].lines[2].get_ydata() == pytest.approx(-1)  # the reverse of a letter


def test_overlaps_that_are_never_negative_fill_their_axis():
    axes = {ax.get_ylabel(): ax for ax in drawing_of("recall", "dense").figure.axes}
    assert axes["overlap with\nthe nearest"].get_ylim()[0] > -0.1
    assert np.ptp(axes["energy / 10¹⁴"].lines[0].get_ydata()) < 10
    assert energy_scale(np.array([-20.0, 3.0])) == (1.0, "energy")


@pytest.mark.quick(0)
def test_what_is_left_out_is_said():
    assert "1 of 3 runs" in " ".join(texts(drawing_of("recall", "letters").figure))
    result = result_of("letters")
    run = result.runs[0]
    five = {
        name: replace(array, values=np.repeat(array.values, 2, axis=0), labels=(array.labels[0] * 2, *array.labels[1:]))
        if array.dims[:1] == ("cue",)
        else array
        for name, array in run.arrays.items()
    }
    many = replace(result, runs=(replace(run, arrays=five, strips=run.strips * 2),))
    figure = finished(lambda figure: plots["recall"]().draw(figure, many))
    assert "4 of 6 cues" in texts(figure)
    chosen_run = chosen(result, {"run": "ten letters"})
    assert not any("runs" in text for text in texts(finished(lambda f: plots["recall"]().draw(f, chosen_run))))


def test_overlaps_are_those_of_the_literature_in_every_figure():
    run = result_of("graded").runs[0]
    every = overlaps_by_step(run, 1)
    spins = np.sign(run.arrays["patterns"].values)
    assert every.shape == (run.arrays["steps"].values[1] + 1, 5)
    assert every[3, 2] == pytest.approx(run.arrays["trajectory"].values[1][3] @ spins[2] / spins.shape[1])
    letters = result_of("letters").runs[0]
    known = letters.arrays["trajectory"].values[0][0] != 0  # "half of R": 14 of the 35 neurons are unknown
    assert overlaps_by_step(letters, 0)[0].max() == pytest.approx(known.mean())
    course = result_of("sequence").runs[0]
    assert overlaps_by_step(course, 0) == pytest.approx(
        course.arrays["course"].values[0][: len(overlaps_by_step(course, 0))]
    )


def test_a_record_names_its_ends_beside_them():
    patterns = np.array([[1, 1, 1, 1, 1, 1, 1, 1], [1, -1, 1, -1, 1, -1, 1, -1.0]])
    memory = ha.memories.hopfield(patterns)
    record = memory.recall([patterns[1], -patterns[0], patterns[0]], keep=["overlaps"])
    figure = finished(lambda figure: draw_recall(figure, record))
    assert [text for text in texts(figure) if "pattern" in text] == ["pattern 1", "a pattern reversed", "pattern 0"]
    assert figure.axes[0].get_xlabel() == "neuron (filled: 1, empty: −1)"
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["● 0", "■ 1", "▲ 2"]


def test_a_subfigure_gives_the_axes_of_a_recall():
    left, _ = Figure(layout="constrained").subfigures(1, 2)
    memory = ha.memories.hopfield(np.array([[1, 1, -1, -1.0]]))
    assert len(ha.plot(memory.recall([[1, 1, 1, -1.0]], keep=["overlaps"]), ax=left)) == 3
