"""A kind of one's own: what it states itself, and what follows from that."""

from typing import ClassVar, Literal

import numpy as np

from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArraySpec
from hopattn.scenario.language.fields import Problem, Table


class DiceTable(Table):
    rolls: int

    def problems(self):
        if self.rolls < 1:
            yield Problem(("dice", "rolls"), f"got {self.rolls}; expected 1 or more")


class Dice(Spec):
    main_table: ClassVar[str] = "dice"
    shown_arrays: ClassVar[tuple[str, ...]] = ("mean",)
    kind: Literal["dice"]
    dice: DiceTable

    def size(self):
        return self.dice.rolls

    def declared_arrays(self):
        yield ArraySpec("rolls", (("roll", self.dice.rolls),))
        yield ArraySpec("mean")
        yield ArraySpec("least", measured=False)
        yield ArraySpec("seen", (("side", tuple("123456")),), referable=False)

    def compute(self, rng):
        rolls = rng.integers(1, 7, size=self.dice.rolls)
        seen = [int(np.sum(rolls == side)) for side in range(1, 7)]
        return {"rolls": rolls, "mean": rolls.mean(), "least": min(rolls), "seen": seen}

    def explain(self, arrays):
        yield "rolled"


def dice(rolls):
    return Dice.model_validate({"schema": 1, "title": "t", "source": "ours", "kind": "dice", "dice": {"rolls": rolls}})


def test_a_kind_gives_plain_values_and_gets_labels():
    arrays = dice(20).run(np.random.default_rng(1))
    assert arrays["rolls"].labels == (tuple(map(str, range(20))),)
    assert (arrays["seen"].dims, arrays["seen"].labels) == (("side",), (tuple("123456"),))
    assert arrays["mean"].values == arrays["rolls"].values.mean()
    assert dice(20).shown(arrays) == ("mean",)


def test_what_an_expectation_may_refer_to_follows_from_the_declarations():
    layout = dice(20).layout()
    assert layout.arrays == {"rolls": (20,), "mean": (), "least": ()}
    assert layout.measures == ("mean",)


def test_the_problems_of_a_kind_are_those_of_its_main_table():
    assert [*dice(3).problems()] == []
    assert [*dice(0).problems()] == [Problem(("dice", "rolls"), "got 0; expected 1 or more")]
