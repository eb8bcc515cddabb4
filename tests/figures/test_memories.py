"""The figures of memories draw the data of the result, for any names, without a warning."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.text import Text

import hopattn as ha
from hopattn.figures.gallery import plots
from hopattn.figures.gallery.separations import OTHERS, SCORES
from hopattn.figures.gallery.states import BASINS, FIRST, _places, basins_of
from hopattn.figures.palette import LIGHT
from hopattn.figures.style import DPI, LEGIBLE, SIZE, styled
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import parse
from tests.counts import spread
from tests.figures.finished import drawn
from tests.runs import drawing_of, result_of

MEMORIES = ("recall", "landscape", "states", "separations", "animation")
ODD = ("$x_1$", "<script>", "[no]", "ψυχή", "x" * 60)


def figure_of(name, result):
    return drawn(lambda figure: plots[name]().draw(figure, result))


def shown(name, scenario):
    return drawing_of(name, scenario).figure


def texts(figure):
    """Every text in a figure that is not empty."""
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


@pytest.mark.parametrize("name", MEMORIES)
def test_the_gallery_scenario_is_drawn_without_a_warning(name, results):
    result = results[plots[name].scenario]
    assert plots[name].scenario in shipped()
    assert plots[name]().lacks(result) == ""
    assert shown(name, plots[name].scenario).axes


@pytest.mark.parametrize("name", MEMORIES)
def test_a_result_without_a_memory_has_a_reason(name, results):
    assert plots[name]().lacks(results["practice-7-2"]).startswith("it ")


def test_the_landscape_is_the_memory_s_own_energy(results):
    for run, beta in zip(results["landscape"].runs, (12.0, 3.0, 0.8), strict=True):
        field, patterns = run.arrays["landscape"], run.arrays["patterns"].values
        across, up = (np.array([float(place) for place in places]) for places in reversed(field.labels))
        x = np.stack(np.meshgrid(across, up), axis=-1)
        expected = 0.5 * np.sum(x * x, axis=-1) - np.log(np.exp(beta * x @ patterns.T).sum(axis=-1)) / beta
        assert field.values == pytest.approx(expected)


def test_the_landscape_has_the_path_of_every_cue(results):
    figure = shown("landscape", "landscape")
    panels = figure.axes[:-1]
    for ax, run in zip(panels, results["landscape"].runs, strict=True):
        lines = [line.get_xydata() for line in ax.lines]
        for path in run.arrays["trajectory"].values:
            assert any(np.array_equal(line, path) for line in lines)
        assert any(np.array_equal(line, run.arrays["patterns"].values) for line in lines)
    assert [ax.get_title() for ax in panels] == [
        "β = 12\n5 cues, 4 ends",
        "β = 3\n5 cues, 2 ends",
        "β = .8\n5 cues, 1 end",
    ]


def test_the_panels_of_a_landscape_have_one_scale_that_is_reported():
    figure = shown("landscape", "landscape")
    *panels, bar = figure.axes
    levels = [next(part for part in ax.collections if isinstance(part, ContourSet)).levels for ax in panels]
    assert all(np.array_equal(one, levels[0]) for one in levels)
    assert levels[0][0] == 0, "each panel from its own lowest energy"
    assert bar.get_xlabel() == "energy above the lowest of each panel; higher than .46: no colour"


def test_a_ring_stands_around_the_star_that_a_cue_ends_at():
    ax = shown("landscape", "landscape").axes[0]
    (star,) = [line for line in ax.lines if line.get_marker() == "*"]
    rings = [line for line in ax.lines if line.get_marker() == "o" and line.get_markersize() > star.get_markersize()]
    assert len(rings) == 2 * 5, "each ring has an outline"
    assert {ring.get_markerfacecolor() for ring in rings} == {"none"}, "the last steps are seen"
    assert all(ring.get_zorder() < star.get_zorder() for ring in rings)


def test_a_single_landscape_fits_into_axes_of_the_user(results):
    ax = Figure().add_subplot()
    ha.plot(results["landscape"], "landscape", ax=ax, run="flat")
    assert ax.get_xlabel() == "x1"
    with pytest.raises(InvalidInput, match="there are 3 runs: choose one with run"):
        ha.plot(results["landscape"], "landscape", ax=ax)


def test_the_frames_of_a_landscape_follow_the_cues(results):
    run = results["landscape"].runs[1]
    draws = plots["landscape"]().frames(replace(results["landscape"], runs=(run,)))
    assert len(draws) >= 12
    for draw, steps in ((draws[0], 0), (draws[-1], 53)):
        lines = [line.get_xydata() for line in drawn(draw).axes[0].lines]
        assert any(np.array_equal(line, run.arrays["trajectory"].values[0][: steps + 1]) for line in lines)


@pytest.mark.parametrize("variant", [0, 1])
def test_the_successor_is_the_state_after_one_step(variant, results):
    run = results["basins"].runs[variant]
    memory = ha.memories.hopfield(run.arrays["patterns"].values)
    update = (ha.Asynchronous(order="sequence"), "sync")[variant]
    signs = run.arrays["successor"].labels[0]
    states = np.array([[1.0 if sign == "+" else -1.0 for sign in state] for state in signs])
    after = memory.recall(states, update=update, max_steps=1).state
    assert np.array_equal(states[run.arrays["successor"].values], after)


def test_every_member_of_a_basin_ends_in_its_middle():
    leads = np.random.default_rng(0).integers(64, size=64)
    basins = basins_of(leads)
    assert sorted(state for _, members in basins for state in members) == [*range(64)]
    for middle, members in basins:
        assert sorted(leads[middle]) == sorted(middle)
        ends = np.array(members)
        for _ in range(64):
            ends = leads[ends]
        assert set(ends) <= set(middle)


@pytest.mark.parametrize("variant", [0, 1])
def test_each_state_is_drawn_once_with_an_arrow_to_the_next(variant, results):
    run = results["basins"].runs[variant]
    leads = run.arrays["successor"].values
    figure = figure_of("states", replace(results["basins"], runs=(run,)))
    shown = basins_of(leads)[:BASINS]
    markers = sum(len(line.get_xdata()) for ax in figure.axes for line in ax.lines)
    arrows = sum(getattr(text, "arrow_patch", None) is not None for ax in figure.axes for text in ax.texts)
    assert markers == sum(len(members) for _, members in shown)
    assert arrows == sum(int(leads[state]) != state for _, members in shown for state in members)


def test_no_mark_of_a_state_is_cut():
    for ax in drawing_of("states", "basins").figure.axes:
        assert all(not line.get_clip_on() for line in ax.lines if line.get_marker() != "None")


def test_the_ring_of_a_state_is_its_distance_from_the_middle(results):
    run = results["basins"].runs[0]
    signs = run.arrays["successor"].labels[0]
    for middle, members in basins_of(run.arrays["successor"].values):
        for state, place in _places(run, (middle, members)).items():
            distance = sum(one != other for one, other in zip(signs[state], signs[middle[0]], strict=True))
            assert np.hypot(*place) == pytest.approx(distance + FIRST if distance else 0)


def test_a_pattern_stands_beside_its_reverse_in_one_colour_and_basins_have_one_scale():
    figure = shown("states", "basins")
    axes = figure.axes
    assert [ax.get_title() for ax in axes] == [
        "halves\n16 states: +++−−−",
        "halves reversed\n16 states: −−−+++",
        "stripes\n16 states: +−+−+−",
        "stripes reversed\n16 states: −+−+−+",
    ]
    assert len({(ax.get_xlim(), ax.bbox.size.round(3).tobytes()) for ax in axes}) == 1
    note = figure.get_supxlabel()
    assert "hollow: its reverse" in note and "grey" not in note and "grey: neither" in written_below("barrier")
    looks = [(ax.lines[0].get_markeredgecolor(), ax.lines[0].get_markerfacecolor()) for ax in axes]
    assert looks[0][0] == looks[1][0] != looks[2][0] == looks[3][0]
    assert looks[0][0] == looks[0][1] and looks[1][1] == LIGHT.paper


def written_below(scenario):
    """The note below the basins of a scenario."""
    return shown("states", scenario).get_supxlabel()


def test_each_state_of_two_basins_has_its_spins():
    text = """schema = 1
title = "one pattern"
source = "ours"
kind = "memory"
[vocabulary]
axes = ["1", "2", "3", "4"]
magnitude = "free"
[vocabulary.words]
own = [1, -1, -1, -1]
[memory]
patterns = ["own"]
model = "hopfield"
[memory.update]
name = "async"
order = "sequence"
[input]
tokens = ["own"]
"""
    axes = figure_of("states", ha.run(parse(text, "one.toml", "one"))).axes
    spins = [text for ax in axes for text in ax.texts if text.get_text() and set(text.get_text()) <= {"+", "−"}]
    assert len(axes) == 2 and len(spins) == 16 - 2
    assert min(text.get_fontsize() for text in spins) >= LEGIBLE


def test_the_states_of_many_neurons_are_lines():
    figure = shown("states", "hopfield-beside-attention")
    leads = result_of("hopfield-beside-attention").runs[0].arrays["successor"].values
    lines = [part for ax in figure.axes for part in ax.collections if isinstance(part, LineCollection)]
    counts = [sum(int(leads[state]) != state for state in members) for _, members in basins_of(leads)[:BASINS]]
    assert [len(part.get_segments()) for part in lines] == counts
    assert any("more basins hold" in text for text in texts(figure))


def test_each_separation_is_drawn_with_softmax_behind_it(results):
    figure = shown("separations", "sparse")
    axes = {ax.get_title().replace("\n", " "): ax for ax in figure.axes if ax.get_title()}
    assert set(axes) == {name.replace("_", " ") for name in ha.separations}
    scores = np.column_stack([SCORES, np.broadcast_to(OTHERS, (len(SCORES), 2))])
    soft = ha.separations["softmax"]().weights(scores)[:, 0]
    own = ha.separations["entmax"](alpha=2.0)
    for name, weights in {"softmax": soft, "entmax": own.weights(scores)[:, 0]}.items():
        assert np.array_equal(axes[name].lines[-1].get_ydata(), weights)
    for name, ax in axes.items():
        assert name == "softmax" or any(np.array_equal(line.get_ydata(), soft) for line in ax.lines)
    assert axes["entmax"].spines["top"].get_linewidth() > 3
    assert axes["entmax"].texts[0].get_text() == "α = 2"
    assert axes["power"].texts[0].get_text() == "score², n = 3"
    assert any("the separation of this memory, the same as sparsemax" in text for text in texts(figure))
    assert "shares stay between 0 and 1; other weights may grow without limit" in texts(figure)


def test_shares_and_other_weights_have_rows_of_their_own():
    figure = shown("separations", "sparse")
    rows = {}
    for ax in figure.axes:
        if title := "_".join(ax.get_title().split()):
            rows.setdefault(ax.get_subplotspec().rowspan.start, []).append(title)
    scores = np.abs(np.random.default_rng(1).normal(size=(20, 5)))
    for row, names in rows.items():
        parameters = {"power": {"n": 3}, "rectified_power": {"n": 3}, "k_subsets": {"k": 2}}
        sums = [ha.separations[name](**parameters.get(name, {})).weights(scores).sum(axis=1) for name in names]
        assert all(np.allclose(one, 1) == (row == 0) for one in sums)


def oddly_named(kind, axes, patterns):
    """A result of a memory whose words have odd names."""
    words = "\n".join(f"'{name}' = {row}" for name, row in zip(ODD, patterns, strict=True))
    text = f"""schema = 1
title = "$a$ <b>"
source = "ours"
kind = "memory"
[vocabulary]
axes = {axes}
magnitude = "free"
[vocabulary.words]
{words}
[memory]
patterns = {list(ODD)}
{kind}
[input]
tokens = {list(ODD)}
"""
    return ha.run(parse(text, "odd.toml", "odd"))


def test_odd_names_break_no_plane():
    result = oddly_named("beta = 8", ["$x_1$", "x" * 60], [[1, 0], [0, 1], [-1, 0], [0, -1], [0.5, 0.5]])
    figure = figure_of("landscape", result)
    assert {"$x_1$", "<script>", "[no]", "ψυχή", "x" * 13 + "…"} <= set(texts(figure))
    assert figure_of("separations", result).axes


def test_odd_names_break_no_graph():
    rows = [[1, -1, -1, -1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1], [1, 1, 1, 1]]
    result = oddly_named('activation = "sign"', ["1", "2", "3", "4"], rows)
    assert any(text.startswith("$x_1$") for text in texts(figure_of("states", result)))


def test_odd_names_break_no_strip():
    pictures = "\n".join(f"'{name}' = ['#.', '{'#' * (i % 2)}{'.' * (2 - i % 2)}']" for i, name in enumerate(ODD))
    text = f"""schema = 1
title = "$a$ <b>"
source = "ours"
kind = "memory"
[pictures.drawn]
{pictures}
[memory]
patterns = {list(ODD)}
[input]
tokens = {list(ODD)}
"""
    result = ha.run(parse(text, "odd.toml", "odd"))
    assert "● $x_1$" in texts(figure_of("recall", result))
    assert figure_of("animation", result).axes


@pytest.mark.quick(0)
@pytest.mark.parametrize("name", spread(["recall", "landscape", "states", "separations"], 2))
def test_a_long_title_stays_within_the_figure(name, results):
    result = replace(results[plots[name].scenario], title="of many words " * 12)
    figure = figure_of(name, result)
    with styled():
        box = figure._suptitle.get_window_extent(FigureCanvasAgg(figure).get_renderer())
    assert box.x0 >= 0
    assert box.x1 <= SIZE[0] * DPI
    assert all(ax.get_window_extent().y1 <= box.y0 for ax in figure.axes)


def test_a_memory_without_a_finite_landscape_or_a_fixed_successor_has_no_such_figure():
    unit = oddly_named('activation = "unit"', ["1", "2"], [[1, 0], [0, 1], [-1, 0], [0, -1], [0.6, 0.8]])
    assert plots["landscape"]().lacks(unit)  # its energy is infinite outside the circle
    random_update = 'activation = "sign"\nupdate = { name = "glauber", temperature = 1 }'
    rows = [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1], [1, -1, -1, -1]]
    assert plots["states"]().lacks(oddly_named(random_update, ["1", "2", "3", "4"], rows))


def test_an_animation_names_curves_that_lie_on_each_other_together_and_its_still_has_the_cue():
    """V and S have the same number of pixels in common with half of R, and so overlap with it alike."""
    cue, end, _, overlaps = drawing_of("animation", "graded").figure.axes
    assert [text.get_text() for text in overlaps.texts] == ["R", "V, S"]
    assert (cue.get_title(), end.get_title()) == ("the cue:\nhalf of R", "step 114")
    assert end.get_xlabel() == "recalls R"


def test_a_few_cues_are_named_at_the_ends_of_their_lines():
    for ax in drawing_of("energies", "dense").figure.axes:
        assert {text.get_text() for text in ax.texts} == {"torn K", "half of M"}


def test_the_pictures_of_a_recall_share_one_scale():
    """The step doubles the cue, which is then half as black."""
    axes = drawing_of("recall", "two-letters").figure.axes
    scales = [ax.images[0].get_clim() for ax in axes if ax.get_xlabel() in ("cue", "from step 1")]
    assert scales == [(-2, 2)] * 2
