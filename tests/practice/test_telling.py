"""What no sentence of a sheet tells is refused: its problem could not be solved."""

import pytest

import hopattn as ha
from hopattn.practice import sheet
from hopattn.practice.telling import untold
from hopattn.practice.wording import texts
from tests.each import each


def first(name, changes=None):
    """The keys that the first expectation of a scenario needs and no sentence tells, after changes."""
    scenario = ha.load(name)
    if changes:
        from hopattn.scenario.loading import parse

        scenario = parse(scenario.text, scenario.where, name, changes)
    return [*untold(scenario.spec, scenario.spec.expect[1], texts("en"))]


@each(
    ("changes", "keys"),
    [
        ({}, []),
        ({"layer.norm": "layer"}, ["layer.1.norm"]),
        ({"layer.head.rope": True}, ["layer.1.head.1.rope"]),
        ({"layer.head.separation": "sparsemax"}, ["layer.1.head.1.separation"]),
        ({"layer.head.similarity": "euclidean"}, ["layer.1.head.1.similarity"]),
        ({"layer.head.mask": {"name": "window", "width": 2}}, ["layer.1.head.1.mask"]),
        ({"layer.head.value": {"scale": 2}}, ["layer.1.head.1.value.scale"]),
    ],
)
def test_a_part_without_a_sentence_is_found(changes, keys):
    assert first("bank", changes) == keys


def test_a_part_after_the_number_that_is_asked_does_not_matter():
    assert first("practice-7-2", {"layer.head.activation": "unit", "layer.residual": False}) == []


def test_a_kind_without_sentences_is_found():
    assert first("two-layers") == ["kind network"]


def test_it_is_refused_with_the_line_of_the_table(tmp_path):
    file = tmp_path / "normed.toml"
    file.write_text(ha.load("bank").text.replace("[[layer.head]]", 'norm = "layer"\n[[layer.head]]', 1))
    with pytest.raises(
        ha.InvalidInput, match=r"normed\.toml:\d+: practice: no sentence of a sheet tells layer\.1\.norm"
    ):
        sheet(file)
