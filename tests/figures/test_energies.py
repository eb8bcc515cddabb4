"""Energies as data: over the plane, between two patterns, by step, and of spins by temperature."""

import numpy as np
import pytest

from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Curve, Nodes, Points, Surface, texts_of
from tests.runs import marks_of, result_of, sheet_of


def test_a_landscape_is_the_energy_above_its_lowest_with_the_path_of_each_cue():
    shown = sheet_of("landscape", "landscape")
    for panel, run in zip(shown.panels, result_of("landscape").runs, strict=True):
        ((surface,), paths), field = (
            (marks_of(panel, kind) for kind in (Surface, Curve)),
            run.arrays["landscape"].values,
        )
        assert surface.values == pytest.approx(field - field.min()) and surface.values.min() == 0
        for path, whole, steps in zip(paths, run.arrays["trajectory"].values, run.arrays["steps"].values, strict=True):
            assert np.array_equal(np.column_stack([path.x, path.y]), whole[: steps + 1])
    assert [panel.title for panel in shown.panels] == ["β = 12\n4 valleys", "β = 3\n2 valleys", "β = .8\none valley"]
    others = sheet_of("landscape", "log-sum-relu").panels
    assert [panel.title.split("\n")[1] for panel in others] == ["3 valleys", "one valley", "3 ends"]
    assert [panel.y for panel in shown.panels] == ["x2"] * 3 and shown.shared == "y"


def test_a_frame_between_two_steps_has_the_paths_up_to_there():
    frames = gallery()["landscape"].frames(result_of("landscape"))
    cues = result_of("landscape").runs[0].arrays["trajectory"].values
    assert len(frames) >= 12 and frames[0].notes[0] == "the cues" and not marks_of(frames[0].panels[0], Curve)
    (*_, there) = marks_of(frames[1].panels[0], Points)
    time = float(frames[1].notes[0].parts[0])
    assert there.at == pytest.approx(cues[:, 0] + time * (cues[:, 1] - cues[:, 0]))


@pytest.mark.parametrize("name", ["valley", "letters", "two-cycle", "modern"])
def test_a_ball_rolls_from_the_cue_to_the_end_and_its_energy_never_rises(name):
    frames, runs = gallery()["valley"].frames(result_of(name)), result_of(name).runs
    assert len(frames) >= 12 and texts_of(frames[-1].panels)[1:] == texts_of(sheet_of("valley", name).panels)[1:]
    for k, panel in enumerate(frames[0].panels):
        panels, run = [frame.panels[k] for frame in frames], runs[k]
        balls = [marks_of(panel, Nodes)[0].at for panel in panels]
        moving = [marks_of(panel, Points) for panel in panels]
        heights = [ball[0].at[0, 1] if ball else at[-1, 1] for ball, at in zip(moving, balls, strict=True)]
        size = np.ptp(marks_of(panel, Curve)[0].y)
        assert balls[0][0] == pytest.approx(run.arrays["balls"].values[0, :, 0])
        assert np.array_equal(balls[-1], marks_of(sheet_of("valley", name).panels[k], Nodes)[0].at)
        assert name == "two-cycle" or np.all(np.diff(heights) <= 0.02 * size)


def test_the_ball_of_a_cycle_runs_to_and_fro():
    frames, balls = gallery()["valley"].frames(result_of("two-cycle")), result_of("two-cycle").runs[0].arrays["balls"]
    first, second = balls.values[0, 0, :2]
    moving = {k: ball for k, frame in enumerate(frames) for ball in marks_of(frame.panels[0], Points)}
    times = np.array([*moving]) / 3  # at whole ones the ball may be the numbered one
    assert {*range(len(frames))} - {*moving} <= {3, 9, len(frames) - 1}
    places = [ball.at[0, 0] for ball in moving.values()]
    assert places == pytest.approx(first + (second - first) * (1 - abs(1 - times % 2)))


def test_barriers_are_shares_of_the_depth_of_the_first_pattern():
    (panel,) = sheet_of("valley", "barrier").panels
    for curve, run in zip(marks_of(panel, Curve), result_of("barrier").runs, strict=True):
        energy = run.arrays["between"].values
        assert curve.y == pytest.approx((energy - energy[0]) / abs(energy[0]))
    names = [*marks_of(panel, Points)[0].names, *marks_of(panel, Points)[-1].names]
    assert names == ["power n = 2: barrier .5", "n = 10: barrier 1"] and "as a share of its depth" in panel.y


def test_the_parts_of_an_energy_and_their_sum_are_curves_by_step():
    shown, arrays = sheet_of("course", "two-layers"), result_of("two-layers").runs[0].arrays
    (panel,), rows = shown.panels, arrays["energies"].values[0]
    total, *parts = marks_of(panel, Curve)
    names = [curve.name for curve in (total, *parts)]
    assert names == ["sum", "visible neurons", "hidden neurons", "synapses"] and total.colour == "ink"
    assert total.y == pytest.approx(rows.sum(axis=0)[total.x])
    assert all(np.array_equal(part.y, row[part.x]) for part, row in zip(parts, rows, strict=True))
    assert shown.title == "the parts trade energy; their sum only falls" and shown.notes[-1] == "1 of 2 runs"
    rises = sheet_of("course", "attends-itself")
    assert len(rises.panels) == 2 and rises.title == result_of("attends-itself").title, "its energy rises"


def test_a_few_cues_have_curves_and_many_a_median_with_a_band():
    panels = sheet_of("course", "letters").panels
    energy = result_of("letters").runs[1].arrays["energy"]
    for curve, name, row in zip(marks_of(panels[0], Curve), energy.labels[0], energy.values, strict=True):
        assert curve.name == name and np.array_equal(curve.y, row[curve.x])
    assert [panel.title for panel in panels] == ["ten letters\n1 of 3 recall", "ten letters, softmax\n2 of 3 recall"]
    assert "2 of 3 runs" in sheet_of("course", "letters").notes, "a run of one step shows nothing"
    (one,) = marks_of(sheet_of("course", "letters", query="torn X", run="ten letters").panels[0], Curve)
    assert np.array_equal(one.y, energy.values[energy.labels[0].index("torn X"), one.x])
    (middle,) = marks_of(sheet_of("course", "attraction").panels[0], Curve)
    energies = (
        result_of("attraction")
        .runs[int(sheet_of("course", "attraction").panels[0].title.startswith("50"))]
        .arrays["energy"]
        .values
    )
    assert middle.y == pytest.approx(np.median(energies, axis=0)[middle.x])
    assert f"median of {len(energies)} cues" in middle.key


def test_runs_have_one_axis_unless_one_would_be_flat_on_it():
    assert sheet_of("course", "letters").shared == "y"
    assert sheet_of("course", "superposed").shared == "", "with other features the energy is another one"


@pytest.mark.parametrize("scenario", ["ising-patterns", "magnetisation"])
def test_overlaps_by_temperature_are_exact_and_sampled(scenario):
    panel, arrays = sheet_of("course", scenario).panels[0], result_of(scenario).runs[0].arrays
    sampled = next(curve for curve in marks_of(panel, Curve) if curve.look == "points")
    assert np.array_equal(sampled.y, arrays["sampled"].values[:, 1])
    assert np.array_equal(sampled.error, arrays["half"].values[:, 1])
    exact = arrays["curve"].values[:, 1] if "curve" in arrays else arrays["overlaps"].values[:, 0]
    assert np.array_equal(next(curve for curve in marks_of(panel, Curve) if "exact" in curve.key).y, exact)
    (ring,) = [points for points in marks_of(panel, Points) if points.hollow][:1]
    assert np.array_equal(ring.at[:, 1], sampled.y)


def test_the_title_says_that_order_fades_where_it_does():
    shown = sheet_of("course", "magnetisation")
    sizes = result_of("magnetisation").runs[0].arrays["overlaps"].values[:, 0]
    assert shown.title.parts == (sizes.max(), sizes.min()) and np.all(np.diff(sizes) < 0)
    assert sheet_of("course", "ising-patterns").title == result_of("ising-patterns").title


def test_a_two_cycle_has_a_sign_and_a_reversed_end_a_tick():
    cycle, rest, *_ = sheet_of("valley", "two-cycle").panels
    assert "⇄" in [*marks_of(cycle, Nodes)[-1].texts] and "⇄" not in [*marks_of(rest, Nodes)[-1].texts]
    assert [*rest.x_ticks.values()] == ["H", "H reversed"] and [*cycle.x_ticks.values()] == ["H"]
