"""The training of a model of attention alone, by PyTorch (the extra `torch`)."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from hopattn.circuits.emergence.record import (
    EMBED,
    HEAD_ARRAYS,
    POSITION,
    UNEMBED,
    Recipe,
    Training,
    TrainingState,
    measured,
)
from hopattn.foundation.arrays import Array
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import function, instance, path_of
from hopattn.foundation.errors import CannotDo, InvalidInput, shortened

BETAS = (0.9, 0.98)
"""Adam's rates of decay."""
ADAM_MEANS = ("exp_avg", "exp_avg_sq")
"""Adam's means of the gradient and of its square."""
WARM_UP = 50
"""The steps in which the learning rate rises to its full size."""
CHECKPOINT = 100
"""The steps after which the state of an unfinished training is written."""


@public
def train(
    recipe: Recipe | None = None,
    *,
    file: str | Path | None = None,
    report: Annotated[Callable[[int, int], object] | None, function] = None,
) -> Training:
    """Train a model on texts of repeated words, and measure it on the way.

    Parameters
    ----------
    recipe : by default two layers of four heads, less than a minute on one core.
    file
        keeps the training, finished or not; from a file of the same recipe it goes on where it was, and gives the same
        numbers as one that was never interrupted.
    report : is called with the steps that are done and the number of steps.

    Raises
    ------
    CannotDo : if PyTorch is not installed, if the loss is no longer finite, and if the file cannot be written.
    InvalidInput : for a file of another recipe.
    """
    recipe = Recipe() if recipe is None else instance(recipe, Recipe, "recipe")
    path = None if file is None else path_of(file, "file")
    if path is not None and not path.absolute().parent.is_dir():
        raise InvalidInput(f"file: there is no folder '{shortened(path.absolute().parent)}'")
    if find_spec("torch") is None:
        raise CannotDo("training needs PyTorch: pip install torch (a finished training is read without it)")
    training = Training.begun(recipe) if path is None else Training.resumed(recipe, path)
    if training.finished:
        return training
    with one_thread():
        for later in _steps(training):
            training, done = later, later.state.step
            if report is not None:
                report(done, recipe.steps)
            if path is not None and (done % CHECKPOINT == 0 or training.finished):
                training.save(path)
    return training


def _steps(training: Training) -> Iterator[Training]:
    """The training after every step that is measured or written."""
    import torch

    recipe, state = training.recipe, training.state
    weights = {name: torch.tensor(array, requires_grad=True) for name, array in state.weights.items()}
    adam = torch.optim.Adam(weights.values(), lr=recipe.rate, betas=BETAS)
    for name, tensor in weights.items() if state.step else ():
        moments = {moment: torch.tensor(state.moments[f"{moment}.{name}"]) for moment in ADAM_MEANS}
        adam.state[tensor] = {"step": torch.tensor(float(state.step)), **moments}
    texts = recipe.held_out()
    if state.step == 0:
        training = training.with_measures(measured(training.model(), texts))
    for step in range(state.step, recipe.steps):
        for group in adam.param_groups:
            group["lr"] = recipe.rate * min(1.0, (step + 1) / WARM_UP)
        tokens = torch.tensor(recipe.batch_of(step).tokens)
        scores = logits_of(weights, tokens, recipe)[:, :-1]
        loss = torch.nn.functional.cross_entropy(scores.reshape(-1, recipe.words), tokens[:, 1:].reshape(-1))
        if not math.isfinite(loss.item()):
            advice = f"its rate of {recipe.rate:g} is too large; try {recipe.rate / 4:g}"
            raise CannotDo(f"the training diverged: after {step} steps the loss is {loss.item()}; {advice}")
        adam.zero_grad()
        loss.backward()
        adam.step()
        done = step + 1
        if done % recipe.every == 0 or done % CHECKPOINT == 0 or done == recipe.steps:
            training = replace(training, state=_state(done, weights, adam))
            if done % recipe.every == 0 or done == recipe.steps:
                training = training.with_measures(measured(training.model(), texts))
            yield training


def logits_of(weights: dict[str, Any], tokens: Array, recipe: Recipe) -> Any:
    """The scores of the next word, `(n_texts, n, words)`: those of `Training.model`, in PyTorch's own functions.

    They are written out for speed: with the heads of hopattn a step of a training takes about twice as long.
    """
    from torch.nn.functional import scaled_dot_product_attention

    x = weights[EMBED][tokens]
    if recipe.positions:
        x = x + weights[POSITION][: tokens.shape[1]]
    for i in range(recipe.layers):
        joint = x @ weights[f"layers.{i}.{HEAD_ARRAYS[0]}"].T
        roles = joint.view(*x.shape[:2], 3, recipe.heads, recipe.dim // recipe.heads).permute(2, 0, 3, 1, 4)
        query, key, value = roles.unbind(0)
        outputs = scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + outputs.transpose(1, 2).reshape(x.shape) @ weights[f"layers.{i}.{HEAD_ARRAYS[1]}"].T
    return x @ weights[UNEMBED].T


def _state(step: int, weights: dict[str, Any], adam: Any) -> TrainingState:
    """The numbers from which the training goes on; copies, since PyTorch changes its own in place."""
    moments = {
        f"{moment}.{name}": adam.state[tensor][moment].numpy().copy()
        for name, tensor in weights.items()
        for moment in ADAM_MEANS
    }
    return TrainingState(step, {name: tensor.detach().numpy().copy() for name, tensor in weights.items()}, moments)


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch on one thread: small products are not faster on several, and the sums come in one order."""
    import torch

    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(n_threads)
