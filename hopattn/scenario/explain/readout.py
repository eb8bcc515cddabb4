"""The arithmetic of a read-out: the dot product of the last state with each word, and the softmax."""

from collections.abc import Iterator, Mapping

from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.arithmetic import dot, weighing
from hopattn.scenario.parts.readout import LOGITS, ReadoutTable
from hopattn.scenario.words.vocabulary import Encoding


def explain_readout(
    readout: ReadoutTable, coding: Encoding, state: Labelled, arrays: Mapping[str, Labelled]
) -> Iterator[str]:
    """The arithmetic for the last token. state: after the last layer. arrays: of the run, by name."""
    yield f"the read-out of {state.labels[0][-1]}:"
    own = state.values[-1, coding.parts[readout.part]]
    for word, vector in coding.words.items():
        yield f"  {word}: {dot(own, vector)}"
    logits = arrays[LOGITS].values[-1].tolist()
    yield from (f"  {line}" for line in weighing(readout.separation, logits, list(coding.words)))
