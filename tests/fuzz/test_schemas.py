"""The JSON Schema and hopattn agree: documents are drawn from the one, and judged by both, each without the other."""

import jsonschema
import pytest
from hypothesis import find, given, settings

import hopattn as ha
from tests.draws import count
from tests.fuzz.schemas import documents, redrawn, schema
from tests.fuzz.toml_text import written
from tests.texts import parsed


def is_scenario(document):
    """Whether hopattn takes a document; one that it does not take is refused in words of hopattn, with a place."""
    try:
        return bool(parsed(written(document)))
    except ha.InvalidInput as refusal:
        assert all(line.startswith("file.toml:") for line in refusal.problems)
        return False


@pytest.mark.parametrize("drawn", [documents(), redrawn()], ids=["from the schema alone", "shipped ones with changes"])
def test_the_schema_allows_what_hopattn_takes(drawn):
    allows = jsonschema.Draft202012Validator(schema()).is_valid

    @settings(max_examples=count(200, 20))
    @given(drawn)
    def judge(document):
        assert allows(document) or not is_scenario(document)

    judge()


@pytest.mark.parametrize("drawn", [documents(hostile=False), redrawn(hostile=False)])
def test_most_of_what_is_drawn_is_allowed_by_the_schema(drawn):
    """In 30 documents at least 5, where 40 % is usual: fewer are less likely than 0.2 %."""
    allows = jsonschema.Draft202012Validator(schema()).is_valid
    allowed = []

    @settings(max_examples=30)
    @given(drawn)
    def judge(document):
        allowed.append(allows(document))

    judge()
    assert sum(allowed) >= 5


def test_some_of_it_is_a_scenario():
    assert find(redrawn(), is_scenario, settings=settings(max_examples=200))
