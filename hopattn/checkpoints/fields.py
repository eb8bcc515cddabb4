"""The fields of a configuration: each is used, is known to change no number, or is refused by its name.

No number stands for a field that is missing: a model with another base of its rotary positions, or another ε, would
give wrong numbers without a sign of it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from hopattn.foundation.errors import InvalidInput, nearest, quoted, shortened

Value = TypeVar("Value")


class Fields:
    """The fields of a configuration by name, which notes those that are used.

    older: fields that files written before them lack, with the value that such files were made with. where: the file,
    and the field that holds the table, for messages.
    """

    def __init__(self, table: Mapping[str, Any], where: str, older: Mapping[str, Any] | None = None) -> None:
        self.table, self.where, self.older, self.used = table, where, older or {}, set[str]()

    def take(self, name: str, check: Callable[[Any, str], Value]) -> Value:
        """The checked value of a field; raises `InvalidInput` for one that is missing."""
        self.used.add(name)
        if name not in self.table and name not in self.older:
            guess = nearest(name, (one for one in self.table if one not in self.used))
            hint = f", and '{shortened(guess)}' is given" if guess else ""
            cure = f"no value stands for a missing field; give missing={{'{name}': …}} as the model's authors state it"
            raise InvalidInput(f"{self.where}: '{name}' is missing{hint}; {cure}")
        return check(self.table.get(name, self.older.get(name)), f"{self.where}: {name}")

    def find(self, name: str, check: Callable[[Any, str], Value]) -> Value | None:
        """The checked value of a field, or None where it is null or missing, for one that the others then decide."""
        self.used.add(name)
        value = self.table.get(name)
        return None if value is None else check(value, f"{self.where}: {name}")

    def expect(self, name: str, *values: Any) -> None:
        """Raise `InvalidInput` for a field with a value that this reader cannot compute; it may be missing."""
        self.used.add(name)
        if name in self.table and self.table[name] not in values:
            raise InvalidInput(f"{self.where}: {name}: got {quoted(self.table[name])}; expected {quoted(values[0])}")

    def require_known(self, unread: Iterable[str]) -> None:
        """Raise `InvalidInput` for fields that were not used and are not among those that change no number."""
        known = {*self.used, *unread}
        for name in self.table:
            if name not in known:
                guess = nearest(name, known)
                hint = f"; did you mean '{guess}'?" if guess else ""
                raise InvalidInput(f"{self.where}: the field '{shortened(name)}' is not known{hint}")
