"""Expectations of a probe: an accuracy is above chance, or at chance."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from hopattn.foundation.errors import listed
from hopattn.scenario.expectations.base import DIGITS, Arrays, Expectation, Verdict, shown
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.fields import PositiveNumber, Problem
from hopattn.scenario.language.lines import Path


class ProbeIs(Expectation):
    """The accuracy of a probe beside chance."""

    leading: ClassVar[tuple[str, ...]] = ("probe",)

    probe: Literal["masked", "unmasked", "line", "rest"]
    """The probe: of the model with its mask, of the one without, of one number of the masked model (the component along
    the line of the positions' mean vectors), or of what is left without that number."""
    layer: Annotated[int, Field(ge=0)] | None = None
    """The layer; 0 are the words before the first one. By default the last."""
    is_: Annotated[Literal["above chance", "at chance"], Field(alias="is")]
    """Whether the accuracy is above chance, or no farther from it than `errors` standard errors."""
    errors: PositiveNumber = 4.0
    """The number of standard errors: of the accuracy at chance, for as many texts as the probe was tested on."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        name = self._array
        if name not in layout.arrays:
            yield Problem((*path, "probe"), f"there is no array '{name}' here (arrays: {listed(layout.arrays)})")
        elif (self.layer or 0) >= layout.arrays[name][0]:
            yield Problem(
                (*path, "layer"), f"{self.layer} stands there; the last layer is {layout.arrays[name][0] - 1}"
            )

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        accuracy = float(arrays[self._array].values[-1 if self.layer is None else self.layer])
        chance, error = (float(arrays[name].values) for name in ("chance", "standard error"))
        room = self.errors * error
        above = self.is_ == "above chance"
        met = accuracy > chance + room if above else abs(accuracy - chance) <= room * (1 + 1e-12)
        expected = f"> {shown(chance + room, DIGITS)}" if above else f"{shown(chance, DIGITS)} ± {shown(room, DIGITS)}"
        return Verdict(met, expected, shown(accuracy, DIGITS))

    def sentence(self) -> str:
        place = "" if self.layer is None else f" after layer {self.layer}" if self.layer else " of the words"
        return f"{self.probe} probe{place} is {self.is_}"

    @property
    def _array(self) -> str:
        return f"{self.probe} accuracy"
