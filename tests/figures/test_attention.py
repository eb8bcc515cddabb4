"""The figures of words and heads show the numbers of their results: of the lectures, and worked out by hand."""

import math
from itertools import pairwise

import numpy as np
import pytest

import hopattn as ha
from tests.figures import reading as see
from tests.runs import drawing_of, result_of


def shown(name, scenario):
    """The figure of the gallery."""
    return drawing_of(name, scenario).figure


POWER = math.exp(4 / math.sqrt(2))
"""`one-head` weighs by softmax(Q Kᵀ / √2) V with e^(4/√2) = 16.9188, as its comments work out."""


@pytest.mark.parametrize(
    ("name", "scenario", "options", "words"),
    [
        ("neuron", "similarity", {}, ["same", "opposite", "orthogonal", "between", ".8 × .8 + .6 × .6 = 1",
                                      ".8 × (−.8) + .6 × (−.6) = −1", ".8 × (−.6) + .6 × .8 = 0",
                                      ".8 × 1 + .6 × 0 = .8"]),
        ("neuron", "positions", {}, ["1 of 4 cues"]),
        ("neuron", "positions", {"query": "position 2"}, ["position 2"]),
        ("neuron", "practice-7-3", {}, ["× −1"]),
        ("similarity", "similarity", {}, ["same: 1", "opposite: −1", "orthogonal: 0", "between: .8", "angle 0°",
                                          "angle 180°",
                                          "angle 90°", "angle 37°", "w · a = .8 × (−.8) + .6 × (−.6) = −1"]),
        ("projection", "similarity", {}, ["the product .8 is the length of the shadow of a on w", "adjacent .8",
                                          "hypotenuse 1", "= adjacent / hypotenuse", "= .8 / 1 = .8",
                                          "= .8 × 1 + .6 × 0",
                                          "= |w| |a| cos 37°", "= 1 × 1 × .8 = .8", "1 of 4 cues"]),
        ("projection", "similarity", {"query": "opposite"}, ["cosine = adjacent / hypotenuse = −1 / 1 = −1",
                                                             "= 1 × 1 × (−1) = −1"]),
        # By hand: banks + .1 in + .7 financial + .62 markets = (.2, 1.896, .7, .472): its cosine with markets is .863,
        # in the plane .7/√.98 = .71 before, 1.896/√(1.896² + .49) = .94 after.
        ("moved", "bank", {}, ["in financial markets banks cosine with financial: .7 → .91 in this plane: .71 → .94",
                               "in muddy rivers banks cosine with muddy: .7 → .91 in this plane: .71 → .94",
                               "money", "river", "2 of 4 axes", "off the plane"]),
        ("moved", "bank", {"axes": "plural,money"}, ["plural", "money"]),
        ("plane", "bank", {}, ["2 of 4 axes", "off the plane"]),
        ("plane", "apple", {}, ["technology", "fruitness", ".71"]),
        ("plane", "softmax-table", {}, ["the strongest arrows"]),
        ("added", "cross-attention", {}, [".03 cats + .1 chase + .87 mice"]),
        ("added", "bank", {}, ["banks", "+ "]),
        ("space", "two-spaces", {}, ["the words before cosine: orange .71 · phone .71",
                                     "matrix 1 cosine: orange 0 · phone .89", "matrix 2 cosine: orange .89 · phone 0",
                                     "‘apple’ turns towards ‘phone’ or ‘orange’"]),
        ("steps", "aaba", {}, ["1 scores: find a B", "attention", "averaging", "2 of 3 runs",
                               "attention gives ‘B’ 1/2 of the weight, averaging 1/4"]),
        ("steps", "apple", {}, ["1 scores: apple"]),
        ("steps", "apple", {"query": "orange"}, ["1 scores: orange"]),
        ("steps", "bank", {}, [".1", ".7", ".62", "· masked"]),
        ("temperature", "aaba", {}, ["β = .5: slope .125", "β = ln 3: slope .275", "β = 10: slope 2.5", "score",
                                     "1 of 3 runs", "scores and weights of ‘find a B’"]),
        ("flow", "softmax-table", {}, [".15", ".13"]),
        ("flow", "induction", {}, ["their₁", "dog", "chased", "their₂", "−1"]),
        ("induction", "induction", {}, ["position", "word", "previous", "expected", "layer 1 →", "layer 2 →", "their₂",
                                        "layer 1 scales what a word takes to length 1 · 1 of 2 runs"]),
        ("induction", "induction-cures", {}, ["7 of 10 arcs"]),
        ("masks", "causal-mask", {}, ["no mask", "causal mask", "key", "query"]),
        ("masks", "alibi", {}, ["the same in all 3 runs"]),
        ("attention", "bank", {"highlight": "financial"}, ["bold: financial"]),
        ("attention", "induction-angles", {}, ["every second word is named", "1 of 5 runs",
                                               "hatched: hidden by the mask"]),
        ("positions", "positions", {}, ["one step turns by 90°", "× 0", "× 1", "× −1"]),
        ("positions", "practice-7-3", {}, ["one step turns by −90°"]),
        ("offsets", "offsets", {}, ["no place counts", "only the offset counts", "the place counts too",
                                    "each panel has its own scale"]),
        ("offsets", "alibi", {}, ["1 of 8 heads", "as written: bias", "slope given: bias"]),
        ("qkv", "one-head", {}, ["2.83", f"{POWER / (POWER + 1):.2f}"[1:], f"{POWER / (POWER + 2):.2f}"[1:], "softmax",
                                 "words E 3 × 3", "queries Q 3 × 2", "Q Kᵀ / √2 3 × 3", "weights A 3 × 3",
                                 "output A V 3 × 2", "hatched: hidden by the mask", "1 of 2 runs"]),
        ("qkv", "sharp-query", {}, ["words X 1 × 2", "words Y 4 × 2"]),
        ("layer", "transformer-layer", {}, ["attention adds", "feed-forward adds", "hidden neurons", "head 1: weights",
                                            "head 2: weights", "weights × values, side by side"]),
        ("layer", "multi-head", {}, [*(f"{value:.2f}" for value in (24 / 7, 20 / 7, 32 / 13)), "attention adds",
                                     "after the layer"]),
        ("layer", "pytorch-layer", {}, ["no room for the numbers"]),
        # Under the trap, their#2 in layer 2 attends to their#1 and dog alike; "alike" attends to previous words only.
        ("heads", "head-scores", {}, [".83 (.21)", "causal mask: layer 2", "strict mask: layer 1",
                                      "strict mask: layer 2",
                                      "left out: 2 heads whose scores are those in brackets"]),
        ("heads", "head-scores", {"run": "alike"}, [".26 (.26)"]),
        ("translation", "cross-attention", {}, [".91", ".87", ".88", "key", "cats", "chase", "mice", "query", "kediler",
                                                "fareleri", "kovalar"]),
        ("translation", "alignment", {}, ["bilinear score", "dot score", "additive score", "read", "written"]),
        ("translation", "translation-parts", {}, ["all parts", "no position in the query", "no encoder", "kedileri"]),
        ("alignment", "alignment", {}, ["bilinear score", "dot score and additive score differ by .02 at most"]),
        ("alignment", "sharp-query", {}, ["find B x10", "find B"]),
        ("messages", "messages", {}, ["16 edges", "10 edges", "6 edges", "−.6",
                                      "in brackets: sent on the left, then received · 3 of 4 runs"]),
        ("messages", "message-chain", {}, ["red", "blue", "(.48, .64)", "(2.27, 1.51)"]),
        ("gradients", "vanishing-gradients", {}, ["≤ 10⁻¹²", "10⁶", "no normalisation", "scores / √dim",
                                                  "dashed: without residuals", "1 of 2 runs",
                                                  "a rise from the floor: softmax is not saturated in that layer"]),
        ("fast_weights", "overwriting", {}, ["delta rule", "sum", "half the rate"]),
        ("growth", "key-value-cache", {}, ["× 7.9", "× 4"]),
    ],
)  # fmt: skip
def test_a_figure_says_the_numbers_and_the_names_of_its_result(name, scenario, options, words):
    assert see.says(see.drawing(scenario, name, **options), *words) == []


def array(scenario, name, run=0):
    return result_of(scenario).runs[run].arrays[name].values


HEAD = "layer 1 head 1"


@pytest.mark.parametrize(
    ("name", "scenario", "at", "values"),
    [
        ("steps", "aaba", 1, lambda: [1 / 6, 1 / 6, 1 / 2, 1 / 6]),
        ("steps", "aaba", 4, lambda: [1 / 4] * 4),
        ("steps", "aaba", 0, lambda: [0, 0, 1, 0]),
        # The lecture's softmax to the base 3, and for a lead of 10 smaller β.
        ("temperature", "aaba", 0, lambda: [0, 0, 1, 0]),
        ("temperature", "aaba", 2, lambda: [1 / 6, 1 / 6, 1 / 2, 1 / 6]),
        ("gradients", "vanishing-gradients", 0, lambda: np.maximum(array("vanishing-gradients", "derivative")[0],
                                                                   1e-12)),
        ("gradients", "vanishing-gradients", 1, lambda: np.maximum(array("vanishing-gradients", "scores_norm")[0],
                                                                   1e-12)),
        # The rows of red and blue are 0.
        *(("fast_weights", "overwriting", i, lambda i=i: array("overwriting", "memories", i // 3)[i % 3, 2:])
          for i in range(9)),
        ("growth", "key-value-cache", 0, lambda: array("key-value-cache", "multiplications")[:, 0]),
    ],
)  # fmt: skip
def test_a_panel_has_the_numbers_of_its_run(name, scenario, at, values):
    assert see.shows(see.drawing(scenario, name).axes[at], values())


def test_bars_of_softmax_are_the_powers_of_its_scores_and_have_one_scale():
    axes = shown("temperature", "aaba").axes
    assert see.columns(axes[0]) == [0, 0, 1, 0]
    for ax, own in zip(axes[1:4], (0.5, math.log(3), 10), strict=True):
        powers = np.array(see.columns(ax)) / min(see.columns(ax))
        beta = math.log(max(powers))
        assert see.columns(ax) == pytest.approx(np.exp(beta * np.array([0, 0, 1, 0])) / (math.exp(beta) + 3))
        assert beta == pytest.approx(own)
    assert len({ax.get_ylim() for ax in axes[1:4]}) == 1
    axes = shown("temperature", "sharp-query").axes
    assert [ax.get_ylabel() for ax in axes[1:4]] == ["β = .05", "β = .1", "β = 1"]
    powers = np.exp([0.5, 1, 10])
    assert [max(see.columns(ax)) for ax in axes[1:4]] == pytest.approx(powers / (powers + 3))
    asked = see.drawing("bank-softmax", "temperature", query="markets").axes[3]
    assert see.ticks(asked.xaxis) == ["in", "financial"] and sum(see.columns(asked)) == pytest.approx(1)


def test_the_slope_of_a_weight_is_a_quarter_of_its_beta():
    """Of two words by a difference of their scores: 1 / (1 + e^(−β lead))."""
    for line, beta in zip(see.curves(shown("temperature", "aaba").axes[-1]), (0.5, math.log(3), 10), strict=False):
        lead, weight = line.T
        np.testing.assert_allclose(weight, 1 / (1 + np.exp(-beta * lead)), atol=1e-12)
        near = np.abs(lead) < 0.021
        assert np.polyfit(lead[near], weight[near], 1)[0] == pytest.approx(beta / 4, rel=0.01)


@pytest.mark.parametrize(
    ("scenario", "options"),
    [
        ("practice-7-2", {}),
        ("bank", {"run": "as written"}),
        ("bank", {"run": "river"}),
        ("two-heads", {"head": 2, "run": "as written"}),
        ("induction", {"run": "as written", "layer": 1}),
    ],
)
def test_a_matrix_of_attention_writes_each_weight_that_is_visible_in_the_order_of_its_rows(scenario, options):
    result = result_of(scenario)
    run = next(run for run in result.runs if (run.name or "as written") == options.get("run", "as written"))
    place = f"layer {options.get('layer', 1)} head {options.get('head', 1)}"
    weights, mask = run.arrays[f"{place} weights"], run.arrays.get(f"{place} mask")
    seen = weights.values[mask.values if mask is not None else np.ones_like(weights.values, dtype=bool)]
    ax = see.drawing(scenario, "attention", **options).axes[0]
    written = [float(text.replace("−", "-")) for text in see.texts_in(ax)]
    queries, keys = ([subscripted(name) for name in names] for names in weights.labels)
    assert (see.ticks(ax.yaxis), see.ticks(ax.xaxis)) == (queries, keys)
    assert written == pytest.approx(seen.tolist(), abs=0.0051)


def subscripted(name):
    return name.replace("#1", "₁").replace("#2", "₂")


def test_the_word_in_question_moves_in_the_plane_that_was_chosen():
    """The lecture: apple becomes .71 orange + 1 apple, or .71 phone + 1 apple."""
    fruit, phone = shown("moved", "apple").axes
    assert (fruit.get_xlabel(), fruit.get_ylabel()) == ("technology", "fruitness")
    for ax, end in ((fruit, (2, 2 + 3 / np.sqrt(2))), (phone, (2 + 4 / np.sqrt(2), 2))):
        assert any(np.allclose(arrow, [(2, 2), end]) for arrow in see.arrows(ax)) and see.bold(ax) == ["apple"]


@pytest.mark.parametrize(
    ("tokens", "headline"),
    [
        ("cb", "attention turns ‘b’ towards ‘a’ or ‘c’"),
        ("ab", "attention turns ‘b’ towards ‘a’"),
        ("b", ""),
        ("ca", ""),
    ],
)
def test_a_headline_tells_the_turn_of_one_word_that_turns_in_every_text(tokens, headline):
    """In the text "a b" it is b that turns; alone it turns nowhere, and in "c a" it is another word that turns."""
    second = f'[[layer]]\n[[layer.head]]\n[[variant]]\nname = "second"\nset = {{ "input.tokens" = {[*tokens]} }}\n'
    text = see.words("ab", {"a": [1, 0], "b": [0.6, 0.8], "c": [0, 0.2]}, f'{second}[figure]\nhighlight = ["b"]\n')
    figure = see.drawing(see.of_text(text), "moved")
    assert (headline or "odd") in see.texts(figure) and all("cosine" in title for title in see.titles(figure)[:1])
    assert any("turns" in text for text in see.texts(figure)) == bool(headline)


def test_every_word_that_moves_has_an_arrow_from_its_place_before_to_its_place_after():
    for ax, run in zip(shown("moved", "bank").axes, result_of("bank").runs, strict=True):
        before, after = (run.arrays[name].values[:, 1:3] for name in ("input", "layer 1 state"))
        moving = np.flatnonzero(np.any(before != after, axis=1))
        assert len(moving) == 2 and np.allclose(see.arrows(ax), [[before[i], after[i]] for i in moving])
        assert {*see.texts_in(ax)} == {*run.arrays["input"].labels[0]}


@pytest.mark.slow
def test_words_of_a_long_text_that_move_least_are_left_out_and_its_other_words_have_one_row_together():
    words = [*"abc"] * 400
    vectors = {"a": [1, 0], "b": [0, 1], "c": [-1, 0]}
    result = see.of_text(see.words(words, vectors, '[[layer]]\n[[layer.head]]\nmask = "causal"\n'))
    figure = see.drawing(result, "moved")
    assert 100 < len(see.arrows(figure.axes[0])) <= 200 and see.says(figure, "200 of 1200 words") == []
    figure = see.drawing(result, "steps")
    *parts, total = see.cells(figure.axes[2])[0]
    assert np.sum(parts, axis=0) == pytest.approx(total) and see.says(figure, " other words") == []


@pytest.mark.parametrize("scenario", ["bank", "apple"])
def test_arrows_of_a_plane_lead_from_the_word_attended_to_to_the_word_that_attends(scenario):
    figure = shown("plane", scenario)
    axes = [next(iter({getattr(ax, f"get_{side}label")() for ax in figure.axes} - {""})) for side in "xy"]
    for ax, run in zip(figure.axes, result_of(scenario).runs, strict=False):
        words, weights = run.arrays["input"], run.arrays[f"{HEAD} weights"].values
        at = words.values[:, [words.labels[1].index(axis) for axis in axes]]
        assert see.arrows(ax)
        for start, end in see.arrows(ax):
            keys, queries = (np.flatnonzero(np.all(np.isclose(at, point), axis=1)) for point in (start, end))
            assert np.any(weights[np.ix_(queries, keys)] != 0), (start, end)
    ends = [tuple(end) for _, end in see.arrows(shown("plane", "softmax-table").axes[0])]
    assert max(map(ends.count, ends)) <= 2 < len(ends), "the two strongest lead to each word"


@pytest.mark.parametrize(("scenario", "word"), [("bank", "banks"), ("apple", "apple"), ("two-bigs", "dog")])
def test_what_is_added_is_drawn_head_to_tail_to_the_state_after_the_layer(scenario, word):
    """Each arrow starts where the one before ends; the last two end at the sum."""
    axes = shown("added", scenario).axes
    for ax, run in zip(axes, result_of(scenario).runs, strict=False):
        *terms, total = see.arrows(ax)
        assert all(np.allclose(one[1], other[0]) for one, other in pairwise(terms))
        state = run.arrays["layer 1 state"]
        row = state.values[state.labels[0].index(word)]
        plane = [state.labels[1].index(name) for name in (ax.get_xlabel(), ax.get_ylabel() or axes[0].get_ylabel())]
        assert np.allclose(terms[-1][1], total[1]) and np.allclose(total[1], row[plane])


def test_words_and_grid_go_through_the_same_matrix():
    """By hand: [[1, 0], [−.5, .5]] takes phone (4, 0) to (4, −2), orange (0, 3) to (0, 1.5), apple (2, 2) to (2, 0)."""
    before, first, second = shown("space", "two-spaces").axes
    grid = [np.array([line for line in see.curves(ax) if len(line) == 2]) for ax in (before, first, second)]
    for ax, points, lines, matrix in (
        (first, [(0, 1.5), (4, -2), (2, 0)], grid[1], [[1, 0], [-0.5, 0.5]]),
        (second, [(-1.5, 3), (2, 0), (0, 2)], grid[2], [[0.5, -0.5], [0, 1]]),
    ):
        dots = {tuple(np.round(line[0], 9)) for line in see.curves(ax) if len(line) == 1}
        assert {*points} <= dots and ax.get_xlim() == before.get_xlim()
        moved = [line @ np.transpose(matrix) for line in grid[0]]
        kept = sum(any(np.allclose(line, one) for one in lines) for line in moved)
        assert kept >= len(moved) - 3, "three lines lead to words"
    assert see.bold(see.panel("two-spaces", "space", run="matrix 2")) == ["apple"]


def test_the_lines_of_an_angle_end_at_the_weights_and_at_the_cue_and_the_perpendicular_falls_on_the_weights():
    arrays = result_of("similarity").runs[0].arrays
    cues, (w,) = arrays["input"].values, arrays["network"].values
    for ax, cue in zip(shown("similarity", "similarity").axes, cues, strict=True):
        weights, activations = see.arrows(ax)
        assert np.allclose(weights[1], (0.8, 0.6)) and np.allclose(activations[1], cue)
    ends = [line for line in see.curves(ax) if len(line) == 2 and np.allclose(line[0], cues[3])]
    assert any(np.allclose(end, (0.64, 0.48)) and abs((start - end) @ w) < 1e-12 for start, end in ends)


def test_arcs_lead_to_each_word_from_the_words_that_it_attends_to():
    for ax, layer in zip(shown("flow", "induction").axes, (1, 2), strict=True):
        weights = array("induction", f"layer {layer} head 1 weights")
        ends = {(round(end[0]), round(start[0])) for start, end in see.arcs(ax)}
        assert ends == set(map(tuple, np.argwhere(weights).tolist()))
    (ax,) = shown("flow", "softmax-table").axes
    assert len(see.arcs(ax)) == 16 and see.texts_in(ax).count(".15") == see.texts_in(ax).count(".13") == 4


def test_a_long_text_shows_one_query_and_its_five_strongest_keys_and_counts_the_words_between():
    words = [f"word{i}" for i in range(26)]
    result = see.of_text(see.words(words, None, "[[layer]]\n[[layer.head]]\nbeta = 0.2\n", "abcd"))
    arrays = result.runs[0].arrays
    changes = np.linalg.norm(arrays["layer 1 state"].values - arrays["input"].values, axis=1)
    query = 4 + int(np.argmax(changes[4:]))  # the first words have fewer than five keys
    figure = see.drawing(result, "flow")
    row = arrays[f"{HEAD} weights"].values[query]
    strong = {words[i] for i in np.argsort(-np.abs(row))[:5]}
    labels = see.ticks(figure.axes[0].yaxis)
    gaps = [int(label.split()[1]) for label in labels if label.startswith("…")]
    assert see.says(figure, f"the query: {words[query]}") == [] and see.bold(figure.axes[0]) == [words[query]]
    assert strong <= {*labels} and sum(gaps) + len(labels) - len(gaps) == 26
    figure = see.drawing(result, "steps")
    assert see.says(figure, "5 of 26 keys", "2 of 4 axes") == []
    assert [len(see.bars(ax)) for ax in figure.axes[:2]] == [5, 6], "a bar for all other words"
    assert see.says(see.drawing(result, "flow", query="word3"), "the query: word3") == []


def test_the_induction_head_writes_each_number_of_its_states_and_of_the_arcs_to_the_last_word():
    ax = shown("induction", "induction").axes[0]
    stages = [array("induction", name) for name in ("input", "layer 1 state", "layer 2 state")]
    assert len(see.numbers(ax)) == sum(int(np.sum(np.round(stage, 2) != 0)) for stage in stages) + 4
    assert see.ticks(ax.yaxis)[-2:] == ["dog", "chased"] and see.texts_in(ax).count("their₂") == 3


def test_a_rotation_moves_each_position_to_the_next():
    circle, matrix, _ = shown("positions", "positions").axes
    assert [text for text in see.texts_in(matrix) if " " not in text] == ["0", "−1", "1", "0"]
    heads = [end / np.linalg.norm(end) for _, end in see.arrows(circle)]
    for head, state in zip(heads, array("positions", "state"), strict=True):
        assert head @ state > 0.95


def dots(ax):
    return sorted(tuple(point) for line in ax.lines if line.get_marker() == "o" for point in line.get_xydata())


def test_the_offset_alone_counts_where_all_scores_at_an_offset_are_one():
    """The shift law decides, not the drawing: the scores of the figure's scenario, moved by one place."""
    figure = shown("offsets", "offsets")
    verdicts = [see.texts_in(ax)[0] for ax in figure.axes]
    assert verdicts == ["no place counts"] + ["only the offset counts"] * 4 + ["the place counts too"] * 3
    for ax, run, verdict in zip(figure.axes, result_of("offsets").runs, verdicts, strict=True):
        values = run.arrays[f"{HEAD} {'bias' if f'{HEAD} bias' in run.arrays else 'scores'}"].values
        assert np.allclose(values[1:, 1:], values[:-1, :-1]) == (verdict != "the place counts too")
        assert np.allclose(dots(ax), sorted((j - i, value) for (i, j), value in np.ndenumerate(values)))
    figure = shown("offsets", "alibi")
    slopes = {ax.get_title(): dict(dots(ax))[-3] for ax in figure.axes}
    assert slopes["as written: bias"] == -1.5 and slopes["slope given: bias"] == -0.75
    assert len({ax.get_ylim() for ax in figure.axes}) == 1


@pytest.mark.parametrize(("count", "marks"), [(4, 16), (25, 0)])
def test_offsets_of_large_scores_are_judged_by_their_size_and_those_of_many_words_are_a_band(count, marks):
    result = see.of_text(see.words(["a"] * count, {"a": [1000, -3000]}, "[[layer]]\n[[layer.head]]\nrope = true\n"))
    (ax,) = see.drawing(result, "offsets").axes
    assert see.texts_in(ax)[0] == "only the offset counts" and len(dots(ax)) == marks
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("offset: key − query", "score")


@pytest.mark.parametrize("name", ["padding", "bank-mask", "two-bigs"])
def test_the_cells_of_a_mask_are_as_many_as_it_hides(name):
    for ax, run in zip(shown("masks", name).axes, result_of(name).runs, strict=True):
        mask = run.arrays[f"{HEAD} mask"].values
        assert see.shaded(ax) == [mask.sum(), (~mask).sum()]


def test_the_numbers_of_a_head_are_all_there_and_a_head_can_be_chosen():
    (ax,) = shown("qkv", "one-head").axes
    assert len(see.numbers(ax)) == 9 + 6 * 6 + 6 + 6 + 6 and see.texts_in(ax).count("2.83") == 2
    written = see.texts_in(see.panel("multi-head", "qkv", head=2))
    at = written.index("value matrix 3 × 1")
    assert written[at - 3 : at] == ["0", "1", "0"], "the second head reads fruitness"


def test_the_heads_of_a_run_turn_its_words_into_its_queries_keys_and_values():
    run = result_of("transformer-layer").runs[0]
    heads = run.heads()
    assert list(heads) == [HEAD, "layer 1 head 2"]
    for place, head in heads.items():
        for role, name in (("query", "queries"), ("key", "keys"), ("value", "values")):
            product = run.arrays["input"].values @ getattr(head, role).weight.T
            assert np.array_equal(product, run.arrays[f"{place} {name}"].values)


def test_a_layer_has_the_numbers_of_all_its_stages():
    (ax,) = shown("layer", "transformer-layer").axes
    arrays = result_of("transformer-layer").runs[2].arrays
    heads = [f"layer 1 head {j} {name}" for name in ("weights", "output") for j in (1, 2)]
    stages = [f"layer 1 {name}" for name in ("output", "attended", "hidden", "fed", "state")]
    values = np.concatenate([arrays[name].values.ravel() for name in ("input", *heads, *stages)])
    assert len(see.numbers(ax)) == len(values)
    for number in ("7", "−2"):
        assert see.texts_in(ax).count(number) == np.sum(values == float(number.replace("−", "-")))


FEED = "feed_forward = { inner = [[1, 0, 1], [0, -9, 0]], outer = [[1, 0], [0, 1], [1, 1]] }\n"


@pytest.mark.parametrize(
    ("settings", "norms", "added"),
    [
        ("", 0, 2),
        ("residual = false", 0, 0),
        ('norm = "layer"', 2, 2),
        ('norm = "layer"\nresidual = false', 2, 0),
        ('norm = "rms"\nnorm_first = true', 2, 2),
    ],
)
def test_norms_and_residuals_of_a_layer_stand_where_they_are(settings, norms, added):
    vectors = {"x": [-1.234, 12.5, 0], "y": [3, -0.01, 2]}
    text = see.words("xyx", vectors, f"[[layer]]\n{settings}\n{FEED}" + "[[layer.head]]\n" * 3, "abc")
    (ax,) = see.drawing(see.of_text(text), "layer").axes
    assert (see.texts_in(ax).count("norm"), see.texts_in(ax).count("+")) == (norms, added)
    assert "2 of 3 heads" in see.note(ax.figure) and ("attention adds" in see.texts_in(ax)) == bool(added)


def test_scores_of_heads_are_those_by_hand_and_twice_the_chance_is_bold():
    """Chance under the causal mask is (1/4 + 1/5 + 1/6)/3 = 37/180; all sinks are below chance."""
    figure = shown("heads", "head-scores")
    (table,) = see.cells(figure.axes[0])
    chance = 37 / 180
    np.testing.assert_allclose(table[:, 2], [0, 1, 0, (5 / 6 - chance) / (1 - chance)], atol=1e-6)
    assert not table[:, 3].any() and len(see.ticks(figure.axes[0].yaxis)) == 4
    assert [text.split()[0] for text in see.bold(figure.axes[0])] == ["1", "1", "1", ".83"]
    assert see.texts(see.drawing("head-scores", "heads", run="alike")).count(".26 (.26)") == 4  # (1/3 + 1/4 + 1/5)/3
    assert see.ticks(see.panel("head-scores", "heads", run="the trap", layer=2).yaxis) == ["causal mask: layer 2"]


def head_table(weights):
    """The scores of two heads from bare weights, those in bold, and the note below."""
    figure = see.drawing(weights, "heads", tokens=[*"abcde"] * 2)
    return see.texts_in(figure.axes[0]), see.bold(figure.axes[0]), see.note(figure)


def test_chance_for_bare_weights_follows_from_what_they_hide():
    """By definition even attention over what is visible is chance, here and under the causal mask: 2.93/10 on key 1."""
    causal = np.stack([ha.circuits.uniform_attention(10)] * 2)
    for even in (causal, np.ma.masked_array(causal, np.triu(np.ones_like(causal), 1)), np.full((2, 10, 10), 0.1)):
        written, strong, below = head_table(even)
        assert strong == [] and "in brackets" in below
        assert all(text.split()[1] == f"({text.split()[0]})" for text in written)
    assert head_table(causal)[0][3] == ".29 (.29)"
    odd = np.full((2, 10, 10), 0.125)  # zeros above the diagonal: a mask or sparse weights, nobody knows
    odd[..., 8:] = 0
    written, strong, below = head_table(odd)
    assert strong == [] and below == "" and written[0] == ".11"


def test_twelve_heads_are_shown_and_the_others_counted():
    figure = see.drawing(see.of_text(see.words("abb", None, "[[layer]]\n" + "[[layer.head]]\n" * 13)), "heads")
    names = see.ticks(figure.axes[0].yaxis)
    assert len(names) == 12 and names[0] == "head 1" and see.says(figure, "12 of 13 heads") == []


def test_twelve_heads_name_the_words_once_and_more_words_than_can_be_named_are_said():
    words = ["the", "old", "crane", "lifts", "the", "beam"]
    weights = np.random.default_rng(0).dirichlet(np.full(6, 0.3), (12, 6))
    axes = see.drawing(weights, tokens=words).axes
    assert [see.ticks(ax.yaxis) == words for ax in axes] == [True, False, False, False] * 3
    assert [ax.get_xlabel() for ax in axes] == [""] * 8 + ["key"] * 4
    assert all(see.shows(ax, head) for ax, head in zip(axes, weights, strict=True))
    many = see.drawing(np.full((128, 128), 1 / 128))
    assert many.axes[0].get_xlabel() == "key (128 without their names, the first on the left)"
    assert see.texts_in(many.axes[0]) == [] and see.keys(many) == ["0", ".25", ".5", ".75", "1"]
    assert see.note(see.drawing(np.full((128, 128), 1 / 128), "flow")) == "the query: 128 · 5 of 128 keys"


@pytest.fixture(scope="module")
def census():
    training = ha.circuits.Training.load("scenarios/circuits/two-layers.npz")
    model, text = training.model(), training.recipe.held_out(1).tokens[0]
    return ha.circuits.head_census(model, text, unembed=model.unembed, about="two layers")


def test_each_measure_of_a_census_has_a_map_that_is_white_at_chance(census):
    figure = see.drawing(census)
    axes = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    for ax in axes:
        name = ax.get_title().replace(" ", "_")
        if name in ("prefix_matching", "attention_sink"):
            low = census.chance(name)
            assert see.shows(ax, census.matrix(name) - low)
            (image,) = ax.images
            assert image.get_clim() == pytest.approx((0, 1 - low[0, 0])) and image.cmap(0.0)[:3] == (1, 1, 1)
    assert "prefix matching" in see.titles(figure) and see.says(figure, "I", "II", "III", "IV", ".03") == []
    assert see.panel(census, title="auto").get_title() == "prefix matching"
    assert see.panel(census, measure="operating_class").images
    for measure, words in (("prefix", "'prefix' is unknown"), ("null_weight", "no head of this census has")):
        with pytest.raises(ha.InvalidInput, match=words):
            see.panel(census, measure=measure)


def test_a_notebook_shows_the_strongest_heads_and_the_figure(census):
    page = census._repr_html_()
    assert "prefix matching" in page and "<img" in page and "two layers (2 layers, 8 heads, 64 tokens)" in page


def test_a_line_between_two_texts_is_as_wide_as_its_weight_and_joins_its_words():
    """The lecture's table, the key on the left, the query on the right."""
    table = array("cross-attention", f"{HEAD} weights")
    assert np.round(table, 2).tolist() == [[0.91, 0.04, 0.05], [0.03, 0.10, 0.87], [0.09, 0.88, 0.03]]
    lines = [line for line in see.drawing("cross-attention", "translation").axes[0].lines if len(line.get_xdata()) == 2]
    widths = {tuple(np.round(line.get_ydata(), 6)): line.get_linewidth() for line in lines}
    wide = {(2.0 - j, 2.0 - i): table[i][j] for i in range(3) for j in range(3)}
    most = max(widths.values()) / table.max()
    assert widths == pytest.approx({ends: max(1.0, most * weight) for ends, weight in wide.items()}, rel=0.02)


def test_the_widest_line_of_each_word_written_goes_to_the_word_with_the_largest_weight():
    axes = see.drawing("alignment-printed", "alignment").axes
    for ax, run in zip(axes, result_of("alignment-printed").runs, strict=False):
        weights = run.arrays["weights"].values
        widths = {tuple(map(int, line.get_xdata()[::-1])): line.get_linewidth() for line in ax.lines}
        assert len(widths) == np.sum(weights > 0.02)
        strongest = {max((pair for pair in widths if pair[0] == i), key=widths.get) for i in range(3)}
        assert strongest == {(0, 0), (1, 2), (2, 1)} == {(i, int(np.argmax(row))) for i, row in enumerate(weights)}


def test_runs_and_heads_that_hardly_differ_from_the_first_have_no_column():
    assert see.titles(see.drawing("alignment", "alignment")) == ["bilinear score", ""]
    heads = {"layer__head": [{"weights": [row] * 3} for row in ([1, 0, 0], [0, 1, 0])]}
    two = see.titles(see.drawing(see.changed("cross-attention", **heads), "alignment"))
    assert two[:2] == ["layer 1 head 1", "layer 1 head 2"]
    same = {"layer__head": [{"weights": [[1, 0, 0]] * 3}] * 2}
    assert see.note(see.drawing(see.changed("cross-attention", **same), "alignment")) == "layer 1 head 2: the same"
    chosen = see.texts_in(see.panel("translation", "translation", run="mice chase cats"))
    assert [text for text in chosen if text in ("mice", "cats", "fareler")] == ["mice", "cats", "fareler"]


def test_a_matrix_of_fast_weights_is_framed_where_a_word_changes_it_and_a_long_text_is_cut():
    for i, ax in enumerate(shown("fast_weights", "overwriting").axes):
        memories = array("overwriting", "memories", i // 3)[:, 2:]
        change = memories[i % 3] - (memories[i % 3 - 1] if i % 3 else 0)
        assert len(see.bars(ax)) == np.count_nonzero(change)
    long = see.drawing(see.changed("elu-features", input__tokens=["red", "blue", "cyan"] * 4), "fast_weights")
    assert "the first 6 of 12 words" in see.note(long) and long.axes[2].images[0].get_clim()[0] == 0
    signed = {"fast_weights__features": "identity", "fast_weights__normalise": False, "input__tokens": ["cyan", "cyan"]}
    figure = see.drawing(see.changed("elu-features", **signed, vocabulary__words__cyan=[-0.6, 0.8]), "fast_weights")
    low, high = figure.axes[1].images[0].get_clim()
    assert low == -high < 0, "numbers below 0 have colours of their own"


@pytest.mark.parametrize(
    "change",
    [
        {"gradients__magnitudes": [3.0]},
        {"gradients__magnitudes": list(np.geomspace(1e-3, 1e6, 40))},
        {"gradients__magnitudes": [5.0, 0.5], "gradients__stack": {"layers": 1, "draws": 1}},
        {"gradients__stack": {"layers": 60, "draws": 1, "dim": 8, "words": 2}},
    ],
)
def test_gradients_of_any_magnitudes_and_layers_are_the_curves_above_the_floor(change):
    result = see.changed("vanishing-gradients", **change)
    for ax, name in zip(see.drawing(result, "gradients").axes, ("derivative", "scores_norm"), strict=False):
        array = result.runs[0].arrays[name]
        order = np.argsort(np.array(array.labels[1], float)) if name == "derivative" else slice(None)
        for curve, row in zip(see.curves(ax), array.values, strict=False):
            np.testing.assert_array_equal(curve[:, 1], np.maximum(row[order], 1e-12))


def test_each_edge_of_messages_is_a_line_and_those_to_one_query_are_arrows_with_their_weights():
    weights = [["1", ".6", ".8", "−.6"], ["1", ".6"], [".6"]]
    for ax, edges, of_query in zip(shown("messages", "messages").axes, (16, 10, 6), weights, strict=True):
        assert len(see.arrows(ax)) == len(of_query) and ax.get_title().endswith(f"{edges} edges")
        assert sum(line.get_linestyle() == "-" and len(line.get_xdata()) == 2 for line in ax.lines) == edges
        assert all(start[0] < end[0] for start, end in see.arrows(ax)), "from key to query"
        assert sorted(text for text in see.texts_in(ax) if text in of_query) == sorted(of_query)
    assert len(see.arrows(see.panel("messages", "messages", run="strict"))) == 2


def test_the_work_of_a_cache_is_drawn_over_powers_of_two():
    counts = result_of("key-value-cache").arrays["multiplications"]
    for ax, part in zip(shown("growth", "key-value-cache").axes, ("word", "text"), strict=True):
        for line, way in zip(see.curves(ax), ("anew", "cached"), strict=True):
            values = counts.values[:, counts.labels[1].index(f"{part}_{way}")]
            assert np.array_equal(line, np.column_stack([2.0 ** np.arange(11), values]))
    for up_to in (2, 2**30):
        assert see.drawing(ha.run(ha.load("quadratic"), overrides={"cache.up_to": up_to}), "growth").axes
    assert {"1", "10", "100", "1,000"} <= {*see.ticks(ax.xaxis)} and "10 million" in see.ticks(ax.figure.axes[0].yaxis)
