"""The expectations of a scenario: one closed union of classes; the leading key in the file decides the class.

An expectation judges a finished run (`judge`), and refuses what the run does not have. To add one, add a class to a
file of this folder, its leading key first, and name it here.

- `base.py`: the base classes, and the comparison of numbers
- `numbers.py`: heads, matrices, measures, probes, and the vector at a token
- `recalls.py`: the end of a recall, a step of a program, a text that is written
"""

from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Discriminator, Tag

from hopattn.foundation.errors import nearest
from hopattn.scenario.expectations import numbers, recalls
from hopattn.scenario.expectations.base import Expectation

EXPECTATIONS: tuple[type[Expectation], ...] = (
    *(numbers.ScoreIs, numbers.WeightIs, numbers.MatrixIs, numbers.MeasureIs, numbers.ProbeIs),
    *(recalls.Ended, recalls.StepIs, recalls.Writes),
    *(numbers.CosineTo, numbers.CloserTo, numbers.Nearest, numbers.VectorIs),
)
PLAIN = "is"
"""The leading key of the expectation of a vector; other expectations have this key too, so it decides last."""
LEADING = {key: member for member in EXPECTATIONS for key in member.leading()}
"""The class of expectation that each leading key stands for."""


def leading_class(value: Any) -> str | None:
    """The name of an expectation's class, by its leading key or a near misspelling of one; None if it has neither."""
    if isinstance(value, Expectation):
        return type(value).__name__
    if not isinstance(value, dict):
        return None
    leading = next((key for key in LEADING if key in value and key != PLAIN), None)
    if leading is None:
        plain = {field.alias or name for name, field in LEADING[PLAIN].model_fields.items()}
        near_keys = (nearest(key, {*LEADING, *plain}) for key in value if key not in plain)
        leading = next((key for key in near_keys if key in LEADING), PLAIN if PLAIN in value else None)
    return LEADING[leading].__name__ if leading else None


if TYPE_CHECKING:
    AnyExpectation = Expectation
else:
    AnyExpectation = Annotated[
        Union[tuple(Annotated[kind, Tag(kind.__name__)] for kind in EXPECTATIONS)],  # noqa: UP007
        Discriminator(
            leading_class,
            custom_error_type="expectation",
            custom_error_message=f"says nothing that can be checked; give one of: {', '.join(sorted(LEADING))}",
        ),
    ]
