"""Names of points stand beside their own points, over nothing, in clouds at random and in shipped scenarios."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.gallery import plots
from hopattn.figures.labelled_points import Drawn, cut_to, keep_apart
from hopattn.figures.placing import HARD, Places, conflicts
from hopattn.figures.placing import chosen as chosen_places
from hopattn.figures.style import LEGIBLE, STYLES, scaled, styled
from hopattn.figures.text import ems
from hopattn.scenario.loading import parse
from tests.counts import count, spread
from tests.runs import result_of

SLIDE, SMALL = STYLES["slide"], STYLES["slide"].with_size(3.4, 2.4)
LONG = [
    *("the", "mariner", "wrote", "her", "historiographical", "reports", "of", "Donaudampfschifffahrtsgesellschaft"),
    *("captains", "understanding", "counter-revolutionary", "incomprehensibilities"),
]
TWELVE = f"""
schema = 1
title = "twelve long words"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["function", "person", "maritime navigation", "scholarly"]
magnitude = "free"
[vocabulary.words]
the = [1, 0, 0.1, 0]
mariner = [0, 0.8, 0.7, 0.1]
wrote = [0.4, 0.5, 0.2, 0.5]
her = [0.2, 0.9, 0.1, 0.1]
historiographical = [0.1, 0.3, 0.1, 0.9]
reports = [0.2, 0.6, 0.2, 0.7]
of = [0.9, 0.1, 0, 0.1]
Donaudampfschifffahrtsgesellschaft = [0.1, 0.2, 0.9, 0.2]
captains = [0.1, 0.7, 0.75, 0.2]
understanding = [0.3, 0.4, 0, 0.8]
counter-revolutionary = [0.1, 0.7, 0.1, 0.6]
incomprehensibilities = [0.3, 0.1, 0.2, 0.85]
[input]
tokens = {LONG}
[[layer]]
[[layer.head]]
mask = "none"
"""
SCENARIOS = ("offsets", "two-heads-sort", "messages", "head-scores", "bank-softmax", "induction-angles", "twelve")


def cloud(seed, style):
    """Axes with up to twelve long names at random points, each with an arrow to another; the first is the hero's."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 13))
    names = [str(name)[: rng.integers(3, 35)] for name in rng.permutation(LONG)[:n]]
    starts = rng.normal(size=(n, 2))
    ends = starts + 0.6 * rng.normal(size=(n, 2))
    every = np.concatenate([starts, ends])
    low, high = every.min(axis=0), every.max(axis=0)
    with styled(style):
        figure = Figure(figsize=style.size, dpi=style.dpi, layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.subplots()
        edge = 0.15 * (high - low)
        ax.set(xlim=(low[0] - edge[0], high[0] + edge[0]), ylim=(low[1] - edge[1], high[1] + edge[1]))
        ax.plot(*every.T, "o", ms=scaled(11), ls="none")
        for start, end in zip(starts, ends, strict=True):
            ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "lw": scaled(2)})
        figure.draw_without_rendering()
        paths = list(zip(starts, ends, strict=True))
        drawn = Drawn(dots=[*every], hero=paths[:1], arrows=paths[1:])
        keep_apart(ax, list(zip(names, starts, strict=True)), drawn, strong=names[:1])
        figure.draw_without_rendering()
    return ax, names


@cache
def figure_of(plot, scenario, style):
    result = ha.run(parse(TWELVE, "twelve.toml", "twelve")) if scenario == "twelve" else result_of(scenario)
    with styled(style):
        figure = Figure(figsize=style.size, dpi=style.dpi, layout="constrained")
        FigureCanvasAgg(figure)
        plots[plot]().draw(figure, chosen(result))
        figure.draw_without_rendering()
    return figure


def names_of(ax):
    """The names beside points: the texts that have a place relative to a point of the panel."""
    return [text for text in ax.texts if text.get_text() and hasattr(text, "xy")]


def box_of(text):
    return Text.get_window_extent(text).get_points()


def dots_of(ax):
    lines = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
    points = [ax.transData.transform(line.get_xydata()) for line in lines if line.get_transform() == ax.transData]
    return np.unique(np.round(np.concatenate(points), 1), axis=0)


def arrows_of(ax):
    """Samples of the shafts of the arrows, in pixels."""
    patches = [text.arrow_patch for text in ax.texts if not text.get_text() and text.arrow_patch is not None]
    curves = [patch.get_transform().transform_path(patch.get_path()).interpolated(1) for patch in patches]
    return [curve.to_polygons(closed_only=False)[0] for curve in curves]


def leader_of(ax, text):
    """Samples of the line from a name to its point; none if there is no line."""
    if text.arrow_patch is None:
        return None
    box, to = box_of(text), ax.transData.transform(text.xy)
    start = box[0] + np.array(text.arrowprops.get("relpos", (0.5, 0.5))) * (box[1] - box[0])
    return start + np.linspace(0, 1, 100)[:, None] * (to - start)


def inside(points, box, space=0.0):
    return bool(np.any(np.all((points > box[0] - space) & (points < box[1] + space), axis=1)))


def gap(box, points):
    return np.linalg.norm(np.clip(points, *box) - points, axis=-1)


def crossed(one, other):
    """Whether two straight lines, given by their samples, cross."""

    def side(line, point):
        return np.sign(np.linalg.det([line[-1] - line[0], point - line[0]]))

    return side(one, other[0]) * side(one, other[-1]) < 0 and side(other, one[0]) * side(other, one[-1]) < 0


def faults(ax):
    """The faults of the names of a panel, in words; a name may cover arrows of a panel that has many."""
    names, dots = names_of(ax), dots_of(ax)
    boxes, leaders = {name: box_of(name) for name in names}, {name: leader_of(ax, name) for name in names}
    arrows = arrows_of(ax) if len(arrows_of(ax)) <= 20 else []
    panel = ax.get_window_extent().get_points()
    found = []
    for name, box in boxes.items():
        own = ax.transData.transform(name.xy)
        others = dots[np.linalg.norm(dots - own, axis=1) > 1.0]
        if np.any(gap(box, dots) < 2):
            found.append(f"{name.get_text()} is over a dot")
        if leaders[name] is None and len(others) and gap(box, others).min() < gap(box, own):
            found.append(f"{name.get_text()} is nearer to another dot")
        found += [f"{name.get_text()} is over an arrow" for arrow in arrows if inside(arrow, box, -1.0)]
        if np.any(box[0] < panel[0] - 1) or np.any(box[1] > panel[1] + 1):
            found.append(f"{name.get_text()} is cut")
    for one, other in combinations(names, 2):
        both = f"{one.get_text()} and {other.get_text()}"
        if np.all(boxes[one][0] < boxes[other][1] - 1) and np.all(boxes[other][0] < boxes[one][1] - 1):
            found.append(f"{both} overlap")
        for name, line in ((one, leaders[other]), (other, leaders[one])):
            if line is not None and inside(line, boxes[name]):
                found.append(f"a line runs through {name.get_text()}")
        if leaders[one] is not None and leaders[other] is not None:
            ends = np.array([leaders[one][-1], leaders[other][-1]])
            radius = 6 * ax.figure.dpi / 72 * one.get_fontsize() / 16 + 1  # dots may be over one another
            free = [
                line[np.all(np.linalg.norm(line[:, None] - ends, axis=2) > radius, axis=1)]
                for line in (leaders[one], leaders[other])
            ]
            if all(len(line) > 1 for line in free) and crossed(*free):
                found.append(f"the lines of {both} cross")
    texts = [name.get_text() for name in names]
    return found + [f"{text} is there twice" for text in {*texts} if texts.count(text) > 1]


@pytest.mark.parametrize("style", [SLIDE, SMALL], ids=["slide", "small"])
def test_names_of_random_points_have_room_and_their_own_dots(style):
    for seed in range(count(60, 3)):
        ax, names = cloud(seed, style)
        assert faults(ax) == [], seed
        written = [text.get_text() for text in names_of(ax)]
        assert len(written) == len(names), seed
        assert all(any(name.startswith(text.rstrip("…")) for name in names) for text in written)
        assert all(text.get_fontsize() >= LEGIBLE * style.font / SLIDE.font - 1e-6 for text in names_of(ax))


@pytest.mark.quick(3)
@pytest.mark.parametrize("style", [SLIDE, SMALL], ids=["slide", "small"])
@pytest.mark.parametrize(("plot", "scenario"), [(p, s) for s in SCENARIOS for p in ("plane", "moved")])
def test_names_of_words_have_room_and_their_own_dots(plot, scenario, style):
    for ax in figure_of(plot, scenario, style).axes:
        assert faults(ax) == [], ax.get_title()


@pytest.mark.parametrize("scenario", ["bank", "apple", "two-bigs"])
def test_each_term_is_named_at_its_own_arrow(scenario):
    for ax in figure_of("added", scenario, SLIDE).axes:
        assert faults(ax) == []
        terms = [text for text in names_of(ax) if text.get_text().startswith("+ ")]
        assert sum(text.arrow_patch is not None for text in terms) <= 1  # of an arrow that ends near "after"


def test_every_word_of_bank_is_named_where_it_was():
    left, right = figure_of("moved", "bank", SLIDE).axes
    assert {text.get_text(): text.xy for text in names_of(left)} == {
        "banks": pytest.approx((0.7, 0.7)),
        "financial": pytest.approx((1, 0)),
        "markets": pytest.approx((0.8, 0)),
        "in": pytest.approx((0, 0)),
    }
    assert all(text.arrow_patch is None for ax in (left, right) for text in names_of(ax))


def test_words_that_part_are_named_where_they_arrive():
    ends = result_of("offsets").runs[3].arrays["layer 1 state"].values
    last = figure_of("moved", "offsets", SLIDE).axes[3]
    assert ends.shape[0] == 5 and len(names_of(last)) >= 4


def test_two_names_have_no_fault_wherever_two_of_their_places_have_none():
    """By all pairs of places."""

    def some(rng):
        points, low = rng.uniform(0, 60, (6, 2)), rng.uniform(0, 40, (6, 2))
        boxes = np.stack([low, np.add(low, (35, 30))], axis=1)
        leaders = np.stack([points, np.clip(points, boxes[:, 0], boxes[:, 1])], axis=1)
        leaders[rng.random(6) < 0.3] = np.nan
        return Places(points, boxes, leaders, rng.uniform(0, 50, 6))

    for seed in range(60):
        rng = np.random.default_rng(seed)
        one, other = some(rng), some(rng)
        faults = conflicts(one, other)
        np.testing.assert_array_equal(faults, conflicts(other, one).T)
        _, costs = chosen_places([one, other])
        assert (costs.max() < HARD) == (faults.min() == 0), seed


@given(st.text("abcm ₂", min_size=1, max_size=40), st.floats(0.5, 30))
def test_a_name_is_cut_to_its_room_and_keeps_its_index(text, room):
    cut = cut_to(text, room)
    assert cut == text if ems(text) <= room else "…" in cut
    assert ems(cut) <= room or len(cut.rstrip("₂").rstrip(" …")) <= 6


def test_of_several_names_whole_ones_are_kept():
    assert cut_to("big₁, big₂, big₃ …", 5) == "big₁, …"


def test_the_names_of_axes_are_cut_by_their_room():
    (ax,) = figure_of("plane", "twelve", SLIDE).axes
    assert {ax.get_xlabel(), ax.get_ylabel()} <= {"function", "person", "maritime navigation", "scholarly"}


@pytest.mark.quick(2)
@pytest.mark.parametrize("scenario", spread(["twelve", "bank", "messages"], 3))
def test_the_word_that_stands_out_is_not_just_the_first(scenario):
    result = ha.run(parse(TWELVE, "twelve.toml", "twelve")) if scenario == "twelve" else result_of(scenario)
    words = {
        text.get_text()
        for ax in figure_of("plane", scenario, SLIDE).axes
        for text in ax.texts
        if text.get_weight() == "bold"
    }
    assert len(words) == 1
    assert words != {result.runs[0].arrays["input"].labels[0][0]}
