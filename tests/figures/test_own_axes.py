"""Figures in axes of one's own: their signs for a legend, their titles, and which run and cue they show."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.patches import Patch

import hopattn as ha
from tests.runs import result_of

TRIANGLE = [[1.0, 0.0], [0.4, 0.6]]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def axes(**options):
    return Figure(figsize=(6, 5), layout="constrained").subplots(**options)


def names(ax):
    return [text.get_text() for text in ax.legend().get_texts()]


def recall():
    rng = np.random.default_rng(0)
    patterns = rng.choice([-1.0, 1.0], size=(10, 200))
    cues = np.where(rng.random((10, 200)) < 0.2, -patterns, patterns)
    return ha.memories.hopfield(patterns).recall(cues, keep=["overlaps"])


@pytest.mark.parametrize(
    ("name", "signs"),
    [
        ("moved", ["off the plane", "before", "after", "did not move"]),
        ("attention", ["hidden by the mask"]),
        ("masks", ["visible", "hidden"]),
        ("flow", ["from the key (its colour) to the query"]),
    ],
)
def test_a_legend_of_the_axes_lists_the_signs_of_the_figure(name, signs):
    ax = ha.plot(result_of("bank"), name, ax=axes(), run="as written")
    assert names(ax) == signs


def test_a_legend_is_shown_where_it_covers_nothing():
    free = ha.plot(result_of("letters"), "energies", ax=axes(), run="as written")
    assert [text.get_text() for text in free.get_legend().get_texts()] == [
        "converges to its pattern",
        "converges elsewhere",
    ]
    over_the_mask = ha.plot(np.tril(np.full((12, 12), 0.1)), mask="causal", ax=axes())
    assert over_the_mask.get_legend() is not None
    larger = ha.plot(np.tril(np.full((23, 23), 0.04)), mask="causal", ax=Figure(figsize=(6, 6)).subplots())
    assert larger.get_legend() is not None
    full = ha.plot(result_of("letters"), "overlaps", ax=axes(), query="half of R", run="as written")
    assert full.get_legend() is None
    assert names(full) == ["overlap −1", "overlap 0", "overlap 1"]
    assert ha.plot(recall(), "basin", ax=Figure(figsize=(1.2, 1)).subplots()).get_legend() is None


def test_the_colours_of_a_large_matrix_are_among_its_signs():
    ax = ha.plot(np.eye(13), ax=axes())
    assert names(ax) == ["0", ".25", ".5", ".75", "1"]
    colours = [handle.get_facecolor() for handle in ax.get_legend().get_patches()]
    assert colours[0] == pytest.approx(matplotlib.colors.to_rgba("white"), abs=0.02) and len({*colours}) == 5


def test_signs_are_in_the_language_of_the_figure():
    ax = ha.plot(result_of("bank"), "moved", ax=axes(), run="river", lang="de", title="auto")
    assert names(ax)[1:] == ["davor", "danach", "nicht bewegt"]
    assert "Kosinus" in ax.get_title()


def test_the_automatic_title_is_the_headline_with_the_run():
    ax = ha.plot(result_of("bank"), "moved", ax=axes(), run="river", title="auto")
    assert " ".join(ax.get_title().split()) == (
        "attention turns ‘banks’ towards ‘muddy’ in muddy rivers banks cosine with muddy: .7 → .91 "
        "in this plane: .71 → .94"
    )
    assert ha.plot(result_of("bank"), "moved", ax=axes(), run="river").get_title() == ""
    narrow = ha.plot(result_of("bank"), "attention", ax=axes(ncols=4)[0], run="river", title="auto")
    assert max(map(len, narrow.get_title().split("\n"))) < 20
    turned = ha.plot(result_of("bank"), "moved", ax=axes(ncols=2)[0], run="river", title="auto")
    assert ".7 → .91" in turned.get_title()
    whole = ha.plot(result_of("bank"), "attention", run="river", title="auto")
    assert whole.figure.get_suptitle() == result_of("bank").title


@pytest.mark.parametrize("name", ["attention", "moved", "flow", "added"])
def test_several_runs_have_to_be_chosen_from_in_every_figure(name):
    with pytest.raises(ha.InvalidInput, match="there are 2 runs: choose one with run"):
        ha.plot(result_of("bank"), name, ax=axes())


def test_one_of_several_cues_has_to_be_chosen():
    with pytest.raises(ha.InvalidInput, match="there are 10 cues: choose one with query"):
        recall().plot("overlaps", ax=axes())
    chosen = recall().plot("overlaps", ax=axes(), query=3)
    assert chosen.images[0].get_array()[3, 0] > 0.5


def test_a_choice_between_runs_that_cannot_be_drawn_is_not_asked_for():
    """Only the first run has two layers."""
    result = result_of("induction")
    assert ha.plot(result, "induction", ax=axes(), run="as written").has_data()


def test_a_word_alone_is_a_list_of_one_and_a_number_names_a_cue():
    bank = result_of("bank")
    one, other = (
        ha.plot(bank, "moved", run="river", highlight=highlight, axes=plane)
        for highlight, plane in (("banks", "money,river"), (["banks"], ["money", "river"]))
    )
    assert [text.get_text() for text in one.texts] == [text.get_text() for text in other.texts]
    assert (one.get_xlabel(), one.get_ylabel()) == ("money", "river")
    assert ha.plot(bank, "moved", run="river", highlight="banks, muddy").has_data()
    assert recall().plot("overlaps", query=np.int64(3)).get_title() == recall().plot("overlaps", query="3").get_title()


def test_a_data_frame_has_its_words():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TRIANGLE, index=["muddy", "banks"], columns=["river", "bank"])
    ax = ha.plot(frame)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["muddy", "banks"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["river", "bank"]
    named = ha.plot(frame, tokens=["a", "b"])
    assert [label.get_text() for label in named.get_xticklabels()] == ["a", "b"]


def test_a_new_figure_has_the_size_that_is_asked_for():
    for size in ((3.4, 2.4), "3.4x2.4"):
        assert ha.plot(TRIANGLE, size=size).figure.get_size_inches() == pytest.approx([3.4, 2.4])
    assert ha.plot(TRIANGLE, size="4:3").figure.get_size_inches() == pytest.approx([12.8, 9.6])


@pytest.mark.parametrize("mask", ["causal", np.tri(2, dtype=bool), [[True, False], [True, True]]])
def test_a_mask_hatches_what_it_hides(mask):
    ax = ha.plot(TRIANGLE, mask=mask)
    assert [text.get_text() for text in ax.texts] == ["1", ".4", ".6"]
    assert [patch.get_hatch() is not None for patch in ax.patches if isinstance(patch, Patch)] == [True]
    assert len(ha.plot([TRIANGLE, TRIANGLE], mask=mask)) == 2


def test_a_plane_fills_axes_of_any_shape():
    figure, (wide, square) = pyplot.subplots(2, 1, figsize=(8, 5), layout="constrained")
    for ax in (wide, square):
        ha.plot(result_of("bank"), "moved", ax=ax, run="river")
    figure.draw_without_rendering()
    assert wide.bbox.width > 5 * figure.dpi
    units = wide.transData.transform([(0, 0), (1, 1)])
    assert np.ptp(units, axis=0)[0] == pytest.approx(np.ptp(units, axis=0)[1])


def test_axes_that_share_their_limits_keep_them():
    left, right = axes(ncols=2, sharex=True, sharey=True)
    ha.plot(result_of("bank"), "moved", ax=left, run="river")
    before = left.get_xlim()
    ha.plot(result_of("bank"), "moved", ax=right, run="river")
    assert left.get_xlim() == before
