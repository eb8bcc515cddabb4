"""What must come out: one closed union of expectations, told apart by their leading key.

Each says what is wrong with itself before the scenario runs (`problems`) and judges a finished run (`judge`). Add an
expectation by adding a class, with its leading key, to a file of this folder.

- `base.py`: the form of an expectation
- `*.py`: one file for each family: numbers, vectors, recalls
"""

import inspect
import sys
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Discriminator, Tag

from hopattn.foundation.errors import nearest
from hopattn.foundation.registry import modules_in
from hopattn.scenario.expectations.base import Expectation

PLAIN = "is"
"""The leading key of the plainest expectation; the others have it too, so it decides last."""

LEADING: dict[str, type[Expectation]] = {
    key: member
    for module in modules_in(__name__)
    for member in vars(sys.modules[module]).values()
    if inspect.isclass(member) and issubclass(member, Expectation) and member.__module__ == module
    for key in member.leading
}
"""Each leading key and the expectation that it opens."""


def leading_class(value: Any) -> str | None:
    """Which class an expectation is of, by its leading key or by the nearest slip of one."""
    if isinstance(value, Expectation):
        return type(value).__name__
    if not isinstance(value, dict):
        return None
    told = next((key for key in LEADING if key in value and key != PLAIN), None)
    if told is None:
        plain = {field.alias or name for name, field in LEADING[PLAIN].model_fields.items()}
        slips = (nearest(key, LEADING) for key in value if key not in plain)
        told = next((slip for slip in slips if slip), PLAIN if PLAIN in value else None)
    return LEADING[told].__name__ if told else None


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
