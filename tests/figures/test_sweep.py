"""The figures of sweeps draw the means and their intervals, on the scales of their axes."""

import numpy as np
import pytest

from hopattn.experiments.sweep.table import Sweep
from hopattn.figures.style import SIZE
from hopattn.figures.sweep import draw_sweep
from hopattn.foundation.errors import InvalidInput
from hopattn.views.sweep_files import require_writable, write_sweep
from tests.figures.finished import finished

LOADS, BETAS = (0.1, 0.2, 0.3), (0.1, 1.0, 10.0, 100.0)


def random_sweep(axes, names=("overlap",), trials=3):
    rng = np.random.default_rng(0)
    shape = tuple(map(len, axes.values()))
    return Sweep(axes, trials, {name: rng.normal(size=(*shape, trials)) for name in names})


def figure_of(sweep, title="t"):
    return finished(lambda figure: draw_sweep(figure, sweep, title))


def test_over_one_axis_the_mean_is_a_curve_in_its_interval():
    sweep = random_sweep({"load": LOADS})
    (ax,) = figure_of(sweep).axes
    assert np.allclose(ax.lines[0].get_xydata(), np.column_stack([LOADS, sweep.mean("overlap")]))
    band = ax.collections[0].get_paths()[0].vertices
    for x, mean, error in zip(LOADS, sweep.mean("overlap"), sweep.error("overlap"), strict=True):
        heights = band[np.isclose(band[:, 0], x), 1]
        assert heights.min() == pytest.approx(mean - error) and heights.max() == pytest.approx(mean + error)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("load", "overlap", "linear")


def test_an_axis_has_the_last_key_of_its_path_as_its_title():
    (ax, _) = figure_of(random_sweep({"layer.head.beta": BETAS, 'cue."half of R".flip': BETAS})).axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("beta", "flip")


@pytest.mark.parametrize("axes", [{"beta": BETAS, "load": LOADS}, {"load": LOADS, "beta": BETAS}])
def test_a_few_numbers_of_one_axis_are_curves_with_a_legend(axes):
    sweep = random_sweep(axes)
    (ax,) = figure_of(sweep).axes
    mean = sweep.mean("overlap") if next(iter(axes)) == "beta" else sweep.mean("overlap").T
    assert np.allclose([line.get_ydata() for line in ax.lines], mean.T)
    assert all(np.array_equal(line.get_xdata(), BETAS) for line in ax.lines)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [f"load = {load:g}" for load in LOADS]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("beta", "overlap", "log")
    assert len({(line.get_color(), line.get_marker(), line.get_linestyle()) for line in ax.lines}) == 3


@pytest.mark.parametrize(
    ("name", "rows", "low", "high"),
    [
        ("recalled", [[0.9, 1.0, 1.0], [0.0, 0.1, 0.0]], 0, 1),
        ("mine", [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]], 0, 1),  # 0 or 1 in each trial: a share
        ("overlaps[1]", [[-1.0, -0.2, -1.0], [1.0, 0.9, 1.0]], -1, 1),
        ("steps", [[1.0, 2.0, 9.0], [1.0, 1.0, 2.0]], 0, np.inf),
        ("recalled", [[5.0, 5.0, 9.0], [1.0, 2.0, 3.0]], -np.inf, np.inf),  # a number, not a share
    ],
)
def test_an_interval_and_its_axis_stay_within_what_a_measure_can_be(name, rows, low, high):
    sweep = Sweep({"load": (0.0, 0.1)}, 3, {name: np.array(rows)})
    (ax,) = figure_of(sweep).axes
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert low <= ax.get_ylim()[0] and ax.get_ylim()[1] <= high and ax.get_xlim()[0] == 0
    mean, error = sweep.mean(name), sweep.error(name)
    assert band.min() == pytest.approx(max(low, (mean - error).min()))
    assert band.max() == pytest.approx(min(high, (mean + error).max()))
    assert (mean - error).min() < low or (mean + error).max() > high or np.isinf(low)  # the interval itself goes beyond


def test_over_two_axes_the_mean_is_a_map():
    sweep = random_sweep({"load": (*LOADS, 0.4), "beta": BETAS})
    ax, _ = figure_of(sweep).axes
    assert np.array_equal(ax.collections[0].get_array(), sweep.mean("overlap").T)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("load", "beta")
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")
    corners = ax.collections[0].get_coordinates()
    assert np.allclose(corners[0, :, 0], [0.05, 0.15, 0.25, 0.35, 0.45])
    assert np.allclose(corners[:, 0, 1], 10.0 ** np.arange(-1.5, 3))


@pytest.mark.parametrize("axes", [{"x": (1,)}, {"x": (1, 2), "y": (5,)}])
@pytest.mark.parametrize("names", [("$a_1$",), ("a", "b"), ("a" * 90, "b c" * 30, "c", "d", "e")])
def test_any_names_and_sizes_are_drawn(axes, names):
    figure = figure_of(random_sweep(axes, names, trials=1), "t" * 300)
    panels = [ax for ax in figure.axes if ax.axison and ax.get_xlabel() == "x"]
    assert len(panels) == min(len(names), 4)
    box = figure.get_tightbbox()
    assert box.x0 >= -0.05 and box.y0 >= -0.05 and box.x1 <= SIZE[0] + 0.05 and box.y1 <= SIZE[1] + 0.05


def test_the_maps_of_four_measures_fit_into_the_figure():
    box = figure_of(random_sweep({"x": (1, 2, 3, 4), "y": (5, 6, 7, 8)}, "abcd")).get_tightbbox()
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= SIZE[0] and box.y1 <= SIZE[1]


def test_an_unfinished_sweep_is_drawn_as_far_as_it_is_known():
    for axes in ({"x": (1, 2)}, {"x": (1, 2), "y": (1, 2)}, {"x": (1, 2, 3, 4), "y": (1, 2, 3, 4)}):
        sweep = random_sweep(axes)
        values = sweep.values["overlap"].copy()
        values[0] = np.nan
        figure_of(Sweep(axes, 3, {"overlap": values}))
        figure_of(Sweep(axes, 3, {"overlap": np.full_like(values, np.nan)}))


def test_three_axes_are_not_drawn(tmp_path):
    with pytest.raises(InvalidInput, match="the sweep has 3: hold some of them"):
        write_sweep(random_sweep({"x": (1,), "y": (1,), "z": (1,)}), tmp_path / "a.svg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["svg", "pdf", "png", "csv", "npz", "json"])
def test_a_table_is_written_in_the_format_of_its_ending_with_the_same_bytes_twice(tmp_path, ending):
    sweep = random_sweep({"load": LOADS, "beta": BETAS})
    for name in ("a", "b"):
        write_sweep(sweep, tmp_path / f"{name}.{ending}", "title")
    one, other = (tmp_path / f"{name}.{ending}" for name in ("a", "b"))
    assert one.read_bytes() == other.read_bytes()
    starts = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG", "csv": b"load,beta", "npz": b"PK", "json": b"{"}
    assert one.read_bytes().startswith(starts[ending])


def test_another_ending_is_refused_before_any_work(tmp_path):
    with pytest.raises(InvalidInput, match=r"cannot tell what to write; expected a name that ends in \.csv"):
        require_writable([tmp_path / "a.csv", tmp_path / "a.txt"])
