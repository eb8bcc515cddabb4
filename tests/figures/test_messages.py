"""What `ha.plot` and the commands of figures refuse, and with which words."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.favourites import favourite
from hopattn.figures.figure import gallery
from hopattn.figures.files import Picture, rendered
from hopattn.figures.sweep import sweep_sheet
from tests.figures.test_sweep import NOISE, directions, of_scenario, sweep_of
from tests.refusal import refused
from tests.runs import result_of, scenario_of


def film(figure, scenario):
    """A figure of a scenario as a GIF."""
    return rendered([Picture.of(gallery()[figure], result_of(scenario))], "gif")


WEIGHTS = [[1.0, 0.0], [0.4, 0.6]]
A_RESULT, A_SWEEP = ("is an option for a result",), ("is an option for a sweep",)


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def axes():
    return Figure().subplots()


def removed(remove):
    ax = axes()
    remove(ax)
    return ax


@pytest.mark.parametrize(
    ("name", "options", "place", "words"),
    [
        ("wrods", {}, "", ["did you mean 'words'"]),
        (3, {}, "plot: expected the name of a figure", ["not 3"]),
        ("attention", {"runn": "river"}, "plot: option 'runn'", ["did you mean 'run'"]),
        ("attention", {"run": "rivr"}, "figure: run: 'rivr'", ["did you mean 'river'"]),
        ("attention", {"run": 3}, "figure: run:", ["got 3", "a text"]),
        ("attention", {"head": 7}, "figure: there is no head 7", ["heads: layer 1 head 1"]),
        ("attention", {"layer": 2}, "figure: there is no layer 2", []),
        ("attention", {"head": 0}, "figure: head:", ["got 0", "at least 1"]),
        ("attention", {"layer": -1}, "figure: layer:", ["got -1", "at least 1"]),
        ("attention", {"head": True}, "figure: head:", ["got true", "a whole number"]),
        ("words", {"head": "1"}, "figure: head:", ["got '1'", "a whole number"]),
        ("words", {"axes": ["money", "rivr"]}, "figure 'words'", ["axes: 'rivr'", "did you mean 'river'"]),
        ("words", {"axes": "money, rivr"}, "figure 'words'", ["axes: 'rivr'", "did you mean 'river'"]),
        ("words", {"axes": ["banks", "river"]}, "figure 'words'", ["axes: 'banks'"]),
        ("words", {"axes": ["money"]}, "figure: axes:", ["has 1 entry; expected at least 2"]),
        ("words", {"axes": ["money", "money"]}, "figure 'words'", ["axes: 'money'", "twice"]),
        ("words", {"axes": 3}, "figure: axes:", ["got 3", "an array"]),
        ("words", {"axes": {"money": 1, "river": 2}}, "figure: axes:", ["an array"]),
        ("words", {"axes": {"money", "river"}}, "figure: axes:", ["an array"]),
        ("words", {"highlight": "bankz"}, "figure: highlight: 'bankz'", ["did you mean 'banks'"]),
        ("words", {"highlight": ["bankz"]}, "figure: highlight: 'bankz'", ["did you mean 'banks'"]),
        ("words", {"highlight": 3}, "figure: highlight:", ["got 3", "an array"]),
        ("words", {"query": "in"}, "figure 'words'", ["attention does not turn 'in'"]),
        ("words", {"title": 3}, "figure: title:", ["got 3", "a text"]),
        ("attention", {"query": True}, "figure: query:", ["got true", "a text"]),
        ("attention", {"query": "zebra"}, "figure: query: 'zebra'", ["unknown"]),
        ("attention", {"size": "3by2"}, "plot: size '3by2'", ["3.4x2.4", "16:9"]),
        ("attention", {"size": 3}, "plot: size 3", ["width and height in inches"]),
        ("attention", {"size": (3.4, 99)}, "plot: size (3.4, 99)", ["0.5 to 40 inches, not 99"]),
        ("attention", {"size": (0.4, 3)}, "plot: size (0.4, 3)", ["0.5 to 40 inches, not 0.4"]),
        ("attention", {"size": (3, 2), "ax": Figure()}, "plot: size:", ["new figure", "figsize"]),
        ("attention", {"style": "slides"}, "style: 'slides'", ["did you mean 'slide'"]),
        ("attention", {"style": ["dark"]}, "style:", ["unknown"]),
        ("attention", {"lang": "dee"}, "plot: lang 'dee'", ["did you mean 'de'"]),
        ("attention", {"ax": 3}, "plot: ax:", ["Axes, a Figure or a SubFigure", "not int"]),
        ("attention", {"mask": "causal"}, "plot: mask:", ["is an option for an array of weights"]),
        ("attention", {"tokens": ["a"]}, "plot: tokens:", ["is an option for an array of weights"]),
        ("attention", {"theory": {}}, "plot: theory:", A_SWEEP),
        ("attention", {"points": {}}, "plot: points:", A_SWEEP),
        ("attention", {"measure": "m"}, "plot: measure:", ["is an option for a sweep, a comparison or a census"]),
        *((name, {"ax": axes()}, "plot: axes hold one panel", ["has 2", "run"]) for name in ("attention", "words")),
    ],
)
def test_a_choice_that_a_result_does_not_have_is_refused(name, options, place, words):
    refused(lambda: ha.plot(result_of("bank"), name, **options), place, *words)


@pytest.mark.parametrize(
    ("weights", "name", "options", "place", "words"),
    [
        (WEIGHTS, "attention", {"mask": "casual"}, "", ["mask", "'casual'", "did you mean 'causal'"]),
        (WEIGHTS, "attention", {"mask": [[1, 0], [1, 1]]}, "", ["mask", "booleans"]),
        (WEIGHTS, None, {"mask": "strict", "tokens": ["a", "b"]}, "", ["weight 1 of query 'a' and key 'a'"]),
        (WEIGHTS, "attention", {"tokens": 5}, "", ["tokens", "list of words, not 5"]),
        (WEIGHTS, "attention", {"tokens": "ab"}, "", ["tokens", "list of words, not 'ab'"]),
        (WEIGHTS, "attention", {"tokens": ["one"]}, "", ["tokens", "1 words for 2 queries"]),
        (WEIGHTS, "attention", {"tokens": (["a", "b"],) * 3}, "", ["pair of lists"]),
        (WEIGHTS, "induction", {}, "figure 'induction' cannot be drawn", []),
        (WEIGHTS, None, {"ax": Figure().add_subplot(projection="3d")}, "plot: ax:", ["not 3d axes"]),
        (WEIGHTS, None, {"ax": Figure().add_subplot(projection="polar")}, "plot: ax:", ["not polar axes"]),
        (WEIGHTS, None, {"ax": removed(lambda ax: ax.remove())}, "plot: ax:", ["removed from their figure"]),
        (WEIGHTS, None, {"ax": removed(lambda ax: ax.figure.clear())}, "plot: ax:", ["removed from their figure"]),
        ([1.0, 2.0], None, {}, "", ["numbers of shape"]),
        ([["a"]], None, {}, "", ["numbers of shape"]),
        ([[float("nan")]], None, {}, "", ["not a number", "1e"]),
        ([[1, 2], [3]], None, {}, "", ["the rows differ in length"]),
        (3, "attention", {}, "plot: expected a Result", ["not int"]),
        (np.full((11, 1, 1), 1.0), None, {"head": 13}, "", ["layer 1 head 9, layer 1 head 10"]),
        (np.full((2, 2, 2), 0.5), None, {"ax": axes()}, "plot: axes hold one panel", ["layer, head"]),
        (np.full((31, 31), 1 / 31), "classes", {}, "figure 'classes'", []),
    ],
)
def test_weights_that_are_none_and_options_that_do_not_fit_them_are_refused(weights, name, options, place, words):
    refused(lambda: ha.plot(weights, name, **options), place, *words)


def recall(keep=("overlaps",), cues=2):
    patterns = np.array([[1.0, 1, 1, 1, -1, -1, -1, -1], [1, -1, 1, -1, 1, -1, 1, -1]])
    damaged = patterns[:cues] * [-1, 1, 1, 1, 1, 1, 1, 1]
    return ha.memories.hopfield(patterns).recall(damaged, keep=list(keep))


@pytest.mark.parametrize("query", [0, 3])
def test_the_choices_of_a_query_are_the_cues_alone_and_each_is_drawn(query):
    record = recall()
    refused(lambda: record.plot("overlaps", query=query), "fig", f"query: '{query}' is unknown (choices: 1, 2)")
    for choice in (1, 2):
        record.plot("overlaps", query=choice)


CURVE, PAIR = {"load": (0.1, 0.2, 0.3)}, {"load": (0.1, 0.2), "beta": (1.0, 2.0)}
GRID = {"load": (0.05, 0.1, 0.2, 0.3, 0.4), "flip": (0.0, 0.1, 0.2, 0.3, 0.4)}
MANY = {"x": (1, 2, 3, 4, 5), "y": (1, 2, 3, 4, 5)}
COMPARED = ha.compare(np.eye(3), np.eye(3), memories=["modern"])
TWO = ("overlap", "steps")


def theory(lines):
    return (sweep_of(CURVE), None, {"theory": lines})


def points(points):
    return (of_scenario("one-step-or-many", NOISE, ["gain"]), None, {"points": points})


@pytest.mark.parametrize(
    ("thing", "name", "options", "place", "words"),
    [
        *((recall(), curve, {key: value}, f"plot: {key}:", A_RESULT)
          for curve, key, value in [("recall", "query", "9"), ("recall", "run", "x"), ("recall", "head", 1),
                                    ("recall", "axes", ["a", "b"])]),
        *((thing, None, {"tokens": ["a"]}, "plot: tokens:", ["is an option for an array of weights"])
          for thing in (recall(), sweep_of(CURVE))),
        (recall(), "recall", {"measure": "m"}, "plot: measure:", ["is an option for a sweep"]),
        (recall(), "overlas", {}, "plot: figure 'overlas'", ["did you mean 'overlaps'"]),
        *((recall(()), name, {}, f"plot: figure '{name}'", ["keep=['overlaps']"]) for name in
          ("overlaps", "returns")),
        (recall(), "recall", {"ax": axes()}, "plot: axes hold one panel", []),
        *((sweep_of(CURVE), None, {key: value}, f"plot: {key}:", A_RESULT)
          for key, value in [("run", "x"), ("query", "x"), ("axes", ["a", "b"])]),
        (sweep_of(CURVE), "kurve", {}, "plot: figure 'kurve'", ["did you mean 'curve'"]),
        (sweep_of(CURVE, TWO), None, {"ax": axes()}, "plot: axes hold one panel", ["measure"]),
        (sweep_of(CURVE, TWO), None, {"measure": "step"}, "figure: measure 'step'", ["did you mean 'steps'"]),
        (sweep_of(CURVE), "map", {}, "figure: a map needs two axes", ["'curve'"]),
        (sweep_of(MANY), "curve", {}, "figure: curves need an axis of at most 4 numbers", ["'map'"]),
        (sweep_of(CURVE), "capacity", {}, "figure: a capacity needs the measure 'recalled'", []),
        (sweep_of({"x": (1,), "y": (1,), "z": (1,)}), None, {}, "figure:", ["the sweep has 3", "hold some of them"]),
        (*theory([1, 2]), "theory:", ["names with their lines", "[1, 2]"]),
        (*theory({"m": 3}), "theory: 'm'", ["(x, y)", "or a function of x", "not 3"]),
        (*theory({"m": ([1, 2], [1])}), "theory: 'm'", ["as many finite numbers x as y"]),
        (*theory({"m": ([1, 2], ["a", "b"])}), "theory: 'm'", ["finite numbers"]),
        (*theory({"m": ([1, 2], [1, np.inf])}), "theory: 'm'", ["finite numbers"]),
        (*theory({"m": lambda x: 1}), "theory: 'm'", ["a function of x that gives as many"]),
        (*theory({"N": ([], [])}), "theory: 'N'", ["finite numbers"]),
        (*theory({"N": ([1, 2], [np.nan] * 2)}), "theory: 'N'", ["finite numbers"]),
        (*theory({1: ([1], [1])}), "theory:", ["name of a line, not int"]),
        (*theory({"overlop": {"m": ([1], [1])}}), "theory: measure 'overlop'", ["did you mean 'overlap'"]),
        (*theory({"m": ([1], [1]), "overlap": {}}), "theory:", ["both lines and measures"]),
        (*points([1, 2]), "plot: points:", ["names with their points"]),
        (*points({"a": 3}), "plot: points: 'a'", ["(x, y) or a comparison, not 3"]),
        (*points({"a": (1, "x")}), "plot: points: 'a'", ["finite number, not 'x'"]),
        (*points({"a": (1000, 0.2)}), "plot: points: 'a'", ["beta = 1e+03 is off the map, 1 to 81"]),
        (*points({"a": (16, 0.6)}), "plot: points: 'a'", ["noise = 0.6 is off the map, 0.1 to 0.5"]),
        (*points({"a": ha.compare(*directions(n=4)[:2], memories="softmax")}), "plot: points: 'a'", ["noise",
                                                                                                     "targets"]),
        (*points({"a": ha.compare(*directions(n=4)[:2], memories="nearest")}), "plot: points: 'a'", ["0 places"]),
        (*points({"a": ha.compare(*directions(n=4)[:2], memories="softmax", beta=[1, 2])}), "plot: points: 'a'",
         ["2 places"]),
        (of_scenario("noise-and-load", GRID, ["overlap"]), None, {"points": {"a": COMPARED}}, "plot: points: 'a'",
         ["map of directions over beta, noise, load, patterns"]),
        (of_scenario("capacity", PAIR, ["overlap"]), None, {"points": {"a": (1, 2)}}, "plot: points:", ["'map'"]),
        (of_scenario("capacity", {"rule": (*"abcde",), "load": (1, 2, 3, 4, 5)}, ["overlap"]), "map",
         {"points": {"a": (1, 2)}}, "plot: points:", ["two axes of numbers"]),
        (COMPARED, None, {"points": {}}, "plot: points:", A_SWEEP),
        (COMPARED, None, {"theory": {}}, "plot: theory:", A_SWEEP),
        (COMPARED, None, {"run": "x"}, "plot: run:", A_RESULT),
        (COMPARED, None, {"measure": "entrop"}, "figure: measure 'entrop'", ["did you mean 'entropy'"]),
        (COMPARED, None, {"ax": axes()}, "plot: axes hold one panel", ["has 4", "measure"]),
        (COMPARED, "bars", {}, "plot: figure 'bars'", ["comparison"]),
        (ha.compare([[0.5, 1.0]], [[1.0, 1.0]], memories=["hopfield"]), None, {}, "figure:",
         ["no memory could take part"]),
    ],
)  # fmt: skip
def test_a_recall_a_sweep_and_a_comparison_refuse_what_they_do_not_have(thing, name, options, place, words):
    before = pyplot.get_fignums()
    refused(lambda: ha.plot(thing, name, **options), place, *words)
    assert pyplot.get_fignums() == before, "a notebook would show an empty figure"


@pytest.mark.parametrize(
    ("call", "place", "words"),
    [
        (lambda: film("attention", "modern"), "figure 'attention' does not move", ["svg"]),
        (lambda: film("landscape", "practice-7-2"), "figure 'landscape' cannot be drawn", []),
        (lambda: favourite(ha.run("bank", overrides={"figure.gallery": "landscape"})), "figure 'landscape'",
         ["'bank'"]),
        (lambda: ha.run("bank", overrides={"figure.gallery": "landscap"}), "--set figure.gallery",
         ["did you mean 'landscape'"]),
    ],
)  # fmt: skip
def test_files_and_favourites_refuse_what_they_cannot_hold(call, place, words):
    refused(call, place, *words)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["figures", "atention"], 2, "did you mean 'attention'"),
        (["figures", "attention", "--as", "svg,pgn"], 2, "did you mean 'png'"),
        (["figures", "attention", "--as", "gif"], 2, "does not move"),
        (["run", "capacity", "--figure", "capacity"], 2, "`hopattn figures capacity` draws it"),
        (["figures", "attention", "--out", "file"], 2, "is there already, and is left as it is"),
    ],
)
def test_a_command_that_draws_nothing_ends_with_a_message_and_leaves_no_file(arguments, code, words, hopattn, tmp_path):
    (tmp_path / "file").write_text("here")
    ended, _, errors = hopattn(*arguments)
    assert (ended, words in errors) == (code, True)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["here"]


def test_an_unknown_favourite_is_refused_with_its_line_when_the_file_is_read(tmp_path):
    text = scenario_of("bank").text.replace('gallery = "words"', 'gallery = "atention"')
    (tmp_path / "b.toml").write_text(text)
    line = 1 + text[: text.index("atention")].count("\n")
    refused(lambda: ha.load(tmp_path / "b.toml"), "", f"b.toml:{line}: figure.gallery", "did you mean 'attention'")


def test_a_sweep_over_three_axes_is_refused():
    three = Sweep(axes={"x": (1,), "y": (1,), "z": (1,)}, trials=1, values={"m": np.ones((1, 1, 1, 1))})
    refused(lambda: sweep_sheet(three), "", "the sweep has 3: hold some of them")
