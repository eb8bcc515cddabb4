"""Words in a plane and attention in steps: the axes, the highlighted word and the scales of the drawn figures."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.gallery.added import Added
from hopattn.figures.gallery.moved import Moved
from hopattn.figures.gallery.plane import Plane
from hopattn.figures.gallery.space import SpaceOfHead
from hopattn.figures.gallery.steps import Steps
from hopattn.figures.headings import run_titles
from hopattn.figures.palette import LIGHT
from hopattn.scenario.result import Run
from tests.figures import finished
from tests.runs import drawing_of, result_of


def drawn(plot, scenario, **options):
    return finished.drawn(lambda figure: plot().draw(figure, chosen(result_of(scenario), options)))


def arrows(ax, colour=None):
    """The start and the end of each arrow of this colour."""
    found = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None and not text.get_text()]
    return [
        (np.array(arrow.get_position()), np.array(arrow.xy))
        for arrow in found
        if colour is None or to_hex(arrow.arrow_patch.get_edgecolor()) == colour
    ]


def bold(ax):
    return [text.get_text() for text in ax.texts if text.get_weight() == "bold"]


def notes(figure):
    return [legend.get_title().get_text() for legend in figure.legends] + [figure.get_supxlabel()]


def test_the_word_in_question_moves_in_the_plane_that_was_chosen():
    """The lecture: apple becomes .71 orange + 1 apple, or .71 phone + 1 apple."""
    fruit, phone = drawing_of("moved", "apple").figure.axes
    assert (fruit.get_xlabel(), fruit.get_ylabel()) == ("technology", "fruitness")
    for ax, end in ((fruit, (2, 2 + 3 / np.sqrt(2))), (phone, (2 + 4 / np.sqrt(2), 2))):
        ((before, after),) = arrows(ax, LIGHT.plus)
        assert np.allclose(before, (2, 2)) and np.allclose(after, end)
        assert bold(ax) == ["apple"]


def test_a_plane_of_your_own_is_drawn_and_one_that_the_words_do_not_have_is_refused():
    left, _ = drawn(Moved, "bank", axes=["plural", "money"]).axes
    assert (left.get_xlabel(), left.get_ylabel()) == ("plural", "money")
    with pytest.raises(ha.InvalidInput, match="figure: axes: 'mony' is unknown; did you mean 'money'"):
        ha.plot(result_of("bank"), "moved", axes=["mony", "river"])
    with pytest.raises(ha.InvalidInput, match="axes: 'banks'"):
        ha.plot(result_of("bank"), "moved", axes=["banks", "river"])


def test_the_cosines_of_moved_are_those_of_whole_vectors_and_rays_run_from_the_origin():
    """By hand: banks + .1 in + .7 financial + .62 markets = (.2, 1.896, .7, .472); its cosine with markets is .863.

    Before it is .62. In the plane it is .7/√.98 = .71 before, 1.896/√(1.896² + .49) = .94 after.
    """
    left, _ = drawing_of("moved", "bank").figure.axes
    rays = {tuple(line.get_xydata()[-1]) for line in left.lines if np.array_equal(line.get_xydata()[:1], [[0, 0]])}
    assert {tuple(np.round(ray, 2)) for ray in rays} >= {(0.7, 0.7), (1.9, 0.7), (1, 0)}
    assert left.get_title().endswith("cosine with financial: .7 → .91\nin this plane: .71 → .94")


@pytest.mark.parametrize("name", ["moved", "plane"])
def test_a_word_off_the_plane_is_marked_and_the_note_counts_the_axes(name):
    figure = drawing_of(name, "bank").figure
    for ax in figure.axes:
        crosses = [line for line in ax.lines if line.get_marker() == "x"]
        assert [line.get_xydata().tolist() for line in crosses] == [[[0, 0]]]
        assert "in" in [text.get_text() for text in ax.texts]
    assert "2 of 4 axes" in notes(figure)[0]
    assert "off the plane" in [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize("scenario", ["aaba", "cross-attention", "sharp-query"])
def test_queries_that_are_replaced_do_not_move(scenario):
    assert "are replaced: no word moves" in Moved().lacks(chosen(result_of(scenario)))


def test_no_more_than_two_arrows_lead_to_a_word_of_a_plane_and_the_note_says_so():
    figure = drawing_of("plane", "softmax-table").figure
    ends = [tuple(end) for _, end in arrows(figure.axes[0])]
    of_words = result_of("softmax-table").runs[0].arrays["input"].values[:, :2]
    assert max(ends.count(tuple(word)) for word in of_words[:2]) <= 2 < len(ends)
    assert "the strongest arrows" in notes(figure)[0]


@pytest.mark.parametrize("scenario", ["bank", "apple"])
def test_arrows_of_a_plane_lead_from_the_word_attended_to_to_the_word_that_attends(scenario):
    figure, result = drawing_of("plane", scenario).figure, result_of(scenario)
    for ax, run in zip(figure.axes, result.runs, strict=False):
        words, weights = run.arrays["input"], run.arrays["layer 1 head 1 weights"].values
        at = words.values[:, [words.labels[1].index(axis) for axis in plane_of(figure)]]
        drawn_arrows = arrows(ax)
        assert drawn_arrows
        for start, end in drawn_arrows:
            keys, queries = (np.flatnonzero(np.all(np.isclose(at, point), axis=1)) for point in (start, end))
            assert np.any(weights[np.ix_(queries, keys)] != 0), (start, end)


def plane_of(figure):
    """The names of the two axes, which panels share."""
    names = ({ax.get_xlabel() for ax in figure.axes}, {ax.get_ylabel() for ax in figure.axes})
    return [next(iter(name - {""})) for name in names]


def test_lines_between_two_texts_and_graphs_of_words_lead_to_the_query_too():
    """The keys are on the left, the queries on the right, and the arrow heads of the graph at the queries."""
    (ax,) = drawing_of("translation", "cross-attention").figure.axes[:1]
    weights = result_of("cross-attention").runs[0].find("weights")
    shape = next(array.values.shape for _, array in weights)
    lines = [line.get_xydata() for line in ax.lines if line.get_marker() in ("None", "") and len(line.get_xdata()) == 2]
    lefts = {tuple(line[0]) for line in lines if np.isclose(line[0][0], 0) and np.isclose(line[1][0], 1)}
    assert 0 < len(lefts) <= shape[1]
    for ax in drawing_of("messages", "messages").figure.axes:
        assert arrows(ax) and all(start[0] < end[0] for start, end in arrows(ax))


@pytest.mark.parametrize("plot", [Moved, Plane])
def test_axes_of_your_own_hold_one_run(plot):
    ax = Figure().subplots()
    ha.plot(result_of("bank"), plot.name, ax=ax, run="river")
    assert bold(ax) == ["banks"] and "muddy" in [text.get_text() for text in ax.texts]
    with pytest.raises(ha.InvalidInput, match="there are 2 runs: choose one with run"):
        ha.plot(result_of("bank"), plot.name, ax=ax)


def test_bars_of_one_column_and_cells_of_all_tables_have_one_scale():
    axes = np.reshape(drawing_of("steps", "aaba").figure.axes, (2, 3))
    for column in axes[:, :2].T:
        assert column[0].get_xlim() == column[1].get_xlim()
    above, below = (sorted(patch.get_width() for patch in ax.patches) for ax in axes[:, 1])
    assert np.allclose(above, [1 / 6, 1 / 6, 1 / 6, 1 / 2]) and np.allclose(below, 1 / 4)
    tables = [ax.images[0] for ax in axes[:, 2]]
    assert tables[0].get_clim() == tables[1].get_clim()
    half, three_quarters = (table.to_rgba(table.get_array())[-1, 0] for table in tables)
    assert not np.allclose(half, three_quarters)


def test_steps_show_the_word_in_question_and_the_run_that_differs_most():
    asked = drawing_of("steps", "apple").figure, drawn(Steps, "apple", query="orange", run="an apple and an orange")
    assert [figure.axes[0].get_title() for figure in asked] == ["1  scores: apple", "1  scores: orange"]
    figure = drawing_of("steps", "aaba").figure
    assert [figure.axes[k].get_ylabel() for k in (0, 3)] == ["attention", "averaging"]
    assert (figure.axes[0].get_title(), figure.get_supxlabel()) == ("1  scores: find a B", "2 of 3 runs")
    assert figure.get_suptitle() == "attention gives ‘B’ 1/2 of the weight, averaging 1/4"


def test_numbers_of_steps_stay_decimals_where_no_small_fraction_is_meant():
    texts = [text.get_text() for text in drawing_of("steps", "softmax-table").figure.axes[1].texts]
    assert texts == [".3", ".4", ".15", ".15"]


def test_short_names_of_axes_stand_whole_below_steps():
    axes = ["Möbel", "Größe", "Geld", "Ufer"]
    changes = {"vocabulary.axes": axes, "vocabulary.words.banks": [0.5, 0.5, 0.5, 0.5], "figure.axes": axes[:2]}
    result = chosen(ha.run("bank", overrides=changes))
    figure = finished.drawn(lambda at: Steps().draw(at, result))
    assert [tick.get_text() for tick in figure.axes[-1].get_xticklabels()] == axes


def test_steps_take_the_first_head_that_was_chosen():
    figure = drawn(Steps, "two-heads", head=2)
    weights = result_of("two-heads").runs[0].arrays["layer 1 head 2 weights"]
    row = weights.values[weights.labels[0].index("run")]
    widths = [patch.get_width() for patch in figure.axes[1].patches]
    assert np.allclose(widths, row)


def test_what_is_added_to_banks_is_drawn_head_to_tail():
    """The lecture's sum in the plane of money and river: (.7, .7) + .7 (1, 0) + .62 (.8, 0) = (1.896, .7)."""
    figure = drawing_of("added", "bank").figure
    left, right = figure.axes
    assert (
        left.get_title()
        == "banks + .1 in + .7 financial + .62 markets\ncosine with financial: .7 → .91\nin this plane: .71 → .94"
    )
    assert right.get_title() == (
        "banks + .1 in + .7 muddy + .62 rivers\ncosine with muddy: .7 → .91\nin this plane: .71 → .94"
    )
    chain = [(0, 0), (0.7, 0.7), (1.4, 0.7), (1.896, 0.7)]  # in the plane 'in' adds nothing
    drawn_arrows = arrows(left)
    assert np.allclose([start for start, _ in drawn_arrows], [*chain[:-1], (0, 0)])
    assert np.allclose([end for _, end in drawn_arrows], [*chain[1:], chain[-1]], atol=0.001)
    assert [text.get_text() for text in left.texts if text.get_text()][-1] == "after"
    assert figure.get_supxlabel().startswith("2 of 4 axes")


def test_a_word_that_is_replaced_is_itself_the_first_term():
    left, _ = drawing_of("added", "apple").figure.axes
    assert left.get_title().startswith("apple + .71 orange\n")
    assert np.allclose([end for _, end in arrows(left)], [(2, 2), (2, 2 + 3 / np.sqrt(2)), (2, 2 + 3 / np.sqrt(2))])


def test_terms_that_have_no_arrow_of_their_own_are_one_arrow():
    left = drawing_of("added", "two-bigs").figure.axes[0]
    assert "+ .23 cat + 1 other word" in left.get_title().replace("\n", " ")
    state = result_of("two-bigs").runs[0].arrays["layer 1 state"]
    word = state.labels[0].index("dog")
    end = [state.values[word][state.labels[1].index(axis)] for axis in (left.get_xlabel(), left.get_ylabel())]
    assert np.allclose(arrows(left)[-1][1], end) and np.allclose(arrows(left)[-2][1], end)


def test_the_terms_of_another_text_have_its_words():
    """By hand, from the lecture's table: fareleri takes .03 of cats, .1 of chase, .87 of mice."""
    (ax,) = drawing_of("added", "cross-attention").figure.axes
    assert ax.get_title() == ".03 cats + .1 chase + .87 mice"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("chase", "mice")
    assert np.allclose(arrows(ax)[-1][1], (0.1, 0.87))


@pytest.mark.parametrize("scenario", ["letters", "two-heads", "transformer-layer"])
def test_what_is_more_than_one_weighted_sum_is_not_drawn_as_added(scenario):
    assert Added().lacks(chosen(result_of(scenario))).startswith("it")


def lines_of_grid(ax):
    return [line.get_xydata() for line in ax.lines if line.get_linewidth() < 2 and len(line.get_xydata()) == 2]


def test_words_and_grid_go_through_the_same_matrix():
    """By hand: [[1, 0], [−.5, .5]] takes phone (4, 0) to (4, −2), orange (0, 3) to (0, 1.5), apple (2, 2) to (2, 0)."""
    figure = drawing_of("space", "two-spaces").figure
    before, first, second = figure.axes
    titles = [ax.get_title().split("\n") for ax in figure.axes]
    assert titles == [
        ["the words before", "cosine: orange .71 · phone .71"],
        ["matrix 1", "cosine: orange 0 · phone .89"],
        ["matrix 2", "cosine: orange .89 · phone 0"],
    ]
    for ax, points in ((first, [(0, 1.5), (4, -2), (2, 0)]), (second, [(-1.5, 3), (2, 0), (0, 2)])):
        dots = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o"]
        assert np.allclose(dots, points)
    for ax, matrix in ((first, [[1, 0], [-0.5, 0.5]]), (second, [[0.5, -0.5], [0, 1]])):
        assert np.allclose(lines_of_grid(ax), np.array(lines_of_grid(before)) @ np.transpose(matrix))
        assert ax.get_xlim() == before.get_xlim()
    assert figure.get_suptitle().endswith("‘apple’ turns towards ‘phone’ or ‘orange’")


def test_a_head_without_a_matrix_and_rotated_queries_have_no_space():
    for scenario in ("bank", "rope", "letters"):
        assert SpaceOfHead().lacks(chosen(result_of(scenario))).startswith("it has no head whose query or key matrix")


def test_axes_of_your_own_hold_one_space():
    ax = Figure().subplots()
    ha.plot(result_of("two-spaces"), "space", ax=ax, run="matrix 2")
    assert bold(ax) == ["apple"]
    with pytest.raises(ha.InvalidInput, match="there are 2 matrices"):
        ha.plot(result_of("two-spaces"), "space", ax=ax)


def test_a_panel_is_named_by_its_text_as_it_is_read():
    texts = {"nests": ["the", "nests", "the", "crane"], "scaffolds": ["the", "scaffolds", "the", "crane"]}
    runs = [Run(name, {}) for name in texts]
    titles = run_titles(runs, [["the#1", name, "the#2", "crane"] for name in texts], 40)
    assert titles == [f"{name}: {' '.join(words)}" for name, words in texts.items()]
