"""Kinds of circuits and of what training does: each calls a function of the core with the numbers of its table.

- "probe": positions are read out of a random or a trained model by linear probes, with a mask and without
- "memory_circuit": an induction head whose matrices are associative memories, by its width
- "emergence": finished trainings of small models, and how well the trained models repeat new texts
- "gradients": where the derivative of the softmax vanishes, and what reaches the layers of a deep stack:

    ∂p_i/∂s_j = β p_i (δ_ij − p_j)

Large scores give one weight near 1, and every derivative near 0. Layer normalisation keeps the scores small.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from hopattn.circuits.emergence.record import ITERATIONS, Training, measured
from hopattn.circuits.outer_product_memories import PROBES, memory_curves, outer_product_recall, recall_width
from hopattn.circuits.probes import position_probe, random_blocks, random_texts
from hopattn.foundation.sentences import in_comma, say
from hopattn.foundation.writing import listed, number, shown
from hopattn.gradients.curves import DIM_KEY, OF, VARIANTS, saturation_of, softmax_saturation, stack_gradients
from hopattn.retrieval.masks import mask_rules
from hopattn.retrieval.weight_spread import least_number
from hopattn.scenario.arithmetic import vector
from hopattn.scenario.arrays import Arrays, Labels
from hopattn.scenario.files import shipped_folder
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.language.table import (
    Count,
    NameIn,
    Parts,
    PositiveNumber,
    Table,
    TableWithFiles,
    Text,
    Tolerance,
    Vector,
    at,
    need,
    need_different,
    need_room,
    need_unused,
)

TRAININGS = {"two layers": "two-layers.npz", "one layer": "one-layer.npz"}
"""The trainings that come with hopattn."""
MEASURES = {
    "loss": "−log p of the next word where it can be known, on new texts, in nats",
    "accuracy": "fraction of these words that the model predicts",
    "copying head": "prefix matching of the head that has most of it",
    "energy falls": "fraction of these words at which the energy of that head falls if its layer is applied once more",
}
"""The measures of each trained model, each with its meaning as `explain` writes it."""
CURVES = {
    "raw": "of the scores as they are",
    "scaled": "of the scores divided by √dim",
    "normalised": "of the scores after layer normalisation",
}
"""The derivatives of a run, each with its meaning as `explain` writes it."""
LOST = 1e-12
"""A gradient of this norm or less has vanished; that of the output has norm 1."""
LONGEST = 4800
"""The largest product of layers, draws and dim, above which a run would take many seconds."""

Size = Annotated[int, Field(ge=2, le=10**12)]


def options_of(table: Table, *keys: str) -> dict[str, Any]:
    """The values of these keys by the names that the core has for them."""
    names = {key: argument for argument, key in table.arguments.items()}
    return {names.get(key, key): getattr(table, key) for key in keys}


class ProbeTable(TableWithFiles):
    """The random model, and the texts that the probes are fitted to and tested on."""

    arguments: ClassVar = {"n_layers": "layers", "n_heads": "heads", "n_texts": "sequences", "n_words": "words"}

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

    def models(self, rng: np.random.Generator) -> Iterator[tuple[Iterable[Any], np.ndarray, str | None]]:
        """The model with the mask and the one without: its layers, the vectors of the texts, a mask for all layers."""
        if self.training is None:
            sizes = options_of(self, "layers", "dim", "heads")
            layers = random_blocks(**sizes, norm_first=self.norm == "first", rng=rng)
            texts = random_texts(**options_of(self, "sequences", "length", "words", "dim", "common"), rng=rng)
            yield from ((layers, texts, mask) for mask in (self.mask, None))
            return
        of_random = ("layers", "dim", "heads", "words", "common", "norm")
        need_unused(self, of_random, "belongs to a random model; leave it out, or leave out `training`")
        with at("training"):
            shipped = shipped_folder() / "circuits" / "no-positions.npz"
            training = Training.load(shipped if self.training == shipped.stem else self._folder / self.training)
            recipe = replace(training.recipe, shortest=self.length, longest=self.length)  # the words are distinct
            need(not recipe.positions, (), "this model was trained with positions; expected one without")
        tokens = recipe.texts(self.sequences, rng).tokens[:, : self.length]
        for model in (training.model(self.mask), training.model("none")):
            yield model.layers, model.encode(tokens).astype(float), None


class Probe(Kind):
    """A random model without position codes, and linear probes that read positions from it."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("accuracy",)
    kind: Literal["probe"]
    """Which kind of scenario it is."""
    probe: ProbeTable
    """The model, and the texts."""

    def need_bounds(self) -> None:
        table = self.probe
        texts = table.sequences * table.length * (10 * table.dim + 3 * table.heads * table.length)
        need_room(texts + (12 * table.layers * table.dim + 3 * table.words) * table.dim, ("probe",))

    def least(self) -> Self:
        return self.changed(probe=self.probe.model_copy(update={"sequences": 20}))

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        with at("probe", table=self.probe):
            masked, unmasked = (position_probe(*model[:2], mask=model[2]) for model in self.probe.models(rng))
        place = {"place": ("words", *(f"layer {i}" for i in range(1, len(masked.accuracy))))}
        arrays.shares |= {"masked accuracy", "unmasked accuracy", "accuracy"}
        arrays.add("masked accuracy", masked.accuracy, place)
        arrays.add("unmasked accuracy", unmasked.accuracy, place)
        arrays.add("masked distance", masked.distance, place)
        arrays.add("unmasked distance", unmasked.distance, place)
        arrays.add("line accuracy", masked.line, place)
        arrays.add("rest accuracy", masked.rest, place)
        axes: Mapping[str, Labels] = {**place, "position": range(1, self.probe.length + 1)}
        arrays.add("masked component", masked.component, axes)
        arrays.add("masked length", masked.mean_length, axes)
        arrays.add("unmasked length", unmasked.mean_length, axes)
        arrays.add("accuracy", masked.accuracy[-1])
        arrays.add("distance", masked.distance[-1])
        arrays.add("chance", masked.chance)
        arrays.add("standard error", masked.standard_error, mean=False)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        length, tested = self.probe.length, self.probe.sequences - self.probe.sequences // 2
        error = number(float(arrays["standard error"].values))
        yield say("chance: one of {0} places, 1/{0} ≈ {1}", str(length), number(1 / length))
        sizes = str(length), str(tested), error
        yield say("standard error at chance: at most 1/({0}×√{1}) ≈ {2}, for {1} texts", *sizes)
        names = {"masked": "with the mask", "line": "of one number", "rest": "of the rest"}
        names |= {"unmasked": "without the mask"}
        for i, place in enumerate(arrays["masked accuracy"].labels[0]):
            parts = (f"{say(name)} {number(arrays[f'{probe} accuracy'].values[i])}" for probe, name in names.items())
            yield f"{say(place)}: {listed(parts)}"
        yield say("length of the mean vector by place in the text: {}", vector(arrays["masked length"].values[-1]))


class CircuitTable(Table):
    """The circuit of associative memories, and the texts that it reads."""

    arguments: ClassVar = {"n_words": "words", "n_triggers": "triggers", "n_texts": "texts"}

    widths: Annotated[list[Count], Field(min_length=1)]
    """The dimensions of a word vector: one circuit is built for each."""
    words: Size = 65
    """The number of words of the vocabulary."""
    length: Size = 256
    """The number of words of a text."""
    triggers: Count = 5
    """The number of words of each text that are always followed by one and the same word of this text."""
    texts: Count = 4
    """The number of texts."""
    beta: PositiveNumber = 20.0
    """The inverse temperature of both heads."""

    @property
    def stored(self) -> dict[str, tuple[int, float]]:
        """The number of keys of two memories, and their spread, as `recall_width` counts it.

        W_V2 has mapped the keys of W_O2. Those of W_K2 are its own values, mapped, for which there is no such formula.
        """
        return {"previous word": (self.length - 1, 1.0), "output": (self.words, 2.0)}


class MemoryCircuit(Kind):
    """An induction head made of associative memories, and texts to continue."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("accuracy", "probes", "capacity")
    kind: Literal["memory_circuit"]
    circuit: CircuitTable
    """The circuit and its texts."""

    def least(self) -> Self:
        return self.changed(taken=[1] * len(self.circuit.widths))  # circuits of width 1, under the same names

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        table, d = self.circuit, max(self.circuit.widths)
        texts = min(table.texts, 16) * table.length * (8 * d + 3 * table.length + table.words)
        with at("circuit", table=table):
            need_different(table.widths, ("widths",), "; expected different numbers")
            need_room(12 * d * d + 2 * (table.words + table.length) * d + texts + table.texts * table.length)
            options = options_of(table, "words", "length", "triggers", "texts", "beta")
            curves = memory_curves(self._taken or table.widths, **options, rng=rng).mean
        width, memory, keys = {"width": table.widths}, {"probe": tuple(table.stored)}, table.stored.values()
        recall = [[outer_product_recall(n, d, spread=spread) for d in table.widths] for n, spread in keys]
        arrays.shares.add("accuracy")
        arrays.add("accuracy", curves["accuracy"], width)
        arrays.add("probes", [curves[name] for name in PROBES], {"probe": tuple(PROBES), **width})
        arrays.add("capacity", [recall_width(n, spread=spread) for n, spread in keys], memory)
        arrays.add("expected recall", recall, {**memory, **width})
        for name, curve in curves.items():
            for d, share in zip(table.widths, curve, strict=True):
                arrays.add(f"{name} at {d}", share)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        table, capacity = self.circuit, arrays["capacity"].values
        sizes = map(str, (table.texts, table.length, table.triggers, table.words))
        yield say("{} texts of {} words, each with {} triggers of {} words", *sizes)
        for (name, (n, spread)), width in zip(table.stored.items(), capacity, strict=True):
            product = f"√({shown(8 * spread)} × {n} × ln {n}) = {shown(width, 4)}"
            yield say("the memory '{}' loses few of its {} keys from a width of about {} on", name, str(n), product)
        for i, d in enumerate(table.widths):
            shares = listed(f"{name} {shown(arrays[f'{name} at {d}'].values, 4)}" for name in PROBES)
            yield say("width {}: probes {}; accuracy {}", str(d), shares, shown(arrays["accuracy"].values[i], 4))
        yield from (f"{name}: {say(meaning)}" for name, meaning in PROBES.items())


class TrainingTable(TableWithFiles):
    """The files of the trainings, and the texts on which the models are tried."""

    files: Annotated[dict[Text, Text], Field(min_length=1)] | None = None
    """A name for each training, and its file, by its path from the folder of this scenario; by default the trainings
    that come with hopattn, "two layers" and "one layer"."""
    texts: Annotated[int, Field(ge=1, le=1000)] = 50
    """The number of new texts."""

    @cached_property
    def trainings(self) -> dict[str, Training]:
        """Each training by its name."""
        folder: FilePath = self._folder if self.files else shipped_folder() / "circuits"
        trainings = {}
        with Parts() as parts:
            for name, file in (self.files or TRAININGS).items():
                with parts.at("files", name):
                    trainings[name] = Training.load(folder / file)
        return trainings


class Emergence(Kind):
    """Trainings that are finished, and the models that came out."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("accuracy", "loss", "falls")
    kind: Literal["emergence"]
    training: TrainingTable
    """The files of the trainings."""

    def need_bounds(self) -> None:
        table, length, dim = self.training, 64, 88  # of the models that `hopattn train` makes
        need_room(table.texts * len(table.files or TRAININGS) * length * 8 * (length + dim), ("training",))

    def least(self) -> Self:
        return self.changed(training=self.training.model_copy(update={"texts": 1}))

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        with at("training"):
            trainings = self.training.trainings
        for name, training in trainings.items():
            recipe, measures, step = training.recipe, training.measures, {"step": training.steps}
            heads = [f"layer {i + 1} head {j + 1}" for i in range(recipe.layers) for j in range(recipe.heads)]
            for curve in ("loss of repeated words", "loss of new words", "in-context score"):
                arrays.add(f"{name} {curve}", measures[curve], step)
            for curve in ("previous token", "prefix matching"):
                arrays.add(f"{name} {curve}", measures[curve].reshape(len(training.steps), -1), {**step, "head": heads})
            last: Mapping[str, Labels] = {"head": heads[-recipe.heads :], "application": range(1, ITERATIONS + 1)}
            arrays.add(f"{name} falling energies", measures["energy falls"][-1], last)
            model, texts = training.model(), recipe.texts(self.training.texts, rng)
            traces = model.trace(texts.tokens)
            now = measured(model, texts, traces)
            guesses = np.argmax((np.asarray(traces[-1].state) @ model.unembed.T)[:, :-1], axis=-1)
            right, head = guesses == texts.tokens[:, 1:], int(np.argmax(now["prefix matching"][-1]))
            of_head = now["prefix matching"][-1, head], now["energy falls"][head, 0]
            values = now["loss of repeated words"], np.mean(right[texts.repeated]), *of_head
            for measure, value in zip(MEASURES, values, strict=True):
                arrays.add(f"{name} {measure}", value)
            first = np.stack([np.asarray(one.weights)[0] for trace in traces for one in trace.heads])
            arrays.add(f"{name} keys for 90 %", least_number(first), {"head": heads, "word": ()}, drawn=True)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        for name, training in self.training.trainings.items():
            recipe = training.recipe
            heads = map(str, (recipe.layers, recipe.heads, recipe.dim // recipe.heads))
            yield say("{}: {} × {} heads of dim {}", say(name), *heads)
            texts = map(str, (training.state.step, recipe.batch, recipe.length))
            yield "  " + say("{} steps of {} texts of {} words, which repeat", *texts)
            yield "  " + say("{} to {} of {} words", *map(str, (recipe.shortest, recipe.longest, recipe.words)))
            for measure, meaning in MEASURES.items():
                yield f"  {measure} = {shown(arrays[f'{name} {measure}'].values, 4)}: {say(meaning)}"


class StackTable(Table):
    """Random stacks of layers, with and without normalisation and residuals."""

    arguments: ClassVar = {"n_layers": "layers", "n_draws": "draws", "n_words": "words"}

    layers: Annotated[int, Field(ge=1, le=100)] = 8
    """The number of layers."""
    draws: Annotated[int, Field(ge=1, le=100)] = 3
    """The number of random stacks and texts; the numbers of a run are medians over them."""
    words: Annotated[int, Field(ge=1, le=64)] = 8
    """The number of words of a text."""
    dim: Annotated[int, Field(ge=DIM_KEY, le=256)] = 32
    """The number of elements of a word's vector, a multiple of 8."""
    magnitude: PositiveNumber = 1.0
    """The standard deviation of the elements of the text."""

    def need_bounds(self) -> None:
        """Refuse stacks that take too long."""
        work = self.layers * self.draws * self.dim
        long = f"would take too long: layers × draws × dim = {work:,}; expected at most {LONGEST:,}"
        need(work <= LONGEST, (), long)

    def least(self) -> Self:
        """One stack of the least dim that fits as its own does, and one word."""
        return self.model_copy(update={"draws": 1, "words": 1, "dim": self.dim if self.dim % DIM_KEY else DIM_KEY})


class GradientsTable(Table):
    """The scores of a softmax, the magnitudes that they are multiplied by, and the stacks of layers."""

    arguments: ClassVar = {"kind": "size", "n_draws": "draws"}

    magnitudes: Annotated[list[PositiveNumber], Field(min_length=1, max_length=1000)] | None = None
    """The numbers that the scores are multiplied by."""
    scores: Annotated[Vector, Field(min_length=2)] | None = None
    """The scores at magnitude 1; by default they are drawn from the normal distribution."""
    n_scores: Annotated[Count, Field(ge=2)] | None = None
    """The number of random scores in a draw, 16 by default."""
    draws: Count | None = None
    """The number of draws of random scores, 200 by default; the numbers of a run are medians over them."""
    dim: Count = 64
    """The dim of queries and keys: "scaled" divides the scores by its square root."""
    beta: PositiveNumber = 1.0
    """The inverse temperature of the softmax."""
    size: Literal["largest", "spectral", "frobenius"] = "largest"
    """The size of the matrix of all derivatives: "largest", the largest derivative of a weight, for two scores that of
    the logistic function; "spectral", the largest singular value; "frobenius", the root of the sum of squares."""
    stack: StackTable | None = None
    """Random stacks of layers, through which gradients are sent back."""

    @property
    def shape(self) -> tuple[int, int]:
        """The number of draws of scores, and of the scores of a draw."""
        return (1, len(self.scores)) if self.scores else (self.draws or 200, self.n_scores or 16)

    def need_bounds(self) -> None:
        """Refuse keys that contradict each other, and too many scores."""
        magnitudes = self.magnitudes or []
        with Parts() as parts:
            with parts.at():
                need(magnitudes or self.stack, (), "needs `magnitudes`, [gradients.stack], or both; none is given")
                if not magnitudes:
                    need_unused(self, ("scores", "n_scores", "draws"), "is not used without `magnitudes`")
                elif self.scores:
                    need_unused(self, ("n_scores", "draws"), "belongs to random scores; `scores` are given")
                need_different(magnitudes, ("magnitudes",))
                need_room(self.shape[0] * (5 * self.shape[1] ** 2 + 3 * len(magnitudes)))
            with parts.at("stack"):
                if self.stack:
                    self.stack.need_bounds()

    def least(self) -> Self:
        """Two scores, one draw, the least stack."""
        drawn = {"scores": self.scores[:2]} if self.scores else {"n_scores": 2, "draws": 1} if self.magnitudes else {}
        return self.model_copy(update={**drawn, "stack": self.stack and self.stack.least()})


class Gradients(Kind):
    """The derivatives of a softmax, and the gradients in random stacks of layers."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("derivative", "words_norm", "scores_norm", "vanished")
    kind: Literal["gradients"]
    gradients: GradientsTable
    """The scores, the magnitudes, the stacks."""

    def need_bounds(self) -> None:
        with at("gradients"):
            self.gradients.need_bounds()

    def least(self) -> Self:
        return self.changed(gradients=self.gradients.least())

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        table, stack = self.gradients, self.gradients.stack
        if table.magnitudes is not None:
            with at("gradients", table=table):
                options = options_of(table, "magnitudes", "dim", "beta", "size")
                if table.scores is not None:
                    median = saturation_of(table.scores, **options).median
                else:
                    draws, n = table.shape
                    median = softmax_saturation(n_scores=n, n_draws=draws, rng=rng, **options).median
            axes: Mapping[str, Labels] = {"scores": tuple(median), "magnitude": table.magnitudes}
            arrays.add("derivative", [*median.values()], axes, tiny=True)
            for name, sizes in median.items():
                arrays.add(name, sizes[int(np.argmax(table.magnitudes))], tiny=True)
        if stack is not None:
            with at("gradients", "stack", table=stack):
                curves = stack_gradients(**options_of(stack, *StackTable.model_fields), rng=rng)
            stacks, layers = tuple(VARIANTS), range(1, stack.layers + 1)
            after: Mapping[str, Labels] = {"words": (*map(str, layers), "output"), "scores": layers}
            for of in OF:
                arrays.add(f"{of}_norm", [*curves[of].median.values()], {"stack": stacks, "layer": after[of]})
            lost = [[np.mean(norms.min(axis=1) <= LOST) for norms in curves[of].trials.values()] for of in OF]
            arrays.add("vanished", np.array(lost).T, {"stack": stacks, "gradient of": OF})

    def explain(self, arrays: Arrays) -> Iterator[str]:
        table, stack = self.gradients, self.gradients.stack
        if table.magnitudes is not None:
            derivative = arrays["derivative"]
            yield say(f"the {table.size} derivative of the softmax, β p_i (δ_ij − p_j):")
            for magnitude, sizes in zip(derivative.labels[1], derivative.values.T, strict=True):
                sizes_ = (f"{name} {number(size, rounding=0)}" for name, size in zip(CURVES, sizes, strict=True))
                yield "  " + say("magnitude {}: {}", in_comma(magnitude), listed(sizes_))
            yield from (f"  {name}: {say(meaning)}" for name, meaning in CURVES.items())
        if stack is not None:
            sizes = str(stack.draws), str(stack.layers)
            yield say("{} random stacks of {} layers; the gradient of the output has norm 1:", *sizes)
            for i, name in enumerate(VARIANTS):
                first, last = (
                    listed(f"{of} {number(arrays[f'{of}_norm'].values[i, layer])}" for of in OF)
                    for layer in (0, stack.layers - 1)
                )
                yield "  " + say("{}: in layer 1 {}; in layer {} {}", say(name), first, str(stack.layers), last)
            yield "  " + say("words: the gradient at the input of a layer; scores: that of its W_Q and W_K")
            lost = f"{LOST:g}"
            yield "  " + say("vanished: the share of the stacks with a gradient of {} or less in some layer", lost)
