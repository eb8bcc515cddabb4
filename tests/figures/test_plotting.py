"""`ha.plot`: any figure from Python, into a new figure, or into axes, figures and subfigures of one's own."""

import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.figures.favourites import favourite
from hopattn.figures.figure import gallery
from hopattn.results.labelled import Labelled
from hopattn.scenario.sweep_and_figure import figure_names
from tests.draws import count
from tests.figures.reading import keys, panel, says, texts_in, ticks
from tests.runs import result_of

WEIGHTS = [[1.0, 0.0], [0.4, 0.6]]
WRITTEN = ["1", "0", ".4", ".6"]
FIGURES = gallery()
DRAWN = [name for name, figure in FIGURES.items() if figure.source is None]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def recall():
    rng = np.random.default_rng(0)
    patterns = rng.choice([-1.0, 1.0], size=(10, 200))
    cues = np.where(rng.random((10, 200)) < 0.2, -patterns, patterns)
    return ha.memories.hopfield(patterns).recall(cues, keep=["overlaps"])


def only(panels):
    """The axes of a drawing with one panel."""
    (ax,) = panels.axes
    return ax


def sides(ax):
    """The names of the rows and of the columns."""
    return ticks(ax.yaxis), ticks(ax.xaxis)


def test_a_result_is_drawn_into_axes_of_ones_own_and_the_settings_of_the_user_stay():
    before = dict(matplotlib.rcParams)
    _, (left, right) = pyplot.subplots(1, 2)
    assert ha.plot(result_of("bank"), "attention", ax=right, run="river", title="beside the river").axes == (right,)
    assert ticks(right.xaxis) == ["in", "muddy", "rivers", "banks"] and not left.has_data()
    assert right.get_title() == "beside the river"
    ha.plot(result_of("bank"), "attention", run="river", style="dark")
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(("thing", "name"), [("bifurcation", "bifurcation")])
@pytest.mark.parametrize("scale", ["log", "fixed"])
def test_axes_of_ones_own_keep_ticks_that_do_not_choose_themselves(thing, name, scale):
    ax = Figure(figsize=(12, 6)).subplots()
    ax.set_xscale("log") if scale == "log" else ax.set_xticks([1, 2])
    locator = type(ax.xaxis.get_major_locator())
    ha.plot(result_of(thing) if isinstance(thing, str) else thing(), name, ax=ax)
    assert type(ax.xaxis.get_major_locator()) is locator


def test_text_in_axes_of_ones_own_has_the_users_font_size_and_is_light_on_a_dark_sheet():
    sizes = []
    for size in (10, 20):
        with matplotlib.rc_context({"font.size": size}):
            sizes.append(panel("bank", "attention", run="river").texts[0].get_fontsize())
    assert sizes[1] == pytest.approx(2 * sizes[0])
    ax = Figure(facecolor="black").subplots()
    ax.set_facecolor("black")
    assert matplotlib.colors.to_rgb(only(ha.plot(WEIGHTS, ax=ax)).texts[1].get_color())[0] > 0.9


@pytest.mark.parametrize("weights", [WEIGHTS, np.float32(WEIGHTS), np.array([WEIGHTS]), tuple(map(tuple, WEIGHTS))])
def test_weights_of_any_origin_are_drawn(weights):
    ax = only(ha.plot(weights, "attention", tokens=["muddy", "banks"]))
    assert texts_in(ax) == WRITTEN and sides(ax) == (["muddy", "banks"],) * 2


def test_weights_of_every_library_and_of_pandas_are_drawn(torch, jax):
    tensor = torch.tensor([WEIGHTS, WEIGHTS], requires_grad=True)
    for weights in (tensor, tensor.bfloat16(), [*tensor], jax.numpy.asarray([WEIGHTS, WEIGHTS])):
        assert texts_in(only(ha.plot(weights, head=1))) == WRITTEN
    with pytest.raises(ha.InvalidInput, match=r"weights: expected real numbers, not torch\.complex64"):
        ha.plot(tensor.to(torch.complex64))
    eye = torch.eye(2)
    causal, free = ha.Head(eye, eye, eye, mask="causal"), ha.Head(eye, eye, eye, mask="none")
    assert len(texts_in(only(ha.plot(causal.trace(eye))))) == 3
    axes = ha.plot(ha.MultiHead([causal, free], torch.eye(2, 4)).trace(eye), "attention").axes
    assert [len(texts_in(ax)) for ax in axes] == [3, 4]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(WEIGHTS, index=["muddy", "banks"], columns=["river", "bank"])
    assert sides(only(ha.plot(frame))) == (["muddy", "banks"], ["river", "bank"])
    assert sides(only(ha.plot(frame, tokens=["a", "b"]))) == (["a", "b"],) * 2


def test_rows_and_columns_are_numbered_named_by_tokens_or_by_the_labels_that_an_array_has():
    assert sides(only(ha.plot(np.full((2, 3), 1 / 3)))) == (["1", "2"], ["1", "2", "3"])
    tokens = (["cats"], ["kediler", "mavi", "balik"])
    assert sides(only(ha.plot([[0.5, 0.25, 0.25]], tokens=tokens))) == tokens
    weights = result_of("bank").arrays["layer 1 head 1 weights"]
    assert ticks(only(weights.plot()).yaxis) == list(weights.labels[0])
    table = only(Labelled(np.eye(2), ("layer", "head"), (("0", "1"), ("0", "1"))).plot())
    assert (table.get_xlabel(), table.get_ylabel()) == ("head", "layer")
    small = only(Labelled(np.array([[0.02, -0.01]]), ("layer", "head"), (("0",), ("0", "1")), tiny=True).plot())
    assert small.images[0].get_clim() == (-0.02, 0.02)  # the colours of shares end at 1


def test_a_word_of_an_array_that_comes_again_has_its_number_by_which_it_is_asked_for():
    assert sides(only(ha.plot(WEIGHTS, tokens=["a", "a"]))) == (["a₁", "a₂"],) * 2
    one, other = (texts_in(only(ha.plot(WEIGHTS, "flow", tokens=["a", "a"], query=f"a#{i}"))) for i in (1, 2))
    assert one != other


def test_several_heads_are_several_axes_and_one_can_be_chosen():
    heads = np.stack([np.full((2, 2), i / 12) for i in range(12)])
    assert len(ha.plot(heads).axes) == 12
    one = only(ha.plot(heads, head=np.int64(3)))
    assert texts_in(one) == [".17"] * 4
    figure, axes = ha.plot(
        ha.experiments.compare_random({"load": (0.1, 0.5), "noise": (0.0, 0.2)}, trials=1, dim=16, rng=0)
    )
    assert len(axes) == len(figure.axes) - 1, "a colour bar is none of the axes"


@pytest.mark.parametrize("mask", ["causal", np.tri(2, dtype=bool), [[True, False], [True, True]]])
def test_a_mask_hatches_what_it_hides(mask):
    ax = only(ha.plot(WEIGHTS, mask=mask))
    assert texts_in(ax) == ["1", ".4", ".6"] and any(patch.get_hatch() for patch in ax.patches)
    assert len(ha.plot([WEIGHTS, WEIGHTS], mask=mask).axes) == 2
    masked = only(ha.plot(np.ma.masked_array(np.eye(2), mask=[[0, 1], [0, 0]])))
    assert texts_in(masked) == ["1", "0", "1"]


@pytest.mark.parametrize("name", count(DRAWN, DRAWN[::3]))
def test_a_figure_with_one_panel_is_drawn_into_axes_or_says_that_it_has_several(name):
    ax = Figure(figsize=(12.8, 7.2), layout="constrained").subplots()
    try:
        assert ha.plot(result_of(FIGURES[name].scenario), name, ax=ax) == (ax.figure, (ax,))
    except ha.InvalidInput as refused:
        assert "panel" in str(refused)
    else:
        assert ax.has_data() or ax.texts or ax.patches


@pytest.mark.parametrize("place", [lambda: None, Figure, lambda: Figure().subfigures(), lambda: Figure().subplots()])
@pytest.mark.parametrize(
    ("make", "options"),
    [
        (lambda: WEIGHTS, {}),
        (lambda: result_of("barrier"), {"name": "valley"}),
        (lambda: result_of("bank"), {"name": "words", "run": "river"}),
    ],
)
def test_a_drawing_is_a_figure_and_a_tuple_of_its_axes_whatever_it_is_drawn_into(make, options, place):
    target = place()
    figure, axes = ha.plot(make(), ax=target, **options)
    assert type(figure) is Figure and type(axes) is tuple and {*axes} <= {*figure.axes}
    assert axes == (target,) if isinstance(target, Axes) else axes


def test_an_inset_and_a_subfigure_are_drawn_into():
    inset = Figure().subplots().inset_axes([0.5, 0.5, 0.4, 0.4])
    assert ha.plot(WEIGHTS, ax=inset) == (inset.figure, (inset,)) and texts_in(inset) == WRITTEN
    left, right = Figure(layout="constrained").subfigures(1, 2)
    whole, axes = ha.plot(recall(), ax=left)
    assert whole is left.get_figure(root=True) and axes and not right.axes


def test_a_legend_of_the_axes_lists_the_signs_of_the_figure():
    assert {"before", "after"} <= {*keys(panel("bank", "words", run="as written"))}


def test_the_automatic_title_is_the_headline_with_the_run():
    ax = panel("bank", "words", run="river", title="auto")
    assert says(ax, "cosine with muddy: .7 → .91") == []
    assert panel("bank", "words", run="river").get_title() == ""
    german = panel("bank", "words", run="river", lang="de", title="auto")
    assert "Kosinus" in german.get_title() and {"vorher", "danach"} <= {*keys(german)}
    whole = ha.plot(result_of("bank"), "attention", run="river", title="auto")
    assert whole.figure.get_suptitle() == result_of("bank").title


def test_a_word_alone_is_a_list_of_one_and_a_number_names_a_cue():
    bank = result_of("bank")
    one, other = (
        only(ha.plot(bank, "words", run="river", highlight=highlight, axes=plane))
        for highlight, plane in (("banks", "money,river"), (["banks"], ["money", "river"]))
    )
    assert texts_in(one) == texts_in(other) and (one.get_xlabel(), one.get_ylabel()) == ("money", "river")
    numbered, named = (ha.plot(recall(), "overlaps", query=query).axes[0] for query in (np.int64(3), "3"))
    assert texts_in(numbered) == texts_in(named) and numbered.get_title() == "cue: 3"


@pytest.mark.parametrize(
    ("size", "inches"), [((3.4, 2.4), (3.4, 2.4)), ("3.4x2.4", (3.4, 2.4)), ("4:3", (12.8, 9.6)), (None, (12.8, 7.2))]
)
def test_a_new_figure_has_the_size_that_is_asked_for(size, inches):
    assert ha.plot(WEIGHTS, size=size).figure.get_size_inches() == pytest.approx(inches)


def test_a_plane_has_one_unit_and_fills_axes_of_any_shape():
    figure, (wide, _) = pyplot.subplots(2, 1, figsize=(8, 5), layout="constrained")
    ha.plot(result_of("bank"), "words", ax=wide, run="river")
    across, up = np.ptp(wide.transData.transform([(0, 0), (1, 1)]), axis=0)
    assert wide.bbox.width > 5 * figure.dpi and across == pytest.approx(up)


def test_a_run_with_two_layers_goes_into_axes_of_ones_own():
    assert panel("induction", "induction", run="as written").texts


def test_the_favourite_is_named_by_the_scenario_or_the_gallery_or_is_the_first_that_fits():
    """`two-letters` has no figure of its own in the gallery: a recall of pictures is first of all a recall."""
    named = {"bank": "words", "self-attention": "qkv", "letters": "recall", "two-letters": "recall"}
    assert {name: favourite(result_of(name)).name for name in named} == named
    assert favourite(ha.run(ha.load("bank"), overrides={"figure.gallery": "strip"})).name == "strip"
    assert says(ha.plot(result_of("self-attention")).figure, "softmax") == []


def test_a_scenario_is_read_without_matplotlib():
    assert sorted(figure_names()) == sorted(FIGURES)
    code = "import sys, hopattn as ha; ha.load('bank'); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_figure_in_words_and_numbers_is_what_json_holds():
    sheet = gallery()["attention"].sheet(result_of("bank"))
    (first, *_) = sheet.to_dict()["panels"]
    assert np.array_equal(first["marks"][0]["values"], result_of("bank").arrays["layer 1 head 1 weights"].values)
