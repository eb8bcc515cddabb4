"""Bags: which of a hundred vectors decides the label of all of them, learned by layers beside each other.

    p(positive) = 1 / (1 + exp(−a)),    a = w · (what eight heads read of the bag) + b

A bag is positive where it holds one vector of a kind that nobody tells the learner. So a layer has to compare each
vector with a query that it learns, and to give most of the weight to one of many: recall with a learned cue. The tasks
have the form of multiple-instance learning. Sources: Ilse, Tomczak & Welling (2018), ICML (attention as the pooling of
a bag); Widrich et al. (2020), NeurIPS (bags with an implanted pattern, read by a Hopfield layer).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from hopattn.circuits.emergence.training import one_thread
from hopattn.foundation.boundary import Count, public
from hopattn.foundation.checks import function, whole_seed
from hopattn.foundation.errors import reject_unknown
from hopattn.foundation.intervals import share_interval
from hopattn.results.dataset import Rows, plain
from hopattn.retrieval.separation.entmax import KSubsets
from hopattn.torch.layers import HopfieldPooling

DIM, HEADS, DIM_HEAD = 16, 8, 16
SIZE = 100
"""The vectors of a bag."""
BATCH, RATE = 64, 3e-3
"""The bags of a step of AdamW, all new, and its first rate; the rate falls to 0 along half a cosine."""
HELD_OUT = 2000
"""The bags that no step has seen, which the accuracy is of; half of them are positive."""
BETA = DIM_HEAD**-0.5
"""β of each layer, the default of `HopfieldPooling`: so small that sparse weights are many when the training begins."""


class Bits:
    """Vectors of 16 random bits, ±1. A bag is positive where it holds one of two signals.

    A background vector is a signal in no bag, so that the label can be known.
    """

    def __init__(self, rng: torch.Generator) -> None:
        self.signals = _bits((2, DIM), rng)

    def background(self, *shape: int, rng: torch.Generator) -> Tensor:
        return _bits((*shape, DIM), rng)

    def is_signal(self, vectors: Tensor) -> Tensor:
        return (vectors[..., None, :] == self.signals).all(-1).any(-1)

    def signal(self, n: int, rng: torch.Generator) -> Tensor:
        return self.signals[torch.randint(len(self.signals), (n,), generator=rng)]


class Needle:
    """Random directions of length √16. A bag is positive where it holds a direction within a cone about a hidden one.

    The cosine with the hidden direction is at least .8 in the cone, and evenly distributed there.
    """

    COSINE = 0.8

    def __init__(self, rng: torch.Generator) -> None:
        self.axis = functional.normalize(torch.randn(DIM, generator=rng), dim=0)

    def background(self, *shape: int, rng: torch.Generator) -> Tensor:
        return DIM**0.5 * functional.normalize(torch.randn(*shape, DIM, generator=rng), dim=-1)

    def is_signal(self, vectors: Tensor) -> Tensor:
        return vectors @ self.axis >= self.COSINE * DIM**0.5

    def signal(self, n: int, rng: torch.Generator) -> Tensor:
        cosine = self.COSINE + (1 - self.COSINE) * torch.rand(n, 1, generator=rng)
        other = torch.randn(n, DIM, generator=rng)
        across = functional.normalize(other - (other @ self.axis)[:, None] * self.axis, dim=-1)
        return DIM**0.5 * (cosine * self.axis + (1 - cosine**2).sqrt() * across)


TASKS: Mapping[str, type[Bits | Needle]] = {"bits": Bits, "needle": Needle}


def _bits(shape: tuple[int, ...], rng: torch.Generator) -> Tensor:
    return torch.randint(2, shape, generator=rng) * 2.0 - 1.0


def draw_bags(task: Bits | Needle, n: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Bags `(n, 100, 16)` and their labels `(n,)`: 0 and 1 in turn, with one signal at a random place for each 1."""
    vectors = task.background(n, SIZE, rng=rng)
    while (chance := task.is_signal(vectors)).any():
        vectors[chance] = task.background(int(chance.sum()), rng=rng)
    labels = torch.arange(n) % 2
    positive = torch.nonzero(labels)[:, 0]
    places = torch.randint(SIZE, (len(positive),), generator=rng)
    vectors[positive, places] = task.signal(len(positive), rng)
    return vectors, labels.float()


class OfAttention(nn.Module):  # type: ignore[misc]
    """`torch.nn.MultiheadAttention` with a learned query."""

    def __init__(self) -> None:
        super().__init__()
        dim = HEADS * DIM_HEAD
        self.query = nn.Parameter(torch.randn(1, dim) * dim**-0.5)
        self.attention = nn.MultiheadAttention(dim, HEADS, kdim=DIM, vdim=DIM, batch_first=True)
        self.out = nn.Linear(dim, 1)

    def forward(self, bag: Tensor) -> Tensor:
        query = self.query.expand(len(bag), -1, -1)
        return self.out(self.attention(query, bag, bag, need_weights=False)[0])


class OfMean(nn.Sequential):  # type: ignore[misc]
    """The mean of as many features as the heads have, max(0, Wx + b), with the same weight for each vector."""

    def __init__(self) -> None:
        dim = HEADS * DIM_HEAD
        super().__init__(nn.Linear(DIM, dim), nn.ReLU(), nn.AdaptiveAvgPool2d((1, dim)), nn.Linear(dim, 1))


_layer = partial(HopfieldPooling, DIM, HEADS, dim_head=DIM_HEAD, dim_out=1)
READERS: Mapping[str, Callable[[], nn.Module]] = {
    "softmax": partial(_layer, separation="softmax"),
    "sparsemax": partial(_layer, separation="sparsemax"),
    "entmax": partial(_layer, separation="entmax"),
    "k_subsets": partial(_layer, separation=KSubsets(beta=BETA, k=2)),
    "MultiheadAttention": OfAttention,
    "mean": OfMean,
}
"""The layers that read a bag, `(batch, 100, 16)` → `(batch, 1, 1)`: four of hopattn by their separations, with sets
of two for k_subsets, and two others."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BagTraining:
    """A layer that was trained on bags.

    layer: the module. vectors, labels: the bags that no step has seen, `(2000, 100, 16)`, and their labels 0 and 1,
    `(2000,)`. accuracy: the share of these bags that the layer labels correctly. seconds: of the processor, for the
    training. seed: of all draws.
    """

    layer: Any
    vectors: Any
    labels: Any
    accuracy: float
    seconds: float
    seed: int


@public
def learn_bag(
    task: str = "bits",
    reader: str = "softmax",
    *,
    seed: Any = None,
    steps: Count = 1000,
) -> BagTraining:
    """Train one layer on bags, on one thread of the CPU.

    Parameters
    ----------
    task : "bits", two patterns of 16 bits, or "needle", a cone of directions.
    reader : the name of a separation, "MultiheadAttention" or "mean".
    seed : of the signals, the bags and the first weights; by default, one is drawn and kept.
    steps : of AdamW, each with 64 new bags.

    Raises
    ------
    InvalidInput : for a name that is not known.
    """
    reject_unknown("task", [task], TASKS)
    reject_unknown("reader", [reader], READERS)
    number = whole_seed(seed, "seed")
    rng = torch.Generator().manual_seed(number)
    with one_thread(), torch.random.fork_rng(devices=[]), torch.device("cpu"):
        torch.manual_seed(number)
        layer, content = READERS[reader](), TASKS[task](rng)
        held_out, labels = draw_bags(content, HELD_OUT, rng)
        optimiser = torch.optim.AdamW(layer.parameters(), lr=RATE)
        falling = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
        start = process_time()
        for _ in range(steps):
            vectors, target = draw_bags(content, BATCH, rng)
            optimiser.zero_grad()
            functional.binary_cross_entropy_with_logits(layer(vectors).flatten(), target).backward()
            optimiser.step()
            falling.step()
        seconds = process_time() - start
        with torch.no_grad():
            right = (layer(held_out).flatten() > 0) == (labels > 0)
    accuracy = float(right.double().mean())
    return BagTraining(
        layer=layer.eval(), vectors=held_out, labels=labels, accuracy=accuracy, seconds=seconds, seed=number
    )


@public
def learn_bags(
    task: str = "bits",
    *,
    seeds: Count = 5,
    steps: Count = 1000,
    report: Annotated[Callable[[int, int], object] | None, function] = None,
) -> Rows:
    """A row for each layer: its accuracy over several seeds, and the time of a training.

    Parameters
    ----------
    task, steps : as in `learn_bag`.
    seeds : their number; they count from 0.
    report : is called with the trainings that are done, and their number.

    Raises
    ------
    InvalidInput : for a name that is not known.

    Notes
    -----
    The columns: `accuracy`, the mean over the seeds, between the ends of its interval at 95 %, `accuracy_low` and
    `accuracy_high`, None with a single seed; `seconds` of the processor for a training, the median.
    """
    rows = list[dict[str, Any]]()
    for reader in READERS:
        runs = list[BagTraining]()
        for seed in range(seeds):
            runs.append(learn_bag(task, reader, seed=seed, steps=steps))
            if report is not None:
                report(len(rows) * seeds + len(runs), len(READERS) * seeds)
        mean, (low, high) = share_interval([run.accuracy for run in runs])
        accuracy = {"accuracy": float(mean), "accuracy_low": float(low), "accuracy_high": float(high)}
        seconds = float(np.median([run.seconds for run in runs]))
        rows.append(plain({"reader": reader, **accuracy, "seconds": seconds}))
    about = {"task": task, "seeds": seeds, "steps": steps, "bags": HELD_OUT, "size": SIZE}
    return Rows(rows, ("reader",), about)
