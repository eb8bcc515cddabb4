"""A result, a recall and a labelled array in a notebook: all their words and numbers, and a figure."""

import json
from base64 import b64decode
from xml.etree import ElementTree

import numpy as np
import pytest

import hopattn as ha
from hopattn.experiments.random_memories import random_memory
from hopattn.memories.models import named_memories
from hopattn.papers import records, verdicts
from hopattn.results.labelled import Labelled
from hopattn.scenario.loading import parse
from tests.html_page import Page
from tests.runs import result_of

ODD = ("$x_1$", "<script>alert(1)</script>", "[no]", "ψυχή", "\x1b[31m", '" onload="x')


def svg(source):
    """The root element of a picture in a page."""
    kind, _, data = source.partition(",")
    assert kind == "data:image/svg+xml;base64"
    return ElementTree.fromstring(b64decode(data))


@pytest.mark.parametrize("name", ["bank", "similarity", "letters", "landscape"])
def test_a_result_shows_its_arrays_its_verdicts_and_a_figure(name):
    result = result_of(name)
    page = Page(result._repr_html_())
    assert page.tags <= {"h4", "p", "i", "img", "details", "summary", "table", "thead", "tbody", "tr", "th", "td"}
    assert svg(page.pictures[0]).tag.endswith("svg")
    verdicts = [row for row in page.tables[-1][1:] if row[0]]  # the others are notes
    assert [row[0] for row in verdicts] == ["met"] * len(result.expectations)
    assert [row[3] for row in verdicts] == [outcome.computed for outcome in result.expectations]
    assert result.title in page.words


def test_an_array_keeps_its_labels_and_its_numbers():
    result = result_of("bank")
    weights = result.arrays["layer 1 head 1 weights"]
    page = Page(weights._repr_html_())
    (heading, *rows), words, words_of = page.tables[0], weights.labels[1], page.words
    assert tuple(heading[1:]) == words and tuple(row[0] for row in rows) == weights.labels[0]
    hidden = result.arrays["layer 1 head 1 mask"].values == 0
    assert [[cell == "·" for cell in row[1:]] for row in rows] == hidden.tolist() and "hidden by the mask" in words_of
    numbers = [[0 if cell == "·" else float(cell) for cell in row[1:]] for row in rows]
    assert np.array(numbers) == pytest.approx(weights.values, abs=1e-4)
    assert np.asarray(weights).tolist() == weights.values.tolist()


def test_a_large_array_says_how_large_it_is():
    labels = tuple(map(str, range(200)))
    page = Page(ha.html(Labelled(np.zeros((200, 200)), ("query", "key"), (labels, labels))))
    assert page.tables == [] and "200 × 200" in page.words


def test_a_recall_shows_how_each_cue_ended():
    patterns = np.sign(np.random.default_rng(3).normal(size=(3, 40)))
    record = ha.memories.hopfield(patterns).recall(np.concatenate([patterns, -patterns]))
    page = Page(record._repr_html_())
    heading, *rows = page.tables[0]
    cues = [dict(zip(heading, row, strict=True)) for row in rows]
    assert [row["ended"] for row in cues] == record.status.tolist()
    assert [row["pattern"] for row in cues] == ["1", "2", "3", "", "", ""]
    assert [row["cue"] for row in cues] == ["1", "2", "3", "4", "5", "6"]
    assert [row["spurious"] for row in cues] == ["", "", "", *["reversed"] * 3]
    assert [float(row["energy"].replace("−", "-")) for row in cues] == pytest.approx(record.energies[-1], rel=1e-3)
    written = "".join(svg(page.pictures[0]).itertext())
    assert "energy" in written


def test_a_recall_of_one_cue_without_energy_shows_its_other_values():
    record = ha.memories.nearest(np.eye(3)).recall(np.eye(3)[0])
    page = Page(record._repr_html_())
    assert "energy" not in page.tables[0][0] and len(page.tables[0]) == 2
    assert "energy" not in "".join(svg(page.pictures[0]).itertext())


def test_many_cues_are_cut_and_counted():
    record = ha.memories.modern(np.eye(4)).recall(np.tile(np.eye(4), (200, 1)))
    page = Page(record._repr_html_())
    assert len(page.tables[0]) == 41 and "the first 40 of 800 cues" in page.words


def test_words_from_a_file_cannot_be_markup():
    quoted = [json.dumps(word) for word in ODD]
    words = "\n".join(f"{word} = [{i}, 1]" for i, word in enumerate(quoted))
    tokens = ", ".join(quoted)
    text = f"""schema = 1
title = "<b>bold</b>"
source = "<i>"
kind = "attention"
[vocabulary]
magnitude = "free"
axes = ["a", "b"]
[vocabulary.words]
{words}
[input]
tokens = [{tokens}]
[[layer]]
[[layer.head]]
"""
    result = ha.run(parse(text, "odd.toml", "odd"))
    page = Page(ha.html(result))
    assert page.tags.isdisjoint({"script", "b"}) and "<b>bold</b>" in page.words and "\x1b" not in page.words
    assert {"$x_1$", "<script>alert(1)</script>", "[no]", "ψυχή"} <= {row[0] for row in page.tables[0]}


def test_a_recall_explains_the_words_it_uses():
    patterns = np.sign(np.random.default_rng(3).normal(size=(3, 40)))
    words = Page(ha.html(ha.memories.hopfield(patterns).recall([patterns[0], -patterns[0]]))).words
    assert f"converged: {ha.Status.CONVERGED.meaning}" in words
    assert "reversed: every neuron of a stored pattern is reversed" in words
    assert "mixture" not in words


@pytest.mark.parametrize("name", named_memories)
def test_a_memory_shows_its_parts_its_energy_and_the_updates_under_which_it_descends(name):
    memory = random_memory(named_memories[name], np.random.default_rng(1))
    page = Page(memory._repr_html_())
    parts = dict(page.tables[0][1:])
    assert parts["activation"] == repr(memory.activation)
    assert parts["energy"] == (f"none: {memory.why_not('energy')}" if memory.why_not("energy") else parts["energy"])
    if isinstance(memory, ha.Memory):
        assert parts["keys"].startswith("{} × {}".format(*memory.keys.shape))
        assert (parts["values"] == "the keys") == memory.autoassociative
    assert bool(memory.why_not("energy")) == (not page.tables[1:])
    for update, answer, reason in page.tables[1][1:] if page.tables[1:] else ():
        descent = memory.descends(update)
        assert (answer, reason) == ("yes" if descent else "no", descent.reason)


def test_a_sweep_shows_its_points_with_their_intervals_and_a_figure():
    sweep = ha.sweep(lambda point, seed: {"square": point["x"] ** 2}, {"x": (1, 2, 3)}, trials=2, rng=0)
    page = Page(sweep._repr_html_())
    assert page.tables == [[["x", "square"], ["1", "1"], ["2", "4"], ["3", "9"]]]
    assert len(page.pictures) == 1
    assert "3 points; [ ]: 95 % interval (Student's t) of 2 trials" in page.words
    three = ha.sweep(lambda point, seed: {"a": 0.0}, {"x": (1,), "y": (1,), "z": (1,)}, trials=1, rng=0)
    assert Page(ha.html(three)).pictures == []  # three axes are a table only


def test_a_dataset_without_a_figure_shows_its_rows():
    record = verdicts([records()["critical-load"]])
    ((names, row),) = Page(record._repr_html_()).tables
    assert dict(zip(names, row, strict=True))["published"] == ".138" and names == [*record.table()[0]]
