"""A walk in a file: its arrays agree with each other and with the public function; errors are reported."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.kinds.walk import Walk
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import assert_refused, problems

TEXT = """schema = 1
title = "a walk"
source = "ours"
kind = "walk"
[walk]
world = "torus"
size = [4, 5]
steps = 300
"""
GRAPH = """schema = 1
title = "a walk"
source = "ours"
kind = "walk"
[walk]
steps = 20
angles = { go = [90, 0], over = [0, 180] }
[walk.graph]
edges = [["a", "go", "b"], ["b", "over", "c"]]
inverse = { go = "back", over = "over" }
"""


def arrays_of(text):
    return {name: array.values for name, array in ha.run(parse(text, "w.toml", "w")).arrays.items()}


def test_the_template_runs():
    assert ha.run(parse(Walk.template(), "t.toml", "t")).ok


def test_the_measures_follow_from_the_steps():
    arrays = arrays_of(TEXT + "planes = 0\nkinds = 3\nnoises = [0, 3]\n")
    revisits = arrays["sort"] != "first visit"
    new = arrays["sort"] == "new edge"
    right = arrays["predicted"] == arrays["seen"]
    kind_at = arrays["world"][:, 2]
    assert (arrays["seen"] == kind_at[arrays["place"] - 1]).all()
    assert (right == arrays["right"]).all()
    assert arrays["accuracy"] == right[revisits].mean() < 1
    assert arrays["accuracy on new edges"] == right[new].mean()
    assert (arrays["revisits"], arrays["new edges"]) == (revisits.sum(), new.sum())
    assert arrays["chance"] == np.bincount(arrays["seen"][revisits].astype(int)).max() / revisits.sum()
    assert np.bincount(kind_at.astype(int))[1:].tolist() == [7, 7, 6]
    np.testing.assert_array_equal(arrays["by noise"], [[right[revisits].mean(), right[new].mean()]] * 2)


def test_the_links_are_those_of_the_torus():
    links = arrays_of(TEXT)["links"]
    assert len(links) == 2 * 4 * 5
    assert {1, 2} in [set(link) for link in links] and {1, 5} in [set(link) for link in links]
    assert {1, 16} in [set(link) for link in links]


def test_the_file_gives_what_the_function_gives():
    arrays = arrays_of(TEXT + "noise = 3\nbeta = 20\nkinds = 7\n")
    walk = ha.circuits.walk(
        ha.circuits.World.torus(4, 5), steps=300, kinds=7, noise=3, beta=20, rng=np.random.default_rng(0)
    )
    assert (arrays["predicted"] == walk.predicted + 1).all() and arrays["accuracy"] == walk.accuracy
    noiseless = arrays_of(TEXT + "beta = 20\nkinds = 7\n")
    assert noiseless["stray weight"] == walk.with_noise(0).stray_weight


def test_a_walk_with_noise_has_no_bound_of_the_stray_weight():
    """A quarter of the predictions are wrong; at exact positions the weight would be next to nothing."""
    run = ha.run(parse(TEXT + "noise = 16\n", "w.toml", "w"), explain=True).runs[0]
    assert "stray weight" not in run.arrays and float(run.arrays["accuracy"].values) < 0.9
    assert not any("every revisit is right" in line or "stray" in line for line in run.working)
    assert any("before the noise" in line for line in run.working)
    assert_refused(
        TEXT + 'noise = 16\n[[expect]]\nmeasure = "stray weight"\nis = 0\n',
        "11: expect.1.measure: 'stray weight' is unknown",
    )


def test_a_graph_is_walked_both_ways():
    arrays = arrays_of(GRAPH)
    assert arrays["links"].tolist() == [[1, 2], [2, 3]]
    assert arrays["gap"] == pytest.approx(0.5)  # a and b: (cos 90° + 1)/2; b and c: 0; a and c: (0 − 1)/2
    assert arrays["accuracy"] == 1
    assert arrays["new edges"] == 0  # a path has no loop


@each(
    ("text", "message"),
    [
        (
            TEXT.replace('world = "torus"\nsize = [4, 5]\n', ""),
            "5: walk: needs one of `world` and `graph`; none",
        ),
        (TEXT.replace("size = [4, 5]\n", ""), "5: walk.size: a torus needs size = [10, 10], or [10] for a ring"),
        (TEXT.replace("[4, 5]", "[5, 5, 5]"), "7: walk.size: a torus needs size = [10, 10], or [10] for a ring"),
        (TEXT.replace("[4, 5]", "[2, 5]"), "7: walk.size: rows: expected a whole number from 3 to 1024, not 2"),
        (TEXT.replace("[4, 5]", "[100, 100]"), "7: walk.size: 100 × 100 = 10000 places; at most 1024"),
        (TEXT.replace('"torus"', '"line"'), "7: walk.size: a line needs size = [10]"),
        (TEXT + "noise = -1\n", "9: walk.noise: got -1; expected at least 0"),
        (TEXT + "noises = [1, -1]\n", "9: walk.noises.2: got -1; expected at least 0"),
        (TEXT + "beta = 0\n", "9: walk.beta: got 0; expected more than 0"),
        (TEXT + "planes = 97\n", "9: walk.planes: expected a whole number from 0 to 96, not 97"),
        (TEXT + "planes = 2\nangles = { east = [72], north = [90] }\n", "9: walk.planes: is counted by `angles`"),
        (TEXT + "angles = { east = [72], up = [90] }\n", "9: walk.angles: 'up' is unknown (choices: east, north,"),
        (TEXT + "angles = { east = [72] }\n", "9: walk.angles: the action 'north' has none, nor has its inverse"),
        (
            TEXT + "angles = { east = [72, 0], north = [0, 80] }\n",
            "9: walk.angles: 'row 3, column 1' has two positions, one of them by 'south' from 'row 2, column 1'; a way "
            "round must turn each plane by a multiple of 360°, so an angle is a multiple of 360°/4 or 360°/5",
        ),
        (
            TEXT + "angles = { east = [72, 0], north = [0, 180] }\n",
            "9: walk.angles: 'row 1, column 1' and 'row 3, column 1' have the same position; give other angles",
        ),
        (TEXT.replace("300", "6000"), "8: walk.steps: 6,000 steps for 1 walks compare 36,000,000 pairs"),
        (GRAPH.replace("steps", "size = [3]\nsteps"), "6: walk.size: belongs to `world`"),
        (GRAPH.replace(', over = "over"', ""), "10: walk.graph.inverse: the action 'over' has no inverse"),
        (
            GRAPH.replace('["b", "over", "c"]', '["d", "over", "c"]'),
            "9: walk.graph.edges: 'd' cannot be reached from 'a'",
        ),
        (
            GRAPH.replace('["b", "over"', '["a", "go", "c"], ["b", "over"'),
            "9: walk.graph.edges: 'go' leads from 'a' to 'b' and to",
        ),
        (GRAPH.replace("angles = { go = [90, 0], over = [0, 180] }\n", ""), "5: walk: a graph needs `angles`"),
        (GRAPH.replace("[0, 180]", "[0, 90]"), "7: walk.angles: 'b' has two positions, one of them by 'over' from 'c'"),
        (GRAPH.replace("[0, 180]", "[0]"), "7: walk.angles: 'over' has angles of shape (1,); expected the same number"),
    ],
)
def test_a_wrong_file_is_refused(text, message):
    assert_refused(text, message)
    assert len(problems(text)) == 1


def test_a_mistyped_world_names_the_nearest():
    assert_refused(TEXT.replace('"torus"', '"tours"'), "6: walk.world: 'tours' is unknown; did you mean 'torus'?")
