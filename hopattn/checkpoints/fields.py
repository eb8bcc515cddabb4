"""The fields of a configuration: what is used, what is assumed, what is left out, and what is refused.

A field that a class of `transformers` reads, and hopattn does not compute, is refused. A field that no such class reads
changes no number: it is named and left out. A missing field has the value that every loader takes, which is said too.
"""

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from hopattn.foundation.checks import entries_of, instance
from hopattn.foundation.errors import InvalidInput, listed, nearest, quoted, shortened, unknown

Check = Callable[[Any, str], Any]
"""From a value and its place to the value; raises `InvalidInput` for a wrong one."""
INERT = re.compile(
    r"_name_or_path|model_type|architectures|transformers_version|.*dtype|torchscript|gradient_checkpointing"
    r"|.*drop.*|init.*_range|initializer_factor|init_std|.*_token_id|use_cache|cache_implementation|use_bfloat16"
    r"|.*attn_implementation.*|chunk_size_feed_forward|pretraining_tp|output_\w+s|return_dict|tie_last_hidden_states"
    r"|id2label|label2id|_?num_labels|problem_type|finetuning_task|task_specific_params|classifier_.*|tokenizer_class"
)
"""The fields that change no number of a text in evaluation, of every family."""


def amended(table: Mapping[str, Any], missing: Any, unread: Any, where: str) -> dict[str, Any]:
    """A configuration with the values of `missing` put in, and without the fields of `unread`.

    Both name a field of a nested table as "table.field". Raises `InvalidInput` for a field of `missing` that the
    configuration has, and for one of `unread` that it lacks.
    """
    config: dict[str, Any] = deepcopy(dict(table))

    def place(path: Any, what: str) -> tuple[dict[str, Any], str]:
        *tables, name = instance(path, str, what, "the name of a field").split(".")
        part: Any = config
        for step in tables:
            part = part.setdefault(step, {}) if what == "missing" else part.get(step)
            if not isinstance(part, dict):
                raise InvalidInput(f"{what}: '{shortened(path)}': {where} has no table '{shortened(step)}'")
        return part, name

    for path in entries_of(unread, "unread"):
        part, name = place(path, "unread")
        if name not in part:
            raise InvalidInput(f"unread: {where}: the field {unknown(path, part)}")
        del part[name]
    for path, value in instance(missing, Mapping, "missing", "values by the name of a field").items():
        part, name = place(path, "missing")
        if name in part:
            raise InvalidInput(f"missing: {where} has the field '{shortened(path)}'; leave it out")
        part[name] = value
    return config


@dataclass
class Fields:
    """The fields of a table of a configuration by name, which notes what each of them is.

    defaults: the values of fields that the file may lack. where: the file, for messages. path: the names of the tables
    that hold this one, each with a dot behind it. used: the fields that were asked for. substitutes: the values taken
    for missing fields, without those of switches. leftovers: the fields that nothing reads. faults: why the file is
    refused. lacking, removable: the fields that the caller may give, or may leave unread.
    """

    table: Mapping[str, Any]
    where: str
    defaults: Mapping[str, Any]
    path: str = ""
    used: set[str] = field(default_factory=set)
    substitutes: dict[str, Any] = field(default_factory=dict)
    leftovers: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)
    removable: list[str] = field(default_factory=list)

    def inner(self, name: str) -> "Fields | None":
        """The fields of a nested table, with the same notes; None where it is missing, null or empty."""
        self.used.add(name)
        table = self.table.get(name)
        if table is not None and not isinstance(table, dict):
            self.refuse(name, f"expected a table, not {quoted(table)}")
        return (
            replace(self, table=table, path=f"{self.path}{name}.", used=set())
            if isinstance(table, dict) and table
            else None
        )

    @property
    def empty(self) -> "Fields":
        """The fields of an empty table, with the same notes."""
        return replace(self, table={}, used=set())

    def take(self, names: str, check: Check) -> Any:
        """The checked value of a field that has these names, with spaces between; None where it is at fault."""
        first, *synonyms = names.split()
        self.used |= {first, *synonyms}
        matches = [name for name in (first, *synonyms) if name in self.table]
        if matches:
            name, *duplicates = matches
            value = self.table[name]
            for duplicate in duplicates:
                self.expect(duplicate, value)
            try:
                return check(value, self.path + name)
            except InvalidInput as error:
                self.faults.append(str(error))
                self.removable.extend([self.path + name] if first in self.defaults else [])
                return None
        if first in self.defaults:
            if not isinstance(value := self.defaults[first], (bool, type(None))):
                self.substitutes[self.path + first] = value
            return value
        guess = nearest(first, (name for name in self.table if name not in self.used))
        hint = f", and '{shortened(guess)}' is there" if guess else ""
        self.faults.append(f"'{self.path}{first}' is missing{hint}")
        self.lacking.append(self.path + first)
        return None

    def expect(self, name: str, *values: Any, why: str = "") -> None:
        """Note as a fault a field with a value that is not computed; it may be missing. why: what another one means."""
        self.used.add(name)
        if name in self.table and self.table[name] not in values:
            fault = f"got {quoted(self.table[name])}; expected {quoted(values[0])}"
            self.refuse(name, f"{fault}: {why}" if why else fault)

    def refuse(self, name: str, why: str) -> None:
        """Note a fault of a field, which the caller may leave unread."""
        self.faults.append(f"{self.path}{name}: {why}")
        self.removable.append(self.path + name)

    def leave(self, inert: str = "") -> None:
        """Note the fields that nothing has asked for; inert: a pattern of those of the family that change no number."""
        quiet = re.compile(f"{INERT.pattern}|{inert}" if inert else INERT.pattern)
        leftovers = (name for name in self.table if name not in self.used and not quiet.fullmatch(name))
        self.leftovers.extend(self.path + name for name in leftovers)

    def require(self) -> None:
        """Raise `InvalidInput` with all faults, and what may be done about them."""
        if not self.faults:
            return
        cures = []
        if names := list(dict.fromkeys(self.removable)):
            cures.append(f"if the model needs no such field, leave it out: unread={names} (--unread {','.join(names)})")
        if names := list(dict.fromkeys(self.lacking)):
            values = f"missing={{{', '.join(f'{quoted(name)}: …' for name in names)}}} (--set {names[0]}=…)"
            cures.append(f"for a missing field, give the value of the model's authors: {values}")
        raise InvalidInput(f"{self.where}: {'; '.join([*dict.fromkeys(self.faults), *cures])}")

    @property
    def note(self) -> str:
        """What was left out and what was taken instead, in one line; empty where nothing was."""
        values = [f"{name} = {value}" for name, value in self.substitutes.items()]
        parts = [f"no loader reads {listed(self.leftovers)}; left out"] * bool(self.leftovers)
        parts += [f"missing, and taken as every loader does: {listed(values)}"] * bool(values)
        return f"{self.where}: {'; '.join(parts)}" if parts else ""
