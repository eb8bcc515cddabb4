"""The frame of every figure: its margin, room for every text, and what only its author is to read."""

from string import ascii_uppercase

import numpy as np
import pytest
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.fitting import fitted, outside, overlapping
from hopattn.figures.gallery import plots
from hopattn.figures.gif import fitted_frames
from hopattn.figures.headings import CUT, HEADLINE, balanced, foot, left_out
from hopattn.figures.origin import scenario_of
from hopattn.figures.remarks import collected
from hopattn.figures.rendering import drawable, rendered, rendered_figure
from hopattn.figures.style import STYLES, styled
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import parse
from tests.counts import FULL, count, spread
from tests.runs import drawing_of, result_of

MARGIN = 24
MOVING = [name for name, kind in plots.items() if kind.moves]
LONG = ["Donaudampfschifffahrtsgesellschaft", "counter-revolutionary", "maritime navigation", "the", "wrote"]
CROWDED = {
    "twelve long words": (
        'kind = "attention"\nvocabulary = { axes = ["law", "maritime navigation"], words = {'
        + ", ".join(f'"{LONG[i % 5]}{i}" = [{np.cos(i):.6f}, {np.sin(i):.6f}]' for i in range(12))
        + " } }\n[input]\ntokens = ["
        + ", ".join(f'"{LONG[i % 5]}{i}"' for i in range(12))
        + ']\n[[layer]]\n[[layer.head]]\nmask = "causal"\n'
        + '[[variant]]\nname = "every word"\nset = { "layer.head.mask" = "none" }\n'
    ),
    "26 letters": (
        f'kind = "memory"\n[pictures]\nletters = "{ascii_uppercase}"\n[memory]\npatterns = {[*ascii_uppercase]}\n'
        + 'separation = "softmax"\nbeta = 1\nactivation = "sign"\n'
        + "".join(f'[cue."the left half of {name}"]\nof = "{name}"\nhide = "right"\n' for name in "PRSXY")
    ),
    "twelve heads": (
        'kind = "attention"\nvocabulary = { axes = ["x", "y"], '
        "words = { dog = [1, 0], barks = [0, 1], loudly = [0.6, 0.8] } }"
        '\n[input]\ntokens = ["dog", "barks", "loudly"]\n[[layer]]\n' + '[[layer.head]]\nmask = "causal"\n' * 12
    ),
}


def ink(figure):
    """The distances of the ink of a drawn figure from its edges, in pixels."""
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
    rows, columns = (np.flatnonzero((np.abs(pixels - pixels[0, 0]) > 24).any(axis=(2, k))) for k in (1, 0))
    return rows[0], columns[0], len(pixels) - 1 - rows[-1], pixels.shape[1] - 1 - columns[-1]


@pytest.mark.parametrize("name", ["alignment", "beside", "crosstalk", "neuron", "steps", "walk"])
def test_titles_of_panels_stand_apart_from_the_headline(name):
    """By at least 16 of 1280 pixels."""
    figure = drawing_of(name, plots[name].scenario).figure
    figure.canvas.draw()
    below = max(ax.title.get_window_extent().y1 for ax in figure.axes if ax.get_title())
    assert (figure._suptitle.get_window_extent().y0 - below) / figure.dpi >= 0.16


def faults(draw, style):
    """The remark on texts that have no room in a figure, as its author reads it; empty where all have."""
    with collected() as remarks:
        fitted(draw, STYLES[style])
    return str(remarks.fault.line(True)) if remarks.fault else ""


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", plots)
def test_every_side_of_a_slide_has_a_margin(name):
    figure = drawing_of(name, plots[name].scenario).figure
    with styled():
        assert min(ink(figure)) >= MARGIN


def test_a_mark_beside_its_axes_keeps_the_margin():
    """The names of axes of `offsets` are wider than the axes, for which alone matplotlib's layout leaves room."""
    figure = drawing_of("offsets", plots["offsets"].scenario).figure
    with styled():
        assert min(ink(figure)) >= MARGIN


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", MOVING)
def test_no_frame_has_a_text_that_is_cut_or_covered_and_nothing_moves_but_the_drawing(name):
    shown = chosen(result_of(plots[name].scenario))
    frames, style = fitted_frames(plots[name]().frames(shown)[:: count(1, 4)], STYLES["slide"])
    places = set()
    with styled(style):
        for frame in frames:
            frame.draw_without_rendering()
            assert (overlapping(frame), outside(frame)) == ([], [])
            places.add(tuple(ax.get_position(original=True).bounds for ax in frame.axes))
        assert min(ink(frames[2])) >= MARGIN
    assert len(places) == 1


# A dark slide has the geometry of a light one.
@pytest.mark.quick(1)
@pytest.mark.parametrize("name", spread(shipped(), 1))
def test_no_text_of_any_figure_of_a_scenario_is_cut_or_covered(name):
    shown = chosen(result_of(name))
    for plot in drawable(result_of(name)):
        for style in ("slide", "paper") if FULL else ("slide",):
            assert (plot.name, style, faults(lambda at, plot=plot: plot.draw(at, shown), style)) == (
                plot.name,
                style,
                "",
            )


@pytest.mark.quick(0)
@pytest.mark.parametrize("name", CROWDED)
def test_no_text_of_many_words_or_heads_is_cut_or_covered(name):
    result = ha.run(parse(f'schema = 1\ntitle = "{name}"\nsource = "ours"\n{CROWDED[name]}', f"{name}.toml", name))
    found = {
        plot.name: faults(lambda at, plot=plot: plot.draw(at, chosen(result)), "slide") for plot in drawable(result)
    }
    assert {name: fault for name, fault in found.items() if fault} == {}


def crowd(figure, many=9):
    """Names that lie over each other in any font, of parts of which all are shown."""
    left_out(3, 3, "runs", "run")
    for i in range(many):
        figure.text(0.5 + i / 100, 0.5, "a name of some length")


def test_texts_that_overlap_are_counted_with_options_that_help():
    assert faults(crowd, "slide") == "9 texts overlap at 12.8x7.2; try figure.run"
    assert faults(lambda figure: figure.text(0.9, 0.5, "a text of some length"), "slide") == (
        "1 text is cut at 12.8x7.2; try --size 19.2x10.8"
    )
    assert faults(lambda figure: crowd(figure, 1), "slide") == ""


def test_a_larger_size_is_named_where_the_texts_have_room_in_it():
    def draw(figure):
        figure.text(0.1, 0.5, "x" * 70)
        figure.text(0.66, 0.5, "y")

    assert faults(draw, "slide") == "2 texts overlap at 12.8x7.2; try --size 16x9"


def test_only_the_author_reads_how_to_choose_what_is_left_out(hopattn):
    code, _, errors = hopattn("run", "similarity", "--figures", "similarity,projection", "--into", "slides", "--json")
    assert code == 0
    assert [line for line in errors.splitlines() if "choose" in line] == [
        "projection: 1 of 4 cues; choose with figure.query"
    ]
    data, _ = rendered_figure(plots["projection"](), result_of("similarity"))
    assert data.decode().count("choose with") == 1
    assert "1 of 4 cues; choose with figure.query</dc:description>" in data.decode()


def test_the_title_of_a_file_is_the_headline_of_the_figure():
    data, _ = rendered(lambda figure: figure.suptitle("one\ntwo"), described=("of the scenario", "shows"))
    assert b"<dc:title>one two</dc:title>" in data
    plain, _ = rendered(lambda figure: figure.text(0.5, 0.5, "one"), described=("of the scenario", "shows"))
    assert b"<dc:title>of the scenario</dc:title>" in plain


@pytest.mark.parametrize("words", [9, 13, 16])
def test_the_lines_of_a_headline_are_of_similar_width(words):
    lines = balanced("ordinary " * words).split("\n")
    assert max(map(len, lines)) - min(map(len, lines)) <= len("ordinary ")
    assert len(lines) == 2 and not lines[-1].endswith(CUT)
    assert balanced("x" * 200).endswith(CUT.strip()) or max(map(len, balanced("x" * 200).split("\n"))) <= HEADLINE
    assert balanced("short") == "short"


def test_a_figure_of_another_scenario_stays_and_the_new_one_has_its_scenario_before_its_name(hopattn, tmp_path):
    drawn = ("--figures", "attention", "--into", "slides", "--format", "svg,png,pdf", "--json")
    assert hopattn("run", "practice-7-2", *drawn)[0] == 0
    first = {path.name: path.read_bytes() for path in (tmp_path / "slides").iterdir()}
    assert {scenario_of(tmp_path / "slides" / name) for name in first} == {"practice-7-2"}
    _, _, errors = hopattn("run", "hot-dog", *drawn)
    assert "hot-dog-attention.svg: 'attention.svg' shows the scenario 'practice-7-2', and stays" in errors
    assert {name: (tmp_path / "slides" / name).read_bytes() for name in first} == first
    assert {path.name for path in (tmp_path / "slides").iterdir()} == {*first, *(f"hot-dog-{name}" for name in first)}
    _, _, again = hopattn("run", "practice-7-2", *drawn)
    assert "stays" not in again and len([*(tmp_path / "slides").iterdir()]) == 6


def test_a_note_that_is_written_again_keeps_its_room_below_the_axes():
    figure = Figure(layout="constrained")
    figure.subplots()
    for note in ("first", "second"):
        foot(figure, note)
    (note,) = figure.texts
    assert (note.get_text(), note.get_in_layout()) == ("second", True)
