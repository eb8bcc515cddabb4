"""Energies as data: over the plane, between two patterns, by step, and of spins by temperature."""

import numpy as np
import pytest

from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Bars, Curve, Points, Surface
from tests.runs import result_of


def sheet(figure, scenario, **options):
    return gallery()[figure].sheet(result_of(scenario), options)


def marks(panel, kind):
    return [mark for mark in panel.marks if isinstance(mark, kind)]


def test_a_landscape_is_the_energy_above_its_lowest_with_the_path_of_each_cue():
    shown = sheet("landscape", "landscape")
    for panel, run in zip(shown.panels, result_of("landscape").runs, strict=True):
        ((surface,), paths), field = (marks(panel, kind) for kind in (Surface, Curve)), run.arrays["landscape"].values
        assert surface.values == pytest.approx(field - field.min()) and surface.values.min() == 0
        for path, whole, steps in zip(paths, run.arrays["trajectory"].values, run.arrays["steps"].values, strict=True):
            assert np.array_equal(np.column_stack([path.x, path.y]), whole[: steps + 1])
    assert [panel.title for panel in shown.panels] == ["β = 12\n4 ends", "β = 3\n2 ends", "β = .8\none end"]
    still = sheet("landscape", "log-sum-relu").panels
    assert [panel.title.split("\n")[1] for panel in still] == ["2 ends, 1 cue stays", "one end", "one end, 2 cues stay"]
    assert [panel.y for panel in shown.panels] == ["x2"] * 3 and shown.shared == "y"


def test_a_frame_between_two_steps_has_the_paths_up_to_there():
    frames = gallery()["landscape"].frames(result_of("landscape"))
    cues = result_of("landscape").runs[0].arrays["trajectory"].values
    assert len(frames) >= 12 and frames[0].notes[0] == "the cues" and not marks(frames[0].panels[0], Curve)
    (*_, there) = marks(frames[1].panels[0], Points)
    time = float(frames[1].notes[0].parts[0])
    assert there.at == pytest.approx(cues[:, 0] + time * (cues[:, 1] - cues[:, 0]))


def test_barriers_are_shares_of_the_depth_of_the_first_pattern():
    (panel,) = sheet("between", "barrier").panels
    for curve, run in zip(marks(panel, Curve), result_of("barrier").runs, strict=True):
        energy = run.arrays["between"].values
        assert curve.y == pytest.approx((energy - energy[0]) / abs(energy[0]))
    names = [*marks(panel, Points)[0].names, *marks(panel, Points)[-1].names]
    assert names == ["n = 10: barrier 1", "power n = 2: barrier .5"] and "as a share of its depth" in panel.y


def test_the_parts_of_an_energy_and_their_sum_are_curves_by_step():
    for panel, run in zip(sheet("course", "two-layers").panels, result_of("two-layers").runs, strict=True):
        total, *parts = marks(panel, Curve)
        rows, names = run.arrays["energies"].values[0], run.arrays["energies"].labels[1]
        assert total.y == pytest.approx(rows.sum(axis=0)[total.x]) and marks(panel, Points)[0].names == ["sum"]
        for part, name in zip(parts, [one.names[0] for one in marks(panel, Points)][1:], strict=True):
            assert np.array_equal(part.y, rows[names.index(name), part.x])
            assert (name == "visible") == (part.colour == 0), "a part has one colour in all runs"
    assert sheet("course", "attends-itself").title == result_of("attends-itself").title, "its energy rises"
    assert sheet("course", "two-layers").title == "the parts trade energy; their sum only falls"


def test_a_few_cues_have_curves_and_many_a_median_with_a_band():
    panels = sheet("course", "letters").panels
    energy = result_of("letters").runs[1].arrays["energy"]
    for curve, name, row in zip(marks(panels[0], Curve), energy.labels[0], energy.values, strict=True):
        assert curve.name == name and np.array_equal(curve.y, row[curve.x])
    assert [panel.title for panel in panels] == ["ten letters\n1 of 3 recall", "ten letters, softmax\n2 of 3 recall"]
    assert "2 of 3 runs" in sheet("course", "letters").notes, "a run of one step shows nothing"
    (one,) = marks(sheet("course", "letters", query="torn X", run="ten letters").panels[0], Curve)
    assert np.array_equal(one.y, energy.values[energy.labels[0].index("torn X"), one.x])
    (middle,) = marks(sheet("course", "attraction").panels[0], Curve)
    energies = (
        result_of("attraction")
        .runs[int(sheet("course", "attraction").panels[0].title.startswith("load .1"))]
        .arrays["energy"]
        .values
    )
    assert middle.y == pytest.approx(np.median(energies, axis=0)[middle.x])
    assert f"median of {len(energies)} cues" in middle.key


def test_runs_have_one_axis_unless_one_would_be_flat_on_it():
    assert sheet("course", "letters").shared == "y"
    assert sheet("course", "metastable").shared == "y", "a run whose energy hardly changes needs no axis of its own"


@pytest.mark.parametrize(("scenario", "kind"), [("ising-patterns", Bars), ("magnetisation", Curve)])
def test_overlaps_by_temperature_are_exact_and_sampled(scenario, kind):
    panel, arrays = sheet("course", scenario).panels[0], result_of(scenario).runs[0].arrays
    (sampled, *_), exact = [curve for curve in marks(panel, Curve) if curve.look == "points"], arrays["overlaps"].values
    assert np.array_equal(sampled.y, arrays["sampled"].values[:, 1])
    assert np.array_equal(sampled.error, 2 * arrays["errors"].values[:, 1])
    first = next(mark for mark in marks(panel, kind) if "exact" in mark.key)
    assert (
        first.values == pytest.approx(exact[:, 0])
        if kind is Bars
        else np.array_equal(first.y, arrays["curve"].values[:, 1])
    )


@pytest.mark.parametrize(
    ("figure", "scenario", "reason"),
    [
        ("landscape", "letters", "no memory of two neurons"),
        ("between", "letters", "no energies between two patterns"),
        ("course", "bank", "no energy by step"),
        ("course", "depth", "no energy by step"),
        ("course", "weight-matrix", "take one step"),
        ("course", "capacity", "try `hopattn sweep capacity`"),
        ("course", "crosstalk", "try the figure 'crosstalk'"),
        ("course", "bam", "try the figure 'recall'"),
    ],
)
def test_other_scenarios_are_refused_with_a_reason(figure, scenario, reason):
    assert reason in gallery()[figure].lacks(result_of(scenario))
