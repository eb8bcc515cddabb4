"""A checkpoint: the folder of a released model, its heads, its layers for a text, its logits."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from hopattn.checkpoints.fields import Fields, amended
from hopattn.checkpoints.folder import CONFIG, arrays_file, arrays_in, has_adapter, require_arrays, table_in
from hopattn.checkpoints.interventions import PLACES, Patch, alternatives, attributed, patched, with_patches
from hopattn.checkpoints.parts import Parts
from hopattn.checkpoints.plan import Plan
from hopattn.checkpoints.runs import Layer, Run
from hopattn.checkpoints.texts import Tokenizer, Tokens
from hopattn.circuits.census.heads import FOLLOWED, head_census
from hopattn.circuits.census.table import Census
from hopattn.foundation.argument_names import OtherWords, PublicObject
from hopattn.foundation.array_headers import named
from hopattn.foundation.arrays import Array, NumberOrArray, as_array, as_numpy, read_by_numpy, shaped
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import each, function, instance, path_of, real, whole
from hopattn.foundation.errors import InvalidInput, in_file, listed, nearest, quoted, reject_unknown, shortened, unknown
from hopattn.foundation.threads import Share, blocks, in_turn, workers
from hopattn.results.labelled import Labelled
from hopattn.retrieval.masks import rows_taken
from hopattn.transformer.blocks import Block
from hopattn.transformer.families import FAMILIES
from hopattn.transformer.heads import Head
from hopattn.transformer.multi_head import MultiHead

NUMBERS_OF_TEXTS = 2**25
"""The numbers in the states, or in the logits, of the patched texts that `effects` holds at once: 128 MiB in single
precision; of one text where it has more."""
NUMBERS_OF_PART = 2**19
"""The numbers in the largest array of a layer, for those texts that a thread computes at once."""
PARTS_OF_TEXTS = 8
"""The least number of parts that texts are divided into, if there are as many, so that every thread has some."""


class Checkpoint(PublicObject, metaclass=OtherWords):
    """A released model in a folder with `config.json` and `model.safetensors`, or the files that its index names.

    Parameters
    ----------
    path : the folder.
    missing : values of fields that its `config.json` lacks, by name, as the model's authors state them.
    unread
        the names of fields that are refused, and are to be left out as if the file did not have them; both name a field
        of a table as "rope_scaling.factor".
    dtype
        the precision of all arrays, "float32" or "float64"; by default that of the file, where half precision (BF16,
        F16) is widened to single.

    Raises
    ------
    InvalidInput
        for a file that is missing, truncated or damaged; for another family; for a field that is missing, or of a value
        that is not computed; for arrays that are missing, not known or of another shape.

    Notes
    -----
    Families: GPT-2, GPT-Neo, GPT-NeoX and Pythia, OPT, Llama, Mistral, Phi 3, Qwen 2 and 3, Gemma 1 to 3, BERT, RoBERTa
    and DistilBERT; of gpt-oss, Mixtral and Qwen 3 with experts the attention.

    Arrays are mapped into memory and read layer by layer. Nothing is downloaded, and pickles are never loaded. family:
    the `model_type`. plan: the sizes and options, such as `plan.n_layers`, `plan.n_heads` and `plan.dim`. One line on
    standard error names the fields that no loader reads, and the values taken for missing fields.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        missing: Mapping[str, Any] | None = None,
        unread: Sequence[str] = (),
        dtype: Any = None,
    ) -> None:
        folder = path_of(path, "path")
        if folder.is_file():
            raise InvalidInput(f"path: '{shortened(folder)}' is a file; give its folder, '{shortened(folder.parent)}'")
        if not folder.is_dir():
            raise InvalidInput(f"path: there is no folder '{shortened(folder)}'; nothing is downloaded")
        precision = None if dtype is None else _precision(dtype)
        require_arrays(folder)
        table = amended(table_in(folder / CONFIG), missing or {}, unread, CONFIG)
        kind = table.get("model_type")
        if not isinstance(kind, str) or kind not in FAMILIES:
            raise InvalidInput(f"{CONFIG}: {_not_read(kind, missing or {})}")
        family = FAMILIES[kind]
        self.path, self.family = folder, kind
        fields = Fields(table, CONFIG, family.defaults)
        self.plan = Plan.of(fields, family)
        for name in missing or {}:
            if name in fields.leftovers:
                guess = nearest(name, family.defaults)
                raise InvalidInput(
                    f"missing: no loader reads '{name}'" + (f"; did you mean '{guess}'?" if guess else "")
                )
        self._tokenizer = Tokenizer(folder, self.plan.n_tokens)
        arrays = arrays_in(folder)
        try:
            with in_file(named(arrays_file(folder))):
                self._parts = Parts.of(family, self.plan, arrays, precision)
        except InvalidInput as error:
            raise InvalidInput(f"{error}; {fields.note}" if fields.note else error) from None
        self.plan = self._parts.plan
        notes = [fields.note] * bool(fields.note) + ["the adapter in the folder is not applied"] * has_adapter(folder)
        if notes and sys.stderr is not None:
            sys.stderr.write(f"{'; '.join(notes)}\n")

    def __repr__(self) -> str:
        plan = self.plan
        return f"Checkpoint({self.family}: {plan.n_layers} layers of {plan.n_heads} heads, dim {plan.dim})"

    def head(self, layer: int, head: int) -> Head:
        """One head of a layer, both counted from 0; it reads the `states` of a `Layer`."""
        return self.multi_head(layer).heads[whole(head, "head", least=0, most=self.plan.n_heads - 1)]

    def multi_head(self, layer: int) -> MultiHead:
        """All heads of a layer, counted from 0, with W_O."""
        return self._parts.multi_head(whole(layer, "layer", least=0, most=self.plan.n_layers - 1))

    def block(self, layer: int) -> Block:
        """A layer, counted from 0; raises `InvalidInput` for a family whose feed-forward layers are not read."""
        self._require_feeding()
        return self._parts.block(whole(layer, "layer", least=0, most=self.plan.n_layers - 1))

    def tokens(self, text: str) -> Tokens:
        """The tokens of a text, by the `tokenizer.json` of the folder and the package `tokenizers`: `ids` and `words`.

        Special tokens, such as one for the beginning, are added as the file says. The text is neither padded nor cut,
        whatever the file says of batches. Raises `InvalidInput` where the package or the file is missing or the file is
        damaged, for a text without tokens, and for a token that the model lacks.
        """
        return self._tokenizer.tokens(instance(text, str, "text", "a text"), "text")

    def layers(self, ids: Array, kinds: Array = None) -> Iterator[Layer]:
        """The layers one after another, each with the words that reach it; no layer is kept.

        Parameters
        ----------
        ids : the numbers of the text's tokens, `(n,)`; the text itself; or what `tokens` gives for it.
        kinds : of each token, `(n,)`, for a family with such, 0 by default (BERT's token types).

        Raises
        ------
        InvalidInput
            for numbers that are no tokens, for a text longer than the learned positions, for a family whose
            feed-forward layers are not read, and as `tokens` does.
        """
        tokens = self._tokens(ids)
        return self._walk(self._embedded(tokens, kinds), tokens.words)

    def layer(self, layer: int, states: Array) -> Layer:
        """A layer, counted from 0, for the words `(n, dim)` before it, such as `states[layer]` of a `Run`."""
        return _read(
            layer, self.block(layer), shaped(as_numpy(states, "states"), "states", "n dim", dim=self.plan.dim), None
        )

    def run(self, ids: Array, kinds: Array = None, *, patches: Iterable[Patch] = ()) -> Run:
        """The states and logits of a text; the other arguments are those of `layers`.

        Parameters
        ----------
        patches : values of `patch` that replace what the model computes, in this order where two have one place.

        Raises
        ------
        InvalidInput : for positions that the text lacks, and for a run or an array of another length.
        """
        changes, n_layers = [self.patch(**vars(patch)) for patch in each(patches, Patch, "patches")], self.plan.n_layers
        tokens = self._tokens(ids)
        states = [self._embedded(tokens, kinds)]
        for number in range(n_layers + 1):
            here = [patch for patch in changes if patch.layer == number]
            states[-1] = with_patches(here, "residual", states[-1], partial(_states_of, number))
            if number < n_layers:
                inner_patches = [patch for patch in here if patch.place != "residual"]
                states.append(np.asarray(patched(self._parts.block(number), states[-1], inner_patches)))
        return Run(tuple(states), self.logits(states[-1]) if self._parts.has_logits else None, tokens.words)

    def census(self, ids: Array, kinds: Array = None, *, composed: bool = True, followed: int = FOLLOWED) -> Census:
        """Every measure of every head for a text, beside its value by chance: `ha.circuits.head_census` of `layers`.

        Parameters
        ----------
        composed, followed : as there.

        Notes
        -----
        Copying is that of the words where the folder holds arrays for logits.
        """
        tokens, unembed = self._tokens(ids), self.unembedding
        tables: dict[str, Any] = {} if unembed is None else {"embed": self.embedding, "unembed": unembed}
        layers, words = self.layers(tokens, kinds), tokens.words
        return head_census(layers, tokens.ids, words=words, composed=composed, followed=followed, **tables)

    def patch(
        self, place: str, layer: int, head: int | None = None, *, at: Any = None, value: NumberOrArray = 0.0
    ) -> Patch:
        """A change of what a layer computes, for `run`.

        Parameters
        ----------
        place
            "residual", the words before the layer, or after the last for `layer=n_layers`; "head", the output of one
            head before W_O; "attention" and "feed_forward", the output of the sub-layer before its residual; "keys",
            the tokens that the head, or without one all heads of the layer, do not see.
        at : positions, as a number, several numbers or n booleans; all by default.
        value
            the replacement at these positions, in the order of the text: a number, 0 by default; an array `(width,)` or
            `(n_at, width)`; "mean", the mean of the array over all positions; or a `Run` of a text as long, at the same
            positions (activation patching): its value is that which the layer gives from the states of the run.

        Raises
        ------
        InvalidInput : for an unknown place, for a layer and a head that the model lacks, and for another value.

        Notes
        -----
        Source: Vig et al. (2020), NeurIPS; Meng et al. (2022), NeurIPS, section 2.1 (causal tracing).
        """
        return Patch.of(self.plan, place, layer, head, at, value)

    def effects(
        self,
        ids: Array,
        measure: Callable[[Run], Any],
        place: str = "head",
        *,
        at: Any = None,
        value: NumberOrArray = 0.0,
        kinds: Array = None,
    ) -> Labelled:
        """The change of a measure by one patch at a time: `(n_layers, n_heads)`, or `(n_layers, n_at)` by position.

        Parameters
        ----------
        measure : a function from a `Run` to a number, called for each patch in the order of the table.
        place : "head" for the table by head, another place of `patch` for the table by position.
        at : the positions that are patched in a head, or the columns; all by default.
        value : as in `patch`.

        Raises
        ------
        InvalidInput : as `run` and `patch` do, and for a measure that is not a finite number.

        Notes
        -----
        The labels count layers, heads and positions from 1, with the word where words are known: "3 Mary". A patch of
        layer i leaves the layers before it as they are, so these are computed once; the layers after it compute many
        patches together. A change is that of `run` to rounding, and exactly 0 where the patch puts in what is there.
        """
        function(measure, "measure")
        reject_unknown("place", [place], PLACES)
        tokens, heads = self._tokens(ids), range(self.plan.n_heads)
        plain = self.run(tokens, kinds)
        n = len(plain.states[0])
        places = rows_taken(range(n) if at is None else at, n, "at")
        baseline, columns = real(measure(plain), "measure"), heads if place == "head" else places
        changes = np.empty((self.plan.n_layers, len(columns)))
        at_once = max(NUMBERS_OF_TEXTS // (n * self.plan.dim * (self.plan.n_layers + 1)), 1)
        for i, chunk in product(range(self.plan.n_layers), blocks(len(columns), at_once)):
            cells = [(j, places) if place == "head" else (None, [j]) for j in columns[chunk]]
            patches = [self.patch(place, i, head, at=rows, value=value) for head, rows in cells]
            changes[i, chunk] = [real(measure(run), "measure") - baseline for run in self._one_by_one(plain, patches)]
        names = tuple(str(head + 1) for head in heads) if place == "head" else tokens.labels
        labels = tuple(str(i + 1) for i in range(self.plan.n_layers)), tuple(names[i] for i in columns)
        return Labelled(changes, ("layer", "head" if place == "head" else "position"), labels, tiny=True)

    def attribution(self, ids: Array, token: Any, *, at: int = -1, kinds: Array = None) -> Labelled:
        """The part of a logit that each head writes itself, with the scale of the norms held: their sum is the logit.

        Parameters
        ----------
        token
            of the logit, or two, of whose logits the difference is taken, each as its id or as a text that is one
            token, such as " Mary".
        at : the position.

        Raises
        ------
        InvalidInput : for a family whose norms come last, and for a text that is not one token.

        Notes
        -----
        The labels count from 1: "words" (the embedded word), "1.4" (layer 1, head 4), "1.bias" (of W_O),
        "1.feed_forward" and so on, and "shift" (of the final norm). The words after the last layer are the sum of these
        parts, and a norm divides by a number that is computed from all of them; with that number held, the logit before
        its cap is linear. Effects through later layers are not in it: `effects` measures them. Source: Elhage et al.
        (2021), A mathematical framework for transformer circuits (direct logit attribution).
        """
        if not self.plan.norm_first:
            raise InvalidInput(f"attribution: the norms of {self.family} come last; no logit is a sum over heads")
        self._require_logits()
        of_logits, tokens = self._ids_of(token), self._tokens(ids)
        if len(of_logits) > 2:
            raise InvalidInput(
                f"token: got {len(of_logits)} tokens; expected one, or two for the difference of their logits"
            )
        words = self._embedded(tokens, kinds)
        place = whole(at, "at", least=-len(words), most=len(words) - 1)
        parts = {"words": words[place]}
        for layer in self._walk(words, tokens.words):
            parts |= attributed(layer, place)
        rows = self._parts.unembedding(of_logits)
        direction, stacked = rows[0] - (rows[1] if len(rows) == 2 else 0), np.stack(list(parts.values()))
        norm = self._parts.final_norm
        shift = 0.0 if norm.shift is None else norm.shift @ direction
        values = np.append(norm.held(stacked, stacked.sum(axis=0)) @ direction, shift)
        return Labelled(values, ("part",), ((*parts, "shift"),), tiny=True)

    @public
    def logits(self, states: Array) -> np.ndarray:
        """The logits `(n, n_tokens)` of words `(n, dim)` after the last layer; of those before, the logit lens.

        Raises `InvalidInput` where the folder holds no arrays for them.
        Source: nostalgebraist (2020), Interpreting GPT: the logit lens.
        """
        self._require_logits()
        return self._parts.logits(shaped(as_numpy(states, "states"), "states", "… dim", dim=self.plan.dim))

    @property
    def embedding(self) -> np.ndarray:
        """The vector of each token, `(n_tokens, dim)`, as the file has it: without a scale or a position."""
        return self._parts.embedding(slice(None))

    @property
    def unembedding(self) -> np.ndarray | None:
        """The vector by which the logit of each token is read, `(n_tokens, dim)`, without the norm before it.

        None where the folder holds no arrays for logits.
        """
        return self._parts.unembedding(slice(None)) if self._parts.has_logits else None

    def _tokens(self, ids: Any) -> Tokens:
        """The tokens of a text. ids: the text itself, its tokens, or their ids."""
        if isinstance(ids, str):
            return self._tokenizer.tokens(ids, "ids")
        if isinstance(ids, Tokens):
            _numbers(ids.ids, "ids", self.plan.n_tokens)  # of a text that another model has read
            return ids
        if isinstance(ids, (list, tuple)) and any(isinstance(entry, str) for entry in ids):
            raise InvalidInput(f"ids: got {quoted(ids)}; expected one text, or whole numbers (n,)")
        return Tokens.of_ids(_numbers(ids, "ids", self.plan.n_tokens))

    def _ids_of(self, token: Any) -> np.ndarray:
        """The ids of one or several tokens, each an id or a text."""
        tokens = [token] if isinstance(token, str) else token
        if isinstance(tokens, (list, tuple)):
            tokens = [self._tokenizer.id_of(entry, "token") if isinstance(entry, str) else entry for entry in tokens]
        return _numbers(np.atleast_1d(read_by_numpy(as_array(tokens, "token"), "token")), "token", self.plan.n_tokens)

    def _walk(self, words: np.ndarray, names: tuple[str, ...]) -> Iterator[Layer]:
        """Each layer with the words before it, which the layer before has computed. names: those of the words."""
        for number in range(self.plan.n_layers):
            block = self._parts.block(number)
            yield _read(number, block, words, names)
            words = np.asarray(block(words))
            del block  # so that one layer is held at a time

    def _one_by_one(self, plain: Run, patches: list[Patch]) -> Iterator[Run]:
        """The run of each patch by itself, in their order. patches: of one place of one layer. plain: without them."""
        number, n, n_texts = patches[0].layer, len(plain.states[0]), len(patches)
        at_once = min(NUMBERS_OF_PART // self._size_of_text(n), n_texts // PARTS_OF_TEXTS)
        parts = [(chunk,) for chunk in blocks(n_texts, max(at_once, 1))]
        with self._shared(n) as share:
            residual, of_chunk, unchanged = alternatives(self._parts.block(number), plain.states[number], patches)
            states = [*plain.states[:number], residual, np.concatenate(share(of_chunk, parts))]
            for later in range(number + 1, self.plan.n_layers):
                block, words = self._parts.block(later), states[-1]
                states.append(np.concatenate(share(lambda chunk, block=block, words=words: block(words[chunk]), parts)))
        for chunk in blocks(n_texts, max(NUMBERS_OF_TEXTS // (n * self.plan.n_tokens), 1)):
            with self._shared(n) as share:
                texts = [(words,) for words in states[-1][chunk]]
                logits = share(self.logits, texts) if self._parts.has_logits else None
            for j in range(chunk.start, chunk.stop):
                text_states = tuple(state if state.ndim == 2 else state[j] for state in states)
                text_logits = None if logits is None else logits[j - chunk.start]
                yield plain if unchanged[j] else Run(text_states, text_logits, plain.words)

    def _size_of_text(self, n: int) -> int:
        """The numbers in the largest array of a layer for a text of n tokens: of its neurons or its scores."""
        return n * max(self.plan.dim_hidden or 0, n * self.plan.n_heads)

    def _shared(self, n: int) -> AbstractContextManager[Share]:
        """Threads that share texts of n tokens; if one text is larger than a part, its products are shared."""
        return workers() if self._size_of_text(n) <= NUMBERS_OF_PART else nullcontext(in_turn)

    def _embedded(self, tokens: Tokens, kinds: Any) -> np.ndarray:
        self._require_feeding()
        plan = self.plan
        if plan.n_places is not None and len(tokens) > plan.n_places:
            places = f"the model has learned {plan.n_places:,} positions"
            cure = f"take the first of them, as in model.tokens(text)[:{plan.n_places}]"
            raise InvalidInput(f"ids: got {len(tokens):,} tokens; {places}; {cure}")
        if kinds is not None and plan.n_kinds is None:
            raise InvalidInput(f"kinds: {self.family} has no kinds of tokens; leave it out")
        of_tokens = None if kinds is None else _numbers(kinds, "kinds", plan.n_kinds or 0)
        if of_tokens is not None and len(of_tokens) != len(tokens):
            raise InvalidInput(f"kinds: got {len(of_tokens)}; expected {len(tokens)}, one for each token")
        return self._parts.embedded(tokens.ids, of_tokens)

    def _require_logits(self) -> None:
        if not self._parts.has_logits:
            raise InvalidInput(f"logits: '{shortened(self.path)}' holds no arrays for them")

    def _require_feeding(self) -> None:
        if not self._parts.family.feeds:
            cure = "head and multi_head give its attention"
            raise InvalidInput(f"{self.family}: its feed-forward layers, which choose experts, are not read; {cure}")


def _not_read(kind: Any, missing: Mapping[str, Any]) -> str:
    """Why a `model_type` is not read; only what the caller wrote may be mistyped."""
    if kind is None:
        cure = "give missing={'model_type': '…'} (--set model_type=…)"
        return f"'model_type' is missing, the family of the model; {cure}, one of: {listed(sorted(FAMILIES))}"
    if "model_type" in missing:
        return f"model_type: {unknown(kind, FAMILIES)}"
    return f"model_type: {quoted(kind)} is a family that is not read; those that are: {listed(sorted(FAMILIES))}"


def _precision(dtype: Any) -> np.dtype:
    """Single or double precision."""
    try:
        precision: np.dtype = np.dtype(dtype)
    except TypeError:
        precision = np.dtype(object)
    if precision not in (np.float32, np.float64):
        raise InvalidInput(f"dtype: expected 'float32' or 'float64', not {quoted(dtype)}")
    return precision


def _read(number: int, block: Block, states: np.ndarray, words: tuple[str, ...] | None) -> Layer:
    """A layer with the states before it, and those that its heads read."""
    return Layer(number, block, states, np.asarray(block.norms[0](states) if block.norm_first else states), words)


def _states_of(number: int, run: Run) -> np.ndarray:
    return run.states[number]


def _numbers(values: Any, what: str, n: int) -> np.ndarray:
    """Whole numbers from 0 to n − 1, `(n_numbers,)`; raises `InvalidInput` for others, and for none."""
    numbers = read_by_numpy(as_array(values, what), what)
    if numbers.ndim != 1 or not numbers.size or numbers.dtype.kind not in "iu":
        raise InvalidInput(
            f"{what}: got {numbers.dtype} of shape {numbers.shape}; expected whole numbers (n,), at least one"
        )
    if (wrong := (numbers < 0) | (numbers >= n)).any():
        first = int(np.argmax(wrong))
        raise InvalidInput(f"{what}: entry {first} is {numbers[first]}; expected 0 to {n - 1:,}")
    return numbers.astype(np.int64)
