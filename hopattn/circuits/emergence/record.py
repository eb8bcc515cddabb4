"""A training as data: its recipe, its measures, and the state from which it goes on; read and written as `.npz`."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.circuits.emergence.model import AttentionOnly, shapes
from hopattn.circuits.emergence.recipe import Recipe
from hopattn.foundation.array_files import arrays_of, named
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.files import npz, write_over
from hopattn.foundation.objects import instance, path_of

RECIPE, STEP, STEPS = "recipe", "step", "steps"


@dataclass(frozen=True, eq=False)
class TrainingState:
    """The state of a training after a step: the weights by name, and the moments of Adam (none of a finished one)."""

    step: int
    weights: Mapping[str, np.ndarray]
    moments: Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False, repr=False)
class Training:
    """A training, finished or on its way.

    recipe: how it is done. state: after the last step. steps: the steps at which the model was measured, `(k,)`.
    measures: the measures by name, `(k, …)`; see `measured` for their meaning.
    """

    recipe: Recipe
    state: TrainingState
    steps: np.ndarray
    measures: Mapping[str, np.ndarray]

    def __repr__(self) -> str:
        done = "finished" if self.finished else f"after {self.state.step} of {self.recipe.steps} steps"
        return f"Training({self.recipe}, {done}; .measures by .steps, .model())"

    @classmethod
    def begun(cls, recipe: Recipe) -> "Training":
        """A training with its first weights: normal random numbers of standard deviation 1/√dim, in float32.

        Raises `InvalidInput` for anything but a recipe.
        """
        instance(recipe, Recipe, "recipe")
        rng, scale = np.random.default_rng([recipe.seed, 0]), recipe.dim**-0.5
        weights = {name: (scale * rng.normal(size=size)).astype(np.float32) for name, size in shapes(recipe).items()}
        return cls(recipe, TrainingState(0, weights, {}), np.zeros(0, int), {})

    @classmethod
    def load(cls, file: str | Path) -> "Training":
        """A training from its file; raises `InvalidInput` for a file that is missing, torn, or of another sort."""
        path = path_of(file, "file")
        arrays = arrays_of(path)
        try:
            recipe = Recipe(**json.loads(str(arrays[RECIPE])))
            parts = {part: _below(arrays, part) for part in ("weights", "moments", "measures")}
            training = cls(
                recipe,
                TrainingState(int(arrays[STEP]), parts["weights"], parts["moments"]),
                arrays[STEPS],
                parts["measures"],
            )
            training.model()
        except InvalidInput:
            raise
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InvalidInput(f"{named(path)} is no file of a training, or a torn one") from None
        return training

    @classmethod
    def resumed(cls, recipe: Recipe, file: Path) -> "Training":
        """The training in a file, to go on with, or a new one if there is no such file.

        Raises `InvalidInput` for a file of another recipe; the message names what differs.
        """
        if not file.exists():
            return cls.begun(recipe)
        training = cls.load(file)
        own, other = asdict(recipe), asdict(training.recipe)
        differing = [
            f"{name} is {quoted(other[name])} there and {quoted(own[name])} here"
            for name in own
            if own[name] != other[name]
        ]
        if differing:
            how = "choose another file; a finished training cannot be prolonged"
            raise InvalidInput(f"{named(file)} holds another training: {'; '.join(differing)}; {how}")
        if not training.finished and not training.state.moments:
            raise InvalidInput(f"{named(file)} lacks the state of the optimiser, so the training cannot go on")
        return training

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.state.step >= self.recipe.steps

    def model(self, mask: str = "causal") -> AttentionOnly:
        """The model with the weights of the last step, made of hopattn's own layers; mask: of all its heads."""
        return AttentionOnly.from_weights(self.state.weights, self.recipe, mask)

    def at(self, state: TrainingState) -> "Training":
        """The same training after a later step."""
        return replace(self, state=state)

    def with_measures(self, measures: Mapping[str, np.ndarray]) -> "Training":
        """The same training with the measures at its step added."""
        grown = {
            name: np.concatenate([self.measures[name], value[None]]) if self.measures else value[None]
            for name, value in measures.items()
        }
        return replace(self, steps=np.append(self.steps, self.state.step), measures=grown)

    def save(self, file: str | Path) -> None:
        """Write the training as an `.npz` file, whole or not at all; a finished one without the optimiser's state.

        Raises `CannotDo` if the file cannot be written.
        """
        moments = {} if self.finished else self.state.moments
        parts = {"weights": self.state.weights, "moments": moments, "measures": self.measures}
        arrays: dict[str, Any] = {RECIPE: np.array(json.dumps(asdict(self.recipe))), STEP: np.array(self.state.step)}
        arrays[STEPS] = self.steps
        arrays |= {f"{part}/{name}": array for part, named_ in parts.items() for name, array in named_.items()}
        write_over(path_of(file, "file"), npz(arrays))


def _below(arrays: Mapping[str, np.ndarray], part: str) -> dict[str, np.ndarray]:
    """The arrays of one part, by their names within it."""
    return {name.removeprefix(f"{part}/"): array for name, array in arrays.items() if name.startswith(f"{part}/")}
