"""The figures of tasks, programs, probes, trainings and walks show the numbers of their results."""

from itertools import product

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.palette import LIGHT
from tests.figures import reading as see
from tests.runs import drawing_of, result_of


def shown(name, scenario):
    return drawing_of(name, scenario).figure


def arrays_of(scenario, run=0):
    return result_of(scenario).runs[run].arrays


@pytest.mark.parametrize(
    ("name", "scenario", "options", "words"),
    [
        # By hand: any B: then B, else A. Counted pairs see only the last word, after which B is always likelier.
        ("sixteen", "all-a-any-b", {}, ["attention and averaging get all 16 right; counted pairs: 15, always B",
                                        "16 of 16", "15 of 16", "right answer: B if any B, else A", "not drawn",
                                        "attention, ten words 1,024 of 1,024", "averaging, ten words 1,014 of 1,024"]),
        ("sixteen", "hot-dog", {}, ["attention", "pairs", "triples", "barks ✗"]),
        ("program", "reverse", {}, ["1 all every key", "4 mirror key indices = opposite", "5 reversed", "1 of 5 runs",
                                    "blue: the query (row) selects the key (column)"]),
        ("probe", "position-probe", {}, [
            "a causal mask alone tells positions: a probe finds 25 %, by chance 17 %",
            "grey: chance ± 2 standard errors", "the vertical axes do not start at 0", "1 of 2 runs"]),
        ("probes", "birth-of-a-transformer", {}, ["probe: previous word", "answers in context"]),
        ("emergence", "emergence", {}, ["half of its weight from step "]),
        ("walk", "torus-walk", {}, ["known edges", "new edges", "best constant prediction", "with positions"]),
        ("maps", "grid-cells", {}, ["2 of 4 modules · 2 of 4 memories", "maps without noise",
                                    "ring: the place of the memory"]),
        ("forgetting", "sally", {}, ["points: mean ± 2 standard errors; lines: the law", "2 of 4 runs"]),
        ("network", "three-layers", {}, ["layer"]),
    ],
)  # fmt: skip
def test_a_figure_says_the_numbers_and_the_names_of_its_result(name, scenario, options, words):
    written = " ".join(see.texts(see.drawing(scenario, name, **options)))
    assert [word for word in words if word not in written] == [] and "as written" not in written


def table_of(ax):
    """The texts of the cells, row by row from above."""
    rows = {}
    for text in ax.texts:
        rows.setdefault(round(text.get_position()[1], 2), []).append((text.get_position()[0], text.get_text()))
    return [[text for _, text in sorted(rows[y])] for y in sorted(rows)]


def test_each_model_is_marked_wrong_on_the_sequences_that_a_count_by_hand_finds():
    columns = list(product("AB", repeat=4))
    right = ["B" if "B" in column else "A" for column in columns]
    rows = table_of(see.panel("all-a-any-b", "sixteen"))
    *words, answers, attention, averaging, pairs = rows
    assert ["".join(column[:4]) for column in zip(*words, strict=True)][:16] == list(map("".join, columns))
    assert answers[:16] == attention[:16] == averaging[:16] == right
    assert pairs[:16] == ["B ✗", *right[1:]]
    for ax, runs in zip(shown("sixteen", "hot-dog").axes, (range(3), range(3, 6)), strict=True):
        for row, run in zip(table_of(ax)[-3:], runs, strict=False):
            arrays = arrays_of("hot-dog", run)
            wrong = arrays["given"].values != arrays["answer"].values
            assert [text.endswith("✗") for text in row[: len(wrong)]] == wrong.tolist()


def test_a_program_shows_each_selection_and_each_sequence():
    figure, n = see.drawing("reverse", "program"), 5
    mirror = [[j == n - 1 - i for j in range(n)] for i in range(n)]
    assert [table.astype(bool).tolist() for table in see.cells(figure)] == [[[True] * n] * n, mirror]
    values = see.texts_in(figure.axes[-1])
    assert values == [*"Hello", *["all"] * n, *["5"] * n, *"43210", *(f"→ {letter}" for letter in "olleH"), *"olleH"]
    names = [" ".join(name.split()) for name in see.ticks(figure.axes[-1].yaxis)]
    assert names == ["tokens", "1 all", "2 length", "3 opposite", "4 mirror", "5 reversed"]
    long = see.drawing(ha.run(ha.load("two-brackets"), overrides={"input.tokens": ["("] * 15}), "program")
    assert see.note(long).endswith("not shown: 4 sequences, 3 last words 1 of 3 runs")
    large = see.drawing(ha.run(ha.load("sort"), overrides={"input.tokens": [-1e7, 0.001, 2]}), "program")
    assert {"−1.0e+07", "1.0e−03", "2"} <= {*see.texts(large)}
    signs = see.drawing(see.changed("reverse", input__tokens=["C#", "D", "C#"]), "program")
    assert see.ticks(signs.axes[0].xaxis) == ["C#", "D", "C#"]


def test_a_probe_has_the_accuracies_by_layer_and_the_lengths_of_the_mean_vectors_of_its_last_layer():
    arrays = arrays_of("position-probe")
    left, right = see.drawing("position-probe", "probe").axes
    for curve, name in zip(see.curves(left), ("masked", "line", "unmasked"), strict=False):
        assert np.array_equal(curve[:, 1], arrays[f"{name} accuracy"].values)
    assert np.allclose(see.curves(left)[3][:, 1], 1 / 6) and see.ticks(left.xaxis) == ["no layer", "1", "2", "3"]
    for curve, name in zip(see.curves(right), ("masked", "unmasked"), strict=True):
        assert np.array_equal(curve[:, 1], arrays[f"{name} length"].values[-1])
    other = see.drawing("position-probe", "probe", run="nothing in common")
    assert np.array_equal(see.curves(other.axes[0])[0][:, 1], arrays_of("position-probe", 1)["masked accuracy"].values)
    assert "runs" not in see.note(other)
    few = ha.run(ha.load("position-probe"), overrides={"probe.sequences": 40, "probe.layers": 1, "probe.dim": 4})
    arrays = few.runs[0].arrays
    assert arrays["masked accuracy"].values[-1] <= arrays["chance"].values + 2 * arrays["standard error"].values
    assert "mask" not in see.drawing(few, "probe").get_suptitle(), "a title claims what the numbers show"


CIRCUIT = 'kind = "memory_circuit"\n[circuit]\nwidths = [64, 8, 16]\nwords = 6\nlength = 30\ntriggers = 2\ntexts = 2\n'


def test_probes_are_drawn_in_the_order_of_the_widths_and_runs_that_are_left_out_are_counted():
    result = see.of_text(CIRCUIT)
    drawn = {line.get_label(): line.get_xydata() for line in see.drawing(result, "probes").axes[0].lines}
    for i, name in enumerate(("previous word", "same word", "output")):
        expected = np.column_stack([[8, 16, 64], result.arrays["probes"].values[i][[1, 2, 0]]])
        np.testing.assert_array_equal(drawn[f"probe: {name}"], expected)
    np.testing.assert_array_equal(drawn["answers in context"][:, 1], result.arrays["accuracy"].values[[1, 2, 0]])
    upright = [points[0, 0] for points in drawn.values() if len(points) == 2 and points[0, 0] == points[1, 0]]
    np.testing.assert_array_equal(upright, result.arrays["capacity"].values)
    more = "".join(f'[[variant]]\nname = "{"long " * i}"\nset = {{ "circuit.beta" = {i} }}\n' for i in range(1, 5))
    figure = see.drawing(see.of_text(CIRCUIT + more), "probes")
    assert len(figure.axes) == 3 and see.says(figure, "3 of 5 runs") == []
    wide = see.drawing(see.of_text(CIRCUIT.replace("[64, 8, 16]", str([*range(2, 32)]))), "probes")
    assert 1 <= len(see.ticks(wide.axes[0].xaxis)) <= 13


def test_an_upright_line_marks_the_step_at_which_an_induction_head_is_there():
    _, below = see.drawing("emergence", "emergence").axes
    array = arrays_of("emergence")["two layers prefix matching"]
    first = next(int(step) for step, heads in zip(array.labels[0], array.values, strict=True) if heads.max() >= 0.5)
    assert [curve[0, 0] for curve in see.curves(below) if len({*curve[:, 0]}) == 1] == [first]
    assert f"half of its weight from step {first} on" in see.texts_in(below)


def test_forgetting_is_drawn_as_its_means_and_its_law():
    figure = see.drawing("sally", "forgetting")
    for row, run in enumerate(result_of("sally").runs[:2]):
        for ax, quantity in zip(figure.axes[2 * row : 2 * row + 2], ("accuracy", "cosine"), strict=True):
            for reader, kind in product((0, 1), ("", "-law")):
                assert see.shows(ax, run.arrays[quantity + kind].values[reader])


def test_each_link_of_a_walk_is_drawn_once_and_the_legend_names_what_is_drawn():
    """Of 200 links some stay unwalked; one over the edge of the torus has two stubs. Noise makes new edges wrong."""
    figure = shown("walk", "torus-walk")
    lengths = np.array([np.abs(np.subtract(*ends)).sum() for ax in figure.axes for ends in see.arcs(ax)])
    assert np.isclose(lengths, 1).sum() == 180 and (lengths < 1).sum() == 2 * 20
    noisy = see.of_text('kind = "walk"\n[walk]\nsteps = 60\nworld = "torus"\nsize = [4, 5]\nnoise = 40\n')
    for drawn, wrong in ((figure, False), (see.drawing(noisy, "walk"), True)):
        assert any("wrong" in text for text in see.keys(drawn) + see.texts(drawn)) == wrong
    assert see.says(see.drawing(noisy, "maps"), "without noise") == []
    chance = [line for line in figure.axes[1].lines if line.get_linestyle() == "--"]
    assert len(chance) == 3 and {line.get_color() for line in chance} == {LIGHT.ink}, "orange is a wrong prediction"


def test_the_curve_of_the_mean_field_falls_to_0_at_1():
    curve = arrays_of("magnetisation")["curve"]
    column = dict(zip(curve.labels[0], curve.values[:, 0], strict=True))
    assert column["1"] == 0 and 0.03 < column["0.9995"] < 0.04  # √(3 × .0005) = .039


def test_an_alignment_of_long_texts_has_no_names_and_its_first_run_alone():
    words = [f"w{i}" for i in range(35)]
    cell = {"cell__w_input": 1, "decoder__writes": words[:33], "decoder__start": [0] * 35, "decoder__w_context": 1}
    cell |= {"decoder__similarity": "dot", "decoder__read_out": 1}
    figure = see.drawing(see.changed("alignment", spaces__word=words, input__tokens=words, **cell), "alignment")
    assert len(figure.axes) == 2 and not {*see.texts_in(figure.axes[0]), *see.texts_in(figure.axes[1])} & {*words}
