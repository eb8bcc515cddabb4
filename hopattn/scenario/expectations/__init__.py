"""The expectations of a scenario: one closed union of classes; the leading key in the file decides the class.

An expectation finds its own problems before the scenario runs (`problems`) and judges a finished run (`judge`). To add
one, add a class with its leading key to a file of this folder.

- `base.py`: the base class of an expectation
- `*.py`: one file for each family: measures, vectors, recalls
"""

import inspect
import sys
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Discriminator, Tag, TypeAdapter

from hopattn.foundation.errors import nearest
from hopattn.foundation.registry import modules_in
from hopattn.scenario.expectations.base import Expectation

PLAIN = "is"
"""The leading key of the expectation of a vector; other expectations have this key too, so it decides last."""

LEADING: dict[str, type[Expectation]] = {
    key: member
    for module in modules_in(__name__)
    for member in vars(sys.modules[module]).values()
    if inspect.isclass(member) and issubclass(member, Expectation) and member.__module__ == module
    for key in member.leading
}
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
        near_keys = (nearest(key, LEADING) for key in value if key not in plain)
        leading = next((key for key in near_keys if key), PLAIN if PLAIN in value else None)
    return LEADING[leading].__name__ if leading else None


if TYPE_CHECKING:
    AnyExpectation = Expectation
else:
    AnyExpectation = Annotated[
        Union[tuple(Annotated[kind, Tag(kind.__name__)] for kind in dict.fromkeys(LEADING.values()))],  # noqa: UP007
        Discriminator(
            leading_class,
            custom_error_type="expectation",
            custom_error_message=f"says nothing that can be checked; give one of: {', '.join(sorted(LEADING))}",
        ),
    ]


@cache
def validator() -> TypeAdapter[Expectation]:
    """The validator of an expectation, which takes 70 ms to build."""
    return TypeAdapter(AnyExpectation)
