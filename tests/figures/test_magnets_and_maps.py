"""The figures of walks and of spins: other worlds, odd names, and what they draw agrees with the arrays."""

import matplotlib.collections
import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.gallery.magnetisation import Magnetisation
from hopattn.figures.gallery.maps import Maps
from hopattn.figures.gallery.walk import Walk
from hopattn.scenario.loading import parse
from tests.counts import but
from tests.figures.finished import finished
from tests.runs import drawing_of, result_of

HEAD = 'schema = 1\ntitle = "$x_1$ [no] <script>"\nsource = "ours"\n'
WALK = HEAD + 'kind = "walk"\n[walk]\nsteps = 60\n'
LONG = "Ω" * 40
WORLDS = {
    "line": WALK + 'world = "line"\nsize = [6]\nnoises = [5]\n',
    "ring": WALK + 'world = "torus"\nsize = [9]\n',
    "grid": WALK + 'world = "grid"\nsize = [2, 30]\nnoises = [0, 1, 180]\nnoise = 50\n',
    "large": WALK + 'world = "torus"\nsize = [32, 32]\n',
    "graph": WALK
    + "angles = { go = [90, 30, 1, 1, 1], over = [0, 0, 0, 0, 180] }\n[walk.graph]\n"
    + f'edges = [["$x$", "go", "{LONG}"], ["{LONG}", "over", "[no]"]]\ninverse = {{ go = "back", over = "over" }}\n',
}
SPINS = HEAD + 'kind = "ising"\n[ising]\n'
MAGNETS = {
    "one temperature": SPINS + "couplings = [[0]]\ntemperatures = [1e-3]\nsweeps = 3\n",
    "many patterns": SPINS
    + f"patterns = [{', '.join(str(row) for row in np.random.default_rng(0).choice([-1, 1], (9, 8)).tolist())}]\n"
    + "temperatures = [5, 1, 1, 0.5]\nsweeps = 5\n",
    "large": SPINS + "curie_weiss = 50000\ntemperatures = [0.9, 1.1]\n",
    "variants": SPINS
    + "curie_weiss = 8\ntemperatures = [1, 2]\n"
    + f'[[variant]]\nname = "{LONG}"\nset = {{ curie_weiss = 9 }}\n',
}


@pytest.mark.parametrize("plot", [Walk, Maps])
@pytest.mark.parametrize("world", but(WORLDS, "large"))
def test_any_world_is_drawn(plot, world):
    result = ha.run(parse(WORLDS[world], "odd.toml", "odd"))
    assert plot().lacks(result) == ""
    figure = finished(lambda figure: plot().draw(figure, result))
    written = [text.get_text() for text in figure.findobj(lambda part: hasattr(part, "get_text"))]
    assert not any("Ω" * 20 in text for text in written)


@pytest.mark.parametrize("magnet", MAGNETS)
def test_any_magnet_is_drawn(magnet):
    result = ha.run(parse(MAGNETS[magnet], "odd.toml", "odd"))
    finished(lambda figure: Magnetisation().draw(figure, result))


def test_each_link_of_the_walk_is_drawn_once():
    """Of 200 links some stay unwalked; a link over the edge of the torus has two stubs."""
    figure = drawing_of("walk", "torus-walk").figure
    lines = figure.findobj(matplotlib.collections.LineCollection)
    ends = [np.array(segment) for collection in lines for segment in collection.get_segments()]
    lengths = np.array([np.abs(end[1] - end[0]).sum() for end in ends])
    assert np.isclose(lengths, 1).sum() == 180 and (lengths < 1).sum() == 2 * 20
    run = result_of("torus-walk").runs[0]
    unwalked, first, right, wrong = (len(collection.get_segments()) for collection in lines)
    assert wrong == 0 and unwalked + first + right == 220
    assert first >= int(run.arrays["first visits"].values) and right >= int(run.arrays["new edges"].values)


def test_the_legend_of_the_walk_names_what_is_drawn():
    """All is right on the torus; with noise some new edges are wrong."""
    noisy = ha.run(parse(WALK + 'world = "torus"\nsize = [4, 5]\nnoise = 40\n', "odd.toml", "odd"))
    for figure, wrong in (
        (drawing_of("walk", "torus-walk").figure, False),
        (finished(lambda figure: Walk().draw(figure, noisy)), True),
    ):
        assert any("wrong" in text for text in texts(figure)) == wrong
    assert any("without noise" in text for text in texts(finished(lambda figure: Maps().draw(figure, noisy))))


def texts(figure):
    return [text.get_text() for text in figure.findobj(lambda part: hasattr(part, "get_text"))]


def test_the_curve_of_the_mean_field_falls_to_0_at_1():
    curve = result_of("magnetisation").runs[0].arrays["curve"]
    column = dict(zip(curve.labels[0], curve.values[:, 0], strict=True))
    assert column["1"] == 0 and 0.03 < column["0.9995"] < 0.04  # √(3 × .0005) = .039


def test_the_points_of_the_magnetisation_are_the_samples():
    figure = drawing_of("magnetisation", "magnetisation").figure
    run = result_of("magnetisation").runs[0]
    drawn = [line.get_ydata() for line in figure.axes[0].get_lines()]
    assert any(np.array_equal(points, run.arrays["sampled"].values[:, 1]) for points in drawn)
    assert any(np.array_equal(points, run.arrays["curve"].values[:, 0]) for points in drawn)


def test_what_is_missing_is_said():
    bare = ha.run(parse(WORLDS["ring"] + "planes = 0\n", "odd.toml", "odd"))
    assert Maps().lacks(bare) == "its places have no positions"
    assert Walk().lacks(bare) == ""
    assert Walk().lacks(result_of("bank")) == Maps().lacks(result_of("bank")) == "it walks through no world"
    assert Magnetisation().lacks(result_of("bank")) == "it has no spins at a temperature"
