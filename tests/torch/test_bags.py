"""Bags: labels that are right, and layers that learn them."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from hopattn import InvalidInput  # noqa: E402 (behind the check for PyTorch)
from hopattn.torch import bags, learn_bag, learn_bags  # noqa: E402


@pytest.fixture(autouse=True)
def device() -> str:
    """The device of a training, which has its own number of threads."""
    return "cpu"


@pytest.mark.parametrize("name", bags.TASKS)
def test_a_bag_is_positive_where_it_holds_one_signal(name: str) -> None:
    rng = torch.Generator().manual_seed(7)
    task = bags.TASKS[name](rng)
    vectors, labels = bags.draw_bags(task, 200, rng)
    assert vectors.shape == (200, bags.SIZE, bags.DIM)
    assert torch.equal(task.is_signal(vectors).sum(-1), labels.long())
    assert labels.mean() == 0.5


def test_vectors_have_the_length_that_their_task_names() -> None:
    rng = torch.Generator().manual_seed(7)
    task = bags.Needle(rng)
    vectors, _ = bags.draw_bags(task, 50, rng)
    torch.testing.assert_close(vectors.norm(dim=-1), torch.full((50, bags.SIZE), 4.0))
    cosine = task.signal(2000, rng) @ task.axis / 4
    assert cosine.min() >= task.COSINE - 1e-6
    # evenly distributed between .8 and 1: the mean is .9, with a standard error of .2/√(12 · 2000) = .0013
    assert abs(cosine.mean() - 0.9) < 4 * 0.0013


def test_places_of_signals_are_even() -> None:
    rng = torch.Generator().manual_seed(7)
    task = bags.Bits(rng)
    vectors, _ = bags.draw_bags(task, 4000, rng)
    places = torch.nonzero(task.is_signal(vectors))[:, 1].double()
    assert len(places) == 2000
    assert abs(places.mean() - 49.5) < 4 * (100**2 / 12 / 2000) ** 0.5


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few held-out bags: these tests are not about the accuracy."""
    monkeypatch.setattr(bags, "HELD_OUT", 50)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("reader", bags.READERS)
def test_a_training_is_the_same_each_time(reader: str) -> None:
    state = torch.get_rng_state()
    first, second = (learn_bag("needle", reader, seed=3, steps=2) for _ in range(2))
    assert first.accuracy == second.accuracy
    assert all(map(torch.equal, first.layer.parameters(), second.layer.parameters()))
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.slow
@pytest.mark.parametrize("task", bags.TASKS)
def test_a_softmax_layer_finds_the_signal(task: str) -> None:
    # 2,000 bags: a share of .95 has a standard error of .005
    assert learn_bag(task, steps=700).accuracy >= 0.95


@pytest.mark.usefixtures("few")
def test_the_table_has_a_row_for_each_layer() -> None:
    done = []
    rows = learn_bags("bits", seeds=2, steps=1, report=lambda *counts: done.append(counts))
    assert [row["reader"] for row in rows.table()] == [*bags.READERS]
    assert done[-1] == (12, 12)
    assert all(row["accuracy_low"] <= row["accuracy"] <= row["accuracy_high"] for row in rows.table())


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match="did you mean 'bits'"):
        learn_bag("bit")
    with pytest.raises(InvalidInput, match="did you mean 'sparsemax'"):
        learn_bag(reader="sparsmax")
