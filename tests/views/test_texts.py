"""The text of an object on a Python console: one short line that says what it holds."""

import pytest

import hopattn as ha

RESULT = ha.run(ha.load("bank"))


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (RESULT, ["Result('bank'", "attention", "seed 0", "4 expectations met, 0 missed", "as written, river"]),
        (RESULT.runs[1], ["Run('river'", "layer 1 head 1 weights"]),
        (ha.load("bank"), ["Scenario('bank'", "attention", "banks, next to", "river"]),
        (
            ha.experiments.compare_random({"load": [0.1, 0.2]}, memories=["nearest", "classical"], trials=1, dim=8),
            ["Comparison(", "nearest, ", "over load, 4 rows, seed 0"],
        ),
        (
            ha.sweep(lambda point, seed: {"square": point["x"] ** 2}, {"x": (1, 2, 3)}, workers=1, trials=2),
            ["Sweep(square over x 1 to 3 (3); 2 trials; .table() has the numbers)"],
        ),
        (ha.memories.named_memories["modern"], ["Card(name='modern'", "Ramsauer et al. 2021"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_text_is_one_short_line(thing, words):
    text = repr(thing)
    assert [word for word in words if word not in text] == []
    assert len(text) < 300 and "\n" not in text and "array(" not in text and " at 0x" not in text
