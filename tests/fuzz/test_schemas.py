"""What is drawn from the JSON Schema: the referee's validator allows most of it, and hopattn takes a part."""

import jsonschema
from hypothesis import find, given, settings

import hopattn as ha
from hopattn.scenario.loading import parse
from tests.counts import count
from tests.each import each
from tests.fuzz.schemas import documents, schema, shipped_documents
from tests.fuzz.toml_text import written


@each("drawn", [documents(hostile=False), shipped_documents(hostile=False)])
def test_most_of_what_is_drawn_is_allowed_by_the_schema(drawn):
    validator, allowed = jsonschema.Draft202012Validator(schema()), []

    @settings(max_examples=count(200, 20))
    @given(drawn)
    def judge(document):
        allowed.append(validator.is_valid(document))

    judge()
    assert sum(allowed) > 0.4 * len(allowed)


def test_some_of_it_is_a_scenario():
    def is_scenario(document):
        try:
            return bool(parse(written(document), "drawn.toml", "drawn"))
        except ha.InvalidInput:
            return False

    assert find(shipped_documents(), is_scenario, settings=settings(max_examples=200))
