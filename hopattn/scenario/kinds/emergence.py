"""kind = "emergence": finished trainings of small models, and how well the trained models repeat new texts."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path as FilePath
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.circuits.emergence.record import ITERATIONS, Training, measured
from hopattn.results.labelled import Labelled
from hopattn.retrieval.weight_spread import least_number
from hopattn.scenario.files import shipped_folder
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArraySpec, Axis, numbers
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.fields import Problem, TableWithFiles, Text

SHIPPED = {"two layers": "two-layers.npz", "one layer": "one-layer.npz"}
"""The trainings that come with hopattn."""
CURVES = ("loss of repeated words", "loss of new words", "in-context score")
BY_HEAD = ("previous token", "prefix matching")
KEYS = "keys for 90 %"
"""The array of the least number of keys that hold nine tenths of the weight, at each word of the first new text."""
MEASURES = {
    "loss": "−log p of the next word where it can be known, on new texts, in nats",
    "accuracy": "fraction of these words that the model predicts",
    "copying head": "prefix matching of the head that has most of it",
    "energy falls": "fraction of these words at which the energy of that head falls if its layer is applied once more",
}
"""The measures of each trained model, each with its meaning as `explain` writes it."""


class TrainingTable(TableWithFiles):
    """The files of the trainings, and the texts on which the models are tried."""

    files: Annotated[dict[Text, Text], Field(min_length=1)] | None = None
    """A name for each training, and its file, by its path from the folder of this scenario; by default the trainings
    that come with hopattn, "two layers" and "one layer"."""
    texts: Annotated[int, Field(ge=1, le=1000)] = 50
    """The number of new texts."""

    @property
    def paths(self) -> dict[str, FilePath]:
        """The file of each training, by its name."""
        if self.files is None:
            return {name: shipped_folder() / "circuits" / file for name, file in SHIPPED.items()}
        return {name: self._folder / file for name, file in self.files.items()}

    @cached_property
    def trainings(self) -> dict[str, Training]:
        """Each training by its name; raises `InvalidInput` for a file that cannot be read."""
        return {name: Training.load(path) for name, path in self.paths.items()}

    def problems(self) -> Iterator[Problem]:
        """Files that are missing, truncated, or of another sort."""
        for name, path in self.paths.items():
            yield from refusals(("training", "files", name), partial(Training.load, path))


class Emergence(Spec):
    """Trainings that are finished, and the models that came out."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("accuracy", "loss", "falls")
    main_table: ClassVar[str] = "training"
    kind: Literal["emergence"]
    training: TrainingTable
    """The files of the trainings."""

    def size(self) -> int:
        length, dim = 64, 88  # of the models that `hopattn train` makes
        return self.training.texts * len(self.training.paths) * length * (8 * length + 8 * dim)

    def declared_arrays(self) -> Iterator[ArraySpec]:
        for name, training in self.training.trainings.items():
            for array in _declared(training):
                yield replace(array, name=f"{name} {array.name}")

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        arrays: dict[str, Any] = {}
        for name, training in self.training.trainings.items():
            curves: dict[str, Any] = {curve: training.measures[curve] for curve in CURVES}
            curves |= {curve: training.measures[curve].reshape(len(training.steps), -1) for curve in BY_HEAD}
            curves["falling energies"] = training.measures["energy falls"][-1]
            arrays |= {f"{name} {own}": array for own, array in (curves | self._tried(training, rng)).items()}
        return arrays

    def _tried(self, training: Training, rng: np.random.Generator) -> dict[str, Any]:
        """The measures of a trained model on new texts."""
        model, texts = training.model(), training.recipe.texts(self.training.texts, rng)
        traces = model.trace(texts.tokens)
        now = measured(model, texts, traces)
        guesses = np.argmax((np.asarray(traces[-1].state) @ model.unembed.T)[:, :-1], axis=-1)
        head = int(np.argmax(now["prefix matching"][-1]))
        first = [np.asarray(own.weights)[0] for trace in traces for own in trace.heads]
        return {
            "loss": now["loss of repeated words"],
            "accuracy": np.mean((guesses == texts.tokens[:, 1:])[texts.repeated]),
            "copying head": now["prefix matching"][-1, head],
            "energy falls": now["energy falls"][head, 0],
            KEYS: least_number(np.stack(first)),
        }

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        for name, training in self.training.trainings.items():
            recipe = training.recipe
            yield f"{name}: {recipe.layers} × {recipe.heads} heads of dim {recipe.dim // recipe.heads}"
            yield f"  {training.state.step} steps of {recipe.batch} texts of {recipe.length} words, which repeat"
            yield f"  {recipe.shortest} to {recipe.longest} of {recipe.words} words"
            for measure, meaning in MEASURES.items():
                yield f"  {measure} = {arrays[f'{name} {measure}'].values:.4g}: {meaning}"


def _declared(training: Training) -> Iterator[ArraySpec]:
    recipe = training.recipe
    step: Axis = ("step", tuple(str(step) for step in training.steps))
    places = [f"layer {i + 1} head {j + 1}" for i in range(recipe.layers) for j in range(recipe.heads)]
    head: Axis = ("head", tuple(places))
    yield from (ArraySpec(curve, (step,)) for curve in CURVES)
    yield from (ArraySpec(curve, (step, head)) for curve in BY_HEAD)
    last: Axis = ("head", tuple(places[-recipe.heads :]))
    yield ArraySpec("falling energies", (last, ("application", numbers(ITERATIONS))))
    yield from map(ArraySpec, MEASURES)
    yield ArraySpec(KEYS, (head, ("word", recipe.length)), referable=False, measured=False)
