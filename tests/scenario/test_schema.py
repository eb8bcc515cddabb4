"""The JSON Schema for editors, compared with the shipped files and the loader by an independent validator."""

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from hopattn.retrieval.activation import activations
from hopattn.retrieval.separation import separations
from hopattn.scenario.expectations import LEADING
from hopattn.scenario.files import shipped, shipped_folder
from hopattn.scenario.kinds import kinds
from hopattn.scenario.schema import schema, schema_text
from tests.texts import GOOD


@pytest.fixture(scope="module")
def validator():
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def test_it_accepts_every_shipped_file_and_each_names_it_for_editors(validator):
    faults = []
    for name, path in shipped().items():
        text = path.read_text(encoding="utf-8")
        errors = validator.iter_errors(tomllib.loads(text))
        faults += [f"{name}: {error.json_path}: {error.message}" for error in errors]
        directive, _, schema_file = text.partition("\n")[0].partition(" ")
        if directive != "#:schema" or not (path.parent / schema_file).resolve().is_file():
            faults.append(f"{name}: its first line names no schema")
    assert faults == []


def test_the_file_beside_the_scenarios_is_the_current_one():
    text = Path(shipped_folder(), "scenario.schema.json").read_text(encoding="utf-8")
    assert text == schema_text(), "make schema"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("schema = 1", "schema = 2"),
        ('"softmax"', '"softmx"'),
        ('"softmax"', '{ name = "power", m = 2 }'),
        ('mask = "causal"', "beta = -1"),
        ("[input]", "[imput]"),
        ('nearest = "b"', 'neerest = "b"'),
        ('kind = "attention"', 'kind = "cue"'),
        ("a = [1, 0]", 'a = [1, "0"]'),
    ],
)
def test_it_refuses_what_the_loader_refuses(validator, old, new):
    assert validator.is_valid(tomllib.loads(GOOD))
    assert not validator.is_valid(tomllib.loads(GOOD.replace(old, new, 1)))


def test_every_choice_of_every_registry_is_in_it(validator):
    text = json.dumps(validator.schema)
    for name in [*separations, *activations, *kinds, *LEADING]:
        assert f'"{name}"' in text, name
