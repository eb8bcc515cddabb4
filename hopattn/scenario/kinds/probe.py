"""kind = "probe": positions are read out of a random model by linear probes, with a mask and without."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.circuits.position_probe import PositionProbe, position_probe, random_blocks, random_texts
from hopattn.foundation.labelled import Labelled
from hopattn.retrieval.masks import mask_rules
from hopattn.scenario.explain.arithmetic import number, vector
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec, all_labelled, shapes
from hopattn.scenario.language.fields import NameIn, Problem, Table, Tolerance

TEMPLATE = """\
# A random model without position codes: can a linear probe read where a word stands? Change the sizes, the mask.
schema = 1
title = "my first probe"
source = "ours"                          # the document and section that it comes from
kind = "probe"

[probe]
layers = 2                               # blocks of a transformer with random weights, which are not trained
dim = 32
heads = 2
length = 6                               # the words of a text; chance is 1/6
sequences = 400                          # random texts: the first half fits the probes, the second tests them
mask = "causal"                          # compared with the same model without a mask

[[expect]]                               # more than 4 standard errors above 1/6
probe = "masked"
is = "above chance"

[[expect]]                               # within 4 standard errors of 1/6
probe = "unmasked"
is = "at chance"
"""

MEASURES = ("accuracy", "distance", "chance")


class ProbeTable(Table):
    """The random model, and the texts that the probes are fitted to and tested on."""

    layers: Annotated[int, Field(ge=1, le=12)] = 3
    """The number of blocks."""
    dim: Annotated[int, Field(ge=2, le=128)] = 32
    """The number of elements of a word vector."""
    heads: Annotated[int, Field(ge=1, le=16)] = 2
    """The number of heads of each block; `dim` is a multiple of it."""
    length: Annotated[int, Field(ge=2, le=24)] = 6
    """The number of words of a text; each place is a class of the probe."""
    words: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """The number of different words; their vectors are random."""
    common: Tolerance = 1.0
    """The size of one random vector that all words share, beside 1 for their own parts; 0 for none."""
    sequences: Annotated[int, Field(ge=20, le=2000)] = 400
    """The number of random texts; the first half fits the probes, the second tests them."""
    norm: Literal["first", "last"] = "last"
    """Whether a block normalises before each of its parts, or after its residual."""
    mask: Annotated[str, NameIn(mask_rules)] = "causal"
    """The mask of the model that is compared with the one without a mask."""

    def problems(self) -> Iterator[Problem]:
        """Heads that do not divide the vectors."""
        if self.dim % self.heads:
            yield Problem(("probe", "heads"), f"{self.heads} heads do not divide {self.dim} elements into equal parts")


class Probe(Spec):
    """A random model without position codes, and linear probes that read positions from it."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("accuracy",)
    main_table: ClassVar[str] = "probe"
    template: ClassVar[str] = TEMPLATE
    kind: Literal["probe"]
    """Which kind of scenario it is."""
    probe: ProbeTable
    """The model, and the texts."""

    def fit_problems(self) -> Iterator[Problem]:
        yield from self.probe.problems()

    def size(self) -> int:
        table = self.probe
        words = table.sequences * table.length
        weights = 12 * table.layers * table.dim**2
        return words * (10 * table.dim + 3 * table.heads * table.length) + weights + 3 * table.words * table.dim

    def declared_arrays(self) -> list[ArraySpec]:
        places = ("place", ("words", *(f"layer {i + 1}" for i in range(self.probe.layers))))
        position = ("position", tuple(str(i + 1) for i in range(self.probe.length)))
        by_place = [f"{model} {of}" for of in ("accuracy", "distance") for model in ("masked", "unmasked")]
        by_position = ["masked component", "masked length", "unmasked length"]
        return [
            *(ArraySpec(name, (places,)) for name in (*by_place, "line accuracy", "rest accuracy")),
            *(ArraySpec(name, (places, position)) for name in by_position),
            *(ArraySpec(name) for name in (*MEASURES, "standard error")),
        ]

    def layout(self) -> ArrayLayout:
        return ArrayLayout(measures=MEASURES, arrays=shapes(self.declared_arrays()))

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        table = self.probe
        blocks = random_blocks(table.layers, table.dim, table.heads, norm_first=table.norm == "first", rng=rng)
        size = table.sequences, table.length, table.words, table.dim
        texts = random_texts(*size, common=table.common, rng=rng)
        masked, unmasked = (position_probe(blocks, texts, mask=mask) for mask in (table.mask, None))
        return all_labelled(_arrays(masked, unmasked), self.declared_arrays())

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table, accuracy = self.probe, arrays["masked accuracy"]
        tested = table.sequences - table.sequences // 2
        error = number(float(arrays["standard error"].values))
        yield f"chance: one of {table.length} places, 1/{table.length} ≈ {number(1 / table.length)}"
        yield f"standard error at chance: at most 1/({table.length}×√{tested}) ≈ {error}, for {tested} texts"
        for i, place in enumerate(accuracy.labels[0]):
            parts = {
                "with the mask": arrays["masked accuracy"],
                "of one number": arrays["line accuracy"],
                "of the rest": arrays["rest accuracy"],
                "without the mask": arrays["unmasked accuracy"],
            }
            yield f"{place}: " + ", ".join(f"{name} {number(part.values[i])}" for name, part in parts.items())
        yield f"length of the mean vector by place in the text: {vector(arrays['masked length'].values[-1])}"


def _arrays(masked: PositionProbe, unmasked: PositionProbe) -> dict[str, np.ndarray]:
    """Every array of a run."""
    return {
        "masked accuracy": masked.accuracy,
        "unmasked accuracy": unmasked.accuracy,
        "masked distance": masked.distance,
        "unmasked distance": unmasked.distance,
        "line accuracy": masked.line,
        "rest accuracy": masked.rest,
        "masked component": masked.component,
        "masked length": masked.mean_length,
        "unmasked length": unmasked.mean_length,
        "accuracy": np.array(masked.accuracy[-1]),
        "distance": np.array(masked.distance[-1]),
        "chance": np.array(masked.chance),
        "standard error": np.array(masked.standard_error),
    }
