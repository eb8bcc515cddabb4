"""The JSON Schema of scenario files, derived from the classes of the kinds and the text below each of their fields."""

import ast
import inspect
import json
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, Union

from pydantic import Field, TypeAdapter

from hopattn.scenario.expectations import EXPECTATIONS, LEADING, PLAIN
from hopattn.scenario.kinds import kinds
from hopattn.scenario.language.table import Table


def schema() -> dict[str, Any]:
    """The JSON Schema as a dictionary; the description of a key is the text below its field in the class."""
    union: Any = Annotated[Union[tuple(kinds.values())], Field(discriminator="kind")]  # noqa: UP007
    made: dict[str, Any] = _tidied(TypeAdapter(union).json_schema(by_alias=True))
    definitions = made["$defs"]
    for table in _tables(Table):
        properties = definitions.get(table.__name__, {}).get("properties", {})
        for key, text in (_described(table) if properties else {}).items():
            if key in properties:
                properties[key]["description"] = text
    definitions["Expectation"] = _expectation(definitions)
    for kind in kinds.values():
        definitions[kind.__name__]["properties"]["expect"]["items"] = {"$ref": "#/$defs/Expectation"}
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "hopattn scenario"}
    merged = _merged(definitions, [kind.__name__ for kind in kinds.values()])
    return {**about, **merged, "dependentSchemas": _owners(definitions, merged), "$defs": definitions}


def _expectation(definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of any expectation; one with the leading key of a class must be valid for that class."""
    plain, conditions = LEADING[PLAIN], dict[str, Any]()
    for kind in EXPECTATIONS:
        if kind is not plain:
            conditions[kind.__name__] = {"anyOf": [{"required": [key]} for key in kind.leading()]}
    conditions[plain.__name__] = {"required": [PLAIN], "not": {"anyOf": list(conditions.values())}}
    rules = [{"if": rule, "then": {"$ref": f"#/$defs/{name}"}} for name, rule in sorted(conditions.items())]
    return {**_merged(definitions, conditions), "allOf": rules}


def _owners(definitions: dict[str, Any], merged: dict[str, Any]) -> dict[str, Any]:
    """The kinds that have a key, for each key that not all kinds have.

    Rules for each kind would say more. But an editor that finds `allOf` in the outermost table offers only the keys in
    it.
    """
    owners = {
        key: sorted(name for name, kind in kinds.items() if key in definitions[kind.__name__]["properties"])
        for key in merged["properties"]
    }
    return {key: {"properties": {"kind": {"enum": names}}} for key, names in owners.items() if len(names) < len(kinds)}


def _merged(definitions: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The schema of one table with the keys of several tables.

    An editor completes the keys of a table, but not those of a choice between tables. It also marks an error in a table
    at its key, but an error in a choice at the whole choice.
    """
    tables, properties = [definitions[name] for name in names], dict[str, Any]()
    for key in sorted({key for table in tables for key in table["properties"]}):
        entries = [table["properties"][key] for table in tables if key in table["properties"]]
        entries = [entry for i, entry in enumerate(entries) if entry not in entries[:i]]
        properties[key] = entries[0] if len(entries) == 1 else {"anyOf": entries}
    required = sorted(set.intersection(*({*table.get("required", [])} for table in tables)))
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def schema_text() -> str:
    """The JSON Schema as text; the same version gives the same bytes."""
    return json.dumps(schema(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _tables(base: type[Table]) -> Iterator[type[Table]]:
    """All classes derived from a table, directly or not."""
    for table in base.__subclasses__():
        yield table
        yield from _tables(table)


def _described(table: type[Table]) -> dict[str, str]:
    """The text below each field of a class and of its base classes, by the key of the field in a file.

    pydantic can do this too, but does it whenever a class is created, which takes a third of the time of a run.
    """
    texts: dict[str, str] = {}
    for base in reversed([base for base in table.__mro__ if issubclass(base, Table)]):
        body = _classes(inspect.getmodule(base)).get(base.__name__, [])
        for field, below in pairwise(body):
            if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
                alias = getattr(table.model_fields.get(ast.unparse(field.target)), "alias", None)
                texts[alias or ast.unparse(field.target)] = " ".join(str(ast.literal_eval(below.value)).split())
    return texts


@cache
def _classes(module: Any) -> dict[str, list[ast.stmt]]:
    """The body of each class of a module, by the name of the class; empty for tables created from a registry."""
    tree = ast.parse(inspect.getsource(module)) if module is not None else ast.Module([], [])
    return {node.name: node.body for node in tree.body if isinstance(node, ast.ClassDef)}


def _tidied(node: Any) -> Any:
    """The schema without parts that have no use here.

    These are null, which TOML does not have, titles that repeat the key, and `discriminator`, which is not in JSON
    Schema.
    """
    if isinstance(node, list):
        return [_tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    if {"type": "null"} in node.get("anyOf", []):
        (rest,) = [choice for choice in node["anyOf"] if choice != {"type": "null"}]
        kept = {key: value for key, value in node.items() if key not in ("anyOf", "default")}
        return _tidied(rest | kept)
    useless = {"title": str, "discriminator": dict}
    return {key: _tidied(value) for key, value in node.items() if not isinstance(value, useless.get(key, ()))}
