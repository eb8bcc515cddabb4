"""Scenarios that are large: the time grows with their size and no faster, and what nobody can read is refused."""

import time

import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario import running
from hopattn.scenario.loading import parse

TEXT = """
schema = 1
title = "large"
source = "ours"
kind = "attention"
vocabulary = { axes = ["x", "y"], words = { a = [1, 0], b = [0, 1] } }
[input]
tokens = ["a", "b"]
[[layer]]
"""
HEAD = "[[layer.head]]\n"


def variants(count):
    each = '[[variant]]\nname = "{0}"\nset = {{ "layer.head.beta" = {0} }}\n'
    return parse(TEXT + HEAD + "".join(each.format(i) for i in range(1, count + 1)), "file.toml", "file")


def seconds_of_check(count):
    start = time.process_time()
    variants(count)
    return time.process_time() - start


def test_the_check_of_many_variants_takes_time_in_proportion():
    seconds_of_check(10)
    few, many = (min(seconds_of_check(count) for _ in range(3)) for count in (50, 400))
    assert many < 20 * few  # 8 times as many; time that grows with the square would be 64 times as much


def test_a_change_of_a_list_of_the_whole_file_is_refused_once():
    text = TEXT + HEAD + '[[variant]]\nname = "v"\nset = { "variant.1.name" = "w" }\n'
    with pytest.raises(InvalidInput) as caught:
        parse(text, "file.toml", "file")
    assert str(caught.value).count("\n") == 0
    assert "belongs to the whole file; a variant changes what is computed" in str(caught.value)


@pytest.mark.parametrize("scenario", [parse(TEXT + 30 * HEAD, "file.toml", "file"), variants(30)])
def test_arithmetic_that_nobody_reads_is_refused(scenario, monkeypatch):
    lines = sum(len(run.working) for run in ha.run(scenario, explain=True).runs)
    monkeypatch.setattr(running, "MOST_LINES", lines)
    assert ha.run(scenario, explain=True).ok
    monkeypatch.setattr(running, "MOST_LINES", lines - 1)
    with pytest.raises(InvalidInput, match=rf"file\.toml: the arithmetic has more than {lines - 1} lines; explain a"):
        ha.run(scenario, explain=True)
    assert ha.run(scenario).ok


def test_a_sequence_stops_when_it_comes_round_and_says_so():
    scenario = ha.load("sequence")
    start = time.process_time()
    run = ha.run(scenario, overrides={"memory.max_steps": 80_000}, explain=True).runs[0]
    assert time.process_time() - start < 5
    assert run.arrays["status"].values.tolist() == ["cycle"]
    assert run.arrays["period"].values.tolist() == [8]
    assert "in a cycle of 8 after 16 steps" in run.strips[0].sentence


def test_a_mask_with_rows_of_unlike_lengths_is_refused_with_its_line():
    with pytest.raises(InvalidInput, match=r"^file\.toml:11: layer\.1\.head\.1\.mask: does not fit 2 queries"):
        parse(TEXT + HEAD + "mask = [[true], [true, false]]\n", "file.toml", "file")


def test_arithmetic_beyond_the_numbers_is_refused():
    free = TEXT.replace("[1, 0]", "[1e200, 0]").replace("axes", 'magnitude = "free", axes')
    text = free + HEAD + 'similarity = "cosine"\n'
    with pytest.raises(InvalidInput, match=r"^file\.toml: the arithmetic, squares included, grows out of range"):
        ha.run(parse(text, "file.toml", "file"), explain=True)


def test_a_load_beyond_the_numbers_is_refused():
    text = 'schema = 1\ntitle = "t"\nsource = "ours"\nkind = "ensemble"\n[ensemble]\nmodel = "hopfield"\n'
    with pytest.raises(InvalidInput, match=r"^file\.toml:"):
        ha.run(parse(text + "neurons = 100\nload = 1.7e308\n", "file.toml", "file"))
