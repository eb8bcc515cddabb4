"""A training as data: its recipe and texts, its model, what is measured, and a file from which it goes on."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from hopattn.circuits.attention_only import AttentionOnly
from hopattn.circuits.emergence.gpt2_form import gpt2_arrays, gpt2_config
from hopattn.circuits.scores import prefix_matching, previous_token
from hopattn.foundation.array_files import TRAINING, arrays_of, named
from hopattn.foundation.arrays import Array, require_finite, shaped
from hopattn.foundation.boundary import Count, Declared, Flag, Positive
from hopattn.foundation.checks import instance, path_of, require_room, whole, whole_seed
from hopattn.foundation.errors import InvalidInput, in_file, quoted
from hopattn.results.dataset import VERSIONS, Dataset
from hopattn.results.files import json_text, npz, safetensors, write_folder, write_over
from hopattn.results.labelled import Labelled
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.transformer.blocks import AttentionLayer, BlockTrace
from hopattn.transformer.from_torch import require_names, with_prefix
from hopattn.transformer.heads import Head, HeadTrace
from hopattn.transformer.multi_head import MultiHead

STEP, STEPS = "step", "steps"
EMBED, POSITION, UNEMBED = "embed.weight", "position.weight", "unembed.weight"
HEAD_ARRAYS = ("in_proj_weight", "out_proj.weight")
MOST_LAYERS = 10_000
"""The most layers of a model, as of a checkpoint."""
ITERATIONS = 5
"""How often the last layer is applied to its own output, to follow the energies of its heads."""


@dataclass(frozen=True, kw_only=True)
class Recipe(Declared):
    """A model that consists of attention alone, the texts that it learns from, and how it learns.

    Parameters
    ----------
    layers : their number.
    dim : of a word vector, divided by the heads.
    words : the size of the vocabulary.
    length : words of a text.
    shortest, longest
        the range of a period. A text is a row of distinct random words that is repeated until the text is full; its
        period is drawn anew, because one layer can look back by a fixed number of words without induction.
    positions : whether the words get vectors of their places; otherwise the causal mask alone tells where a word is.
    steps : of the optimiser, each with a batch of new texts.
    rate : the learning rate of Adam, reached after 50 steps.
    every : steps between two measurements.
    seed : of texts and first weights; by default, one is drawn and kept.

    Raises
    ------
    InvalidInput : for numbers out of range or that do not fit each other.

    Notes
    -----
    Source: Olsson et al. (2022), In-context Learning and Induction Heads, for what is measured; the recipe is ours.
    """

    layers: Annotated[int, partial(whole, most=MOST_LAYERS)] = 2
    dim: Count = 64
    heads: Count = 4
    words: Count = 48
    length: Count = 64
    shortest: Count = 8
    longest: Count = 24
    steps: Count = 1000
    batch: Count = 32
    rate: Positive = 5e-3
    every: Count = 25
    seed: Any = None
    positions: Flag = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "seed", whole_seed(self.seed, "seed"))
        if self.dim % self.heads:
            raise InvalidInput(f"heads: {self.heads} heads do not divide the dim {self.dim}")
        if not 2 <= self.shortest <= self.longest:
            raise InvalidInput(f"shortest: {self.shortest}; expected at least 2 and at most longest ({self.longest})")
        if self.longest > self.words:
            raise InvalidInput(f"longest: {self.longest} distinct words do not exist among {self.words}")
        if self.longest + 2 > self.length:
            raise InvalidInput(f"length: {self.length} words leave no repeated pair after a period of {self.longest}")

    def texts(self, count: int, rng: np.random.Generator) -> "RepeatedTexts":
        """New random texts."""
        periods = rng.integers(self.shortest, self.longest, size=count, endpoint=True)
        rows = np.argsort(rng.random((count, self.words)), axis=1)  # a random order of all words for each text
        places = np.arange(self.length) % periods[:, None]
        return RepeatedTexts(np.take_along_axis(rows, places, axis=1), periods)

    def batch_of(self, step: int) -> "RepeatedTexts":
        """The texts of one step of the training, the same whenever they are drawn."""
        return self.texts(self.batch, np.random.default_rng([self.seed, 1, whole(step, "step", least=0)]))

    def held_out(self, count: int = 32) -> "RepeatedTexts":
        """Texts for measurements, drawn from a stream that no step of the training uses."""
        require_room(whole(count, "count") * self.words, f"{count:,} texts of {self.words:,} words")
        return self.texts(count, np.random.default_rng([self.seed, 2]))

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        """The shape of each array of the model by its name; a layer has those of a `torch.nn.MultiheadAttention`."""
        rows = {EMBED: self.words} | ({POSITION: self.length} if self.positions else {}) | {UNEMBED: self.words}
        for i in range(self.layers):
            rows |= {f"layers.{i}.{HEAD_ARRAYS[0]}": 3 * self.dim, f"layers.{i}.{HEAD_ARRAYS[1]}": self.dim}
        return {name: (height, self.dim) for name, height in rows.items()}


@dataclass(frozen=True, eq=False)
class RepeatedTexts:
    """Texts of repeated words. tokens: the number of each word, `(n_texts, length)`. periods: `(n_texts,)`."""

    tokens: np.ndarray
    periods: np.ndarray

    @property
    def repeated(self) -> np.ndarray:
        """Where the next word can be known: the word at hand occurred before, `(n_texts, length − 1)`."""
        return np.asarray(np.arange(self.tokens.shape[1] - 1) >= self.periods[:, None])

    @property
    def new(self) -> np.ndarray:
        """Where the next word is one that the text did not have yet, as `repeated`."""
        return np.asarray(np.arange(self.tokens.shape[1] - 1) < self.periods[:, None] - 1)


def measured(
    model: AttentionOnly, texts: RepeatedTexts, known: Sequence[BlockTrace] | None = None
) -> dict[str, np.ndarray]:
    """Every measure of a model on texts of repeated words, by name; known: its traces of them, where there are some.

    "loss of repeated words", "loss of new words": the mean of −log p(next word), in nats. "in-context score": the
    first minus the second; it falls as the model learns to repeat (Olsson et al. 2022 take the loss late in a text
    minus the loss early in it). "previous token", "prefix matching": the scores of each head, `(layers, heads)`; means
    over the texts. "energy falls": see `energy_falls`.
    """
    traces = model.trace(texts.tokens) if known is None else known
    losses = cross_entropy(np.asarray(traces[-1].state) @ model.unembed.T, texts.tokens)
    repeated, new = float(losses[texts.repeated].mean()), float(losses[texts.new].mean())
    weights = np.array([[np.asarray(head.weights) for head in trace.heads] for trace in traces])
    return {
        "loss of repeated words": np.array(repeated),
        "loss of new words": np.array(new),
        "in-context score": np.array(repeated - new),
        "previous token": previous_token(weights).mean(axis=-1),
        "prefix matching": prefix_matching(weights, texts.tokens).mean(axis=-1),
        "energy falls": energy_falls(model.layers[-1], traces[-1], texts),
    }


def cross_entropy(logits: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """−log p of the next word after each word but the last, `(n_texts, n − 1)`, for logits `(n_texts, n, words)`."""
    scores = logits[:, :-1]
    right = np.take_along_axis(scores, tokens[:, 1:, None], axis=-1)[..., 0]
    return np.asarray(Softmax().potential(scores) - right)


def energy_falls(layer: AttentionLayer, trace: BlockTrace, texts: RepeatedTexts) -> np.ndarray:
    """The share of words at which the energy of each head falls when the layer is applied once more, `(heads, 5)`.

        E(q) = ½ |q|² − β⁻¹ log Σ exp(β K q)          over the keys that the word may see

    layer: the last one. trace: its arrays. The step q ← Kᵀ p of a head's own memory, its keys, never raises E. A layer
    does something else: it adds to the word what the heads read from their *values*, and the next query is W_Q of the
    sum. So the falls are only counted, at the words whose successor can be known. Keys and values are those of the
    first application.
    """
    heads = list(zip(layer.attention.heads, trace.heads, strict=True))
    places = np.pad(texts.repeated, ((0, 0), (0, 1)))
    state, falls = trace.input, []
    before = [_energy(head, arrays.queries, arrays) for head, arrays in heads]
    for _ in range(ITERATIONS):
        outputs = [
            head.retrieval._answer(head.query(state), arrays.keys, arrays.values, arrays.mask).state
            for head, arrays in heads
        ]
        state = state + layer.attention.out(np.concatenate(outputs, axis=-1))
        after = [_energy(head, head.query(state), arrays) for head, arrays in heads]
        falls.append([float(np.mean((b > a)[places])) for b, a in zip(before, after, strict=True)])
        before = after
    return np.array(falls).T


def _energy(head: Head, queries: Array, arrays: HeadTrace) -> np.ndarray:
    """E of each query, `(n_texts, n)`, for the keys that it may see."""
    return np.asarray(head.retrieval._answer(queries, arrays.keys, bias=arrays.mask, energy=True).energy)


@dataclass(frozen=True, eq=False)
class TrainingState:
    """The state of a training after a step: the weights by name, and the moments of Adam (none of a finished one)."""

    step: int
    weights: Mapping[str, np.ndarray]
    moments: Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Training(Dataset):
    """A training, finished or on its way.

    Attributes
    ----------
    recipe : what is trained, and how.
    state : after the last step.
    steps : at which the model was measured, `(k,)`.
    measures : those of `measured` by name, `(k, …)`.
    """

    recipe: Recipe
    state: TrainingState
    steps: np.ndarray
    measures: Mapping[str, np.ndarray]
    _index = ("step",)

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
        weights = {name: (scale * rng.normal(size=size)).astype(np.float32) for name, size in recipe.shapes.items()}
        return cls(recipe=recipe, state=TrainingState(0, weights, {}), steps=np.zeros(0, int), measures={})

    @classmethod
    def load(cls, file: str | Path) -> "Training":
        """A training from its file; raises `InvalidInput` for a file that is missing, corrupt, or of another sort."""
        path = path_of(file, "file")
        arrays = arrays_of(path)
        weights, moments, measures = (
            {name.removeprefix(f"{part}/"): array for name, array in arrays.items() if name.startswith(f"{part}/")}
            for part in ("weights", "moments", "measures")
        )
        try:
            with in_file(named(path)):
                for name, array in weights.items():
                    if array.dtype.kind != "f":
                        raise InvalidInput(f"{name}: expected floating-point numbers, not {array.dtype}")
                    require_finite(array, name)
                recipe = Recipe(**json.loads(str(arrays[TRAINING])))
                training = cls(
                    recipe=recipe,
                    state=TrainingState(int(arrays[STEP]), weights, moments),
                    steps=arrays[STEPS],
                    measures=measures,
                )
                training.model()
        except InvalidInput:
            raise
        except (ValueError, KeyError, TypeError, RecursionError):
            reason = "is not a file of a training, or a truncated one; ha.load gives what a file holds"
            raise InvalidInput(f"{named(path)} {reason}") from None
        return training

    @classmethod
    def resumed(cls, recipe: Recipe, file: Path) -> "Training":
        """The training in a file, to go on with, or a new one if there is no such file.

        Raises `InvalidInput` for a file of another recipe; the message names what differs.
        """
        if not file.exists():
            return cls.begun(recipe)
        training = cls.load(file)
        old, new = asdict(training.recipe), asdict(recipe)
        names = [name for name in new if new[name] != old[name]]
        if differences := [f"{name} is {quoted(old[name])} there and {quoted(new[name])} here" for name in names]:
            how = "choose another file; a finished training cannot be prolonged"
            raise InvalidInput(f"{named(file)} holds another training: {'; '.join(differences)}; {how}")
        if not training.finished and not training.state.moments:
            raise InvalidInput(f"{named(file)} lacks the state of the optimiser, so the training cannot go on")
        return training

    def _axes(self) -> Mapping[str, Any]:
        sizes = {"layer": self.recipe.layers, "head": self.recipe.heads, "application": ITERATIONS}
        return {"step": self.steps, **{name: np.arange(1, size + 1) for name, size in sizes.items()}}

    def _arrays(self) -> Mapping[str, Labelled]:
        """The measures by step; of heads also by layer and head, which count from 1."""
        last = {"energy falls": ("head", "application")}
        return {
            name: Labelled(one, ("step", *last.get(name, ("layer", "head")))[: one.ndim])
            for name, one in self.measures.items()
        }

    def _attributes(self) -> Mapping[str, Any]:
        return {"recipe": asdict(self.recipe), "versions": VERSIONS}

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.state.step >= self.recipe.steps

    def model(self, mask: str = "causal") -> AttentionOnly:
        """The model with the weights of the last step, made of hopattn's own layers. mask: of all its heads.

        Raises `InvalidInput` for missing and further weights, all at once, and for those of other shapes.
        """
        recipe, weights = self.recipe, self.state.weights
        require_names(weights, recipe.shapes)
        arrays = {name: shaped(weights[name], name, "n dim", n=n, dim=dim) for name, (n, dim) in recipe.shapes.items()}
        parts = [with_prefix(arrays, f"layers.{i}") for i in range(recipe.layers)]
        layers = tuple(AttentionLayer(MultiHead.from_torch(part, recipe.heads, mask=mask)) for part in parts)
        return AttentionOnly(
            embed=arrays[EMBED], positions=arrays.get(POSITION), layers=layers, unembed=arrays[UNEMBED]
        )

    def with_measures(self, measures: Mapping[str, np.ndarray]) -> "Training":
        """The same training with the measures at its step added."""
        series = {
            name: np.concatenate([self.measures[name], value[None]]) if self.measures else value[None]
            for name, value in measures.items()
        }
        return replace(self, steps=np.append(self.steps, self.state.step), measures=series)

    def save(self, file: str | Path) -> None:
        """Write the training as an `.npz` file, whole or not at all; a finished one without the optimiser's state.

        Raises `CannotDo` if the file cannot be written.
        """
        moments = {} if self.finished else self.state.moments
        parts = {"weights": self.state.weights, "moments": moments, "measures": self.measures}
        recipe = np.array(json.dumps(asdict(self.recipe)))
        arrays: dict[str, Any] = {TRAINING: recipe, STEP: np.array(self.state.step), STEPS: self.steps}
        arrays |= {f"{part}/{name}": array for part, table in parts.items() for name, array in table.items()}
        write_over(path_of(file, "file"), npz(arrays), continues=True)

    def save_checkpoint(self, folder: str | Path) -> None:
        """Write the model as a new folder in the form of GPT-2, which `ha.Checkpoint` and `transformers` read.

        Its words have twice the dim. Weights, logits and fixed points are those of `model()` in double precision; U and
        F are √2 times as large, as 1/β is, and compositions 1/√2 times, as is their value by chance. A model without
        positions gets positions of 0 for `recipe.length` words. Raises `InvalidInput` for a folder that is there and
        not empty, and `CannotDo` if it cannot be written.
        """
        write_folder(path_of(folder, "folder"), self.checkpoint_files())

    def checkpoint_files(self) -> dict[str, bytes]:
        """The files of `save_checkpoint`, by name."""
        recipe, weights = self.recipe, self.state.weights
        positions = weights.get(POSITION, np.zeros((recipe.length, recipe.dim)))
        layers = [
            (weights[f"layers.{i}.{HEAD_ARRAYS[0]}"], weights[f"layers.{i}.{HEAD_ARRAYS[1]}"])
            for i in range(recipe.layers)
        ]
        config = gpt2_config(recipe.dim, recipe.heads, recipe.layers, recipe.words, recipe.length)
        arrays = gpt2_arrays(weights[EMBED], positions, layers, weights[UNEMBED], recipe.heads)
        return {"config.json": json_text(config).encode(), "model.safetensors": safetensors(arrays)}
