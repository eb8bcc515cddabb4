"""kind = "probe": positions are read out of a random model by linear probes, with a mask and without."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.circuits.emergence.record import Recipe, Training
from hopattn.circuits.probes import position_probe, random_blocks, random_texts
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.writing import number
from hopattn.results.labelled import Labelled
from hopattn.retrieval.masks import mask_rules
from hopattn.scenario.explain.arithmetic import vector
from hopattn.scenario.files import shipped_folder
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArraySpec, numbers
from hopattn.scenario.language.common_problems import refusals, unused_problems
from hopattn.scenario.language.fields import NameIn, Problem, TableWithFiles, Text, Tolerance

MEASURES = ("accuracy", "distance", "chance")
SHIPPED = "no-positions"
"""The name of the trained model that comes with hopattn."""
OF_RANDOM_MODELS = ("layers", "dim", "heads", "words", "common", "norm")
"""The keys that a trained model decides."""


class ProbeTable(TableWithFiles):
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
    training: Text | None = None
    """A trained model without positions, instead of a random one: "no-positions" comes with hopattn; or the path of a
    file of `hopattn train no-positions`, from the folder of this scenario. Its texts are distinct random words."""

    @cached_property
    def trained(self) -> Training | None:
        """The training, if there is one; raises `InvalidInput` for a file that cannot be read."""
        if self.training is None:
            return None
        return Training.load(self._file)

    @property
    def _file(self) -> FilePath:
        shipped = shipped_folder() / "circuits" / f"{SHIPPED}.npz"
        return shipped if self.training == SHIPPED else self._folder / str(self.training)

    @property
    def n_layers(self) -> int:
        """The number of layers of the model."""
        return self.layers if self.trained is None else self.trained.recipe.layers

    def models(self, rng: np.random.Generator) -> Iterator[tuple[Iterable[Any], np.ndarray, str | None]]:
        """The model with the mask and the one without: its layers, the vectors of the texts, a mask for all layers."""
        if self.trained is None:
            layers = random_blocks(self.layers, self.dim, self.heads, norm_first=self.norm == "first", rng=rng)
            texts = random_texts(
                self.sequences, self.length, n_words=self.words, dim=self.dim, common=self.common, rng=rng
            )
            yield from ((layers, texts, mask) for mask in (self.mask, None))
            return
        tokens = self._recipe(self.trained).texts(self.sequences, rng).tokens[:, : self.length]
        for mask in (self.mask, "none"):
            model = self.trained.model(mask)
            yield model.layers, model.encode(tokens).astype(float), None

    def _recipe(self, training: Training) -> Recipe:
        """The recipe of texts whose first words are all distinct."""
        return replace(training.recipe, shortest=self.length, longest=self.length)

    def _require_no_positions(self) -> None:
        training = Training.load(self._file)
        self._recipe(training)
        if training.recipe.positions:
            raise InvalidInput("this model was trained with positions; expected one without")

    def problems(self) -> Iterator[Problem]:
        """Heads that do not divide the vectors; a file that cannot be used, and keys that belong to a random model."""
        if self.training is not None:
            advice = "belongs to a random model; leave it out, or leave out `training`"
            yield from unused_problems(self, OF_RANDOM_MODELS, ("probe",), advice)
            yield from refusals(("probe", "training"), self._require_no_positions)
        elif self.dim % self.heads:
            yield Problem(("probe", "heads"), f"{self.heads} heads do not divide {self.dim} elements into equal parts")


class Probe(Spec):
    """A random model without position codes, and linear probes that read positions from it."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("accuracy",)
    main_table: ClassVar[str] = "probe"
    kind: Literal["probe"]
    """Which kind of scenario it is."""
    probe: ProbeTable
    """The model, and the texts."""

    def size(self) -> int:
        table = self.probe
        words = table.sequences * table.length
        weights = 12 * table.layers * table.dim**2
        return words * (10 * table.dim + 3 * table.heads * table.length) + weights + 3 * table.words * table.dim

    def declared_arrays(self) -> Iterator[ArraySpec]:
        places = ("place", ("words", *(f"layer {i + 1}" for i in range(self.probe.n_layers))))
        position = ("position", numbers(self.probe.length))
        by_place = [f"{model} {of}" for of in ("accuracy", "distance") for model in ("masked", "unmasked")]
        by_position = ["masked component", "masked length", "unmasked length"]
        yield from (ArraySpec(name, (places,)) for name in (*by_place, "line accuracy", "rest accuracy"))
        yield from (ArraySpec(name, (places, position)) for name in by_position)
        yield from map(ArraySpec, MEASURES)
        yield ArraySpec("standard error", measured=False)

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        masked, unmasked = (position_probe(layers, texts, mask=mask) for layers, texts, mask in self.probe.models(rng))
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
            "accuracy": masked.accuracy[-1],
            "distance": masked.distance[-1],
            "chance": masked.chance,
            "standard error": masked.standard_error,
        }

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
