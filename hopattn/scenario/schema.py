"""The JSON Schema of scenario files, derived from the kinds and from what the code says about each key."""

import ast
import inspect
import json
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, Union

from pydantic import Field, TypeAdapter

from hopattn.scenario.expectations import LEADING, PLAIN
from hopattn.scenario.kinds import kinds
from hopattn.scenario.language.fields import Table


def schema() -> dict[str, Any]:
    """The JSON Schema, as a dictionary; each key is described by the text that stands under it in its class."""
    union: Any = Annotated[Union[tuple(kinds.values())], Field(discriminator="kind")]  # noqa: UP007
    made: dict[str, Any] = _tidied(TypeAdapter(union).json_schema(by_alias=True))
    definitions = made["$defs"]
    tables = {table.__name__: table for table in _tables(Table)}
    for name in definitions.keys() & tables.keys():
        described = _described(tables[name])
        for key in definitions[name].get("properties", {}).keys() & described.keys():
            definitions[name]["properties"][key]["description"] = described[key]
    definitions["Expectation"] = _expectation(definitions)
    for kind in kinds.values():
        definitions[kind.__name__]["properties"]["expect"]["items"] = {"$ref": "#/$defs/Expectation"}
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "hopattn scenario"}
    merged = _merged(definitions, [kind.__name__ for kind in kinds.values()])
    return {**about, **merged, "dependentSchemas": _owners(definitions, merged), "$defs": definitions}


def _expectation(definitions: dict[str, Any]) -> dict[str, Any]:
    """Any expectation; where it is told by its leading key to be one of them, it must be that one."""
    leading = {kind.__name__: list(kind.leading) for kind in dict.fromkeys(LEADING.values())}
    told: dict[str, Any] = {
        name: {"anyOf": [{"required": [key]} for key in keys]} for name, keys in leading.items() if keys != [PLAIN]
    }
    told[LEADING[PLAIN].__name__] = {"required": [PLAIN], "not": {"anyOf": list(told.values())}}
    rules = [{"if": rule, "then": {"$ref": f"#/$defs/{name}"}} for name, rule in sorted(told.items())]
    return {**_merged(definitions, told), "allOf": rules}


def _owners(definitions: dict[str, Any], merged: dict[str, Any]) -> dict[str, Any]:
    """For each key that only some kinds have, which kinds these are.

    Rules by kind would say more, but an editor that meets `allOf` in the outermost table looks for its keys only there.
    """
    having = {
        key: sorted(name for name, kind in kinds.items() if key in definitions[kind.__name__]["properties"])
        for key in merged["properties"]
    }
    return {key: {"properties": {"kind": {"enum": names}}} for key, names in having.items() if len(names) < len(kinds)}


def _merged(definitions: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """One table with the keys of several.

    An editor completes the keys of a table, not those of a choice between tables; and a mistake in a choice is marked
    on the whole of it, where in a table it is marked on the key.
    """
    properties: dict[str, list[Any]] = {}
    names = list(names)
    for name in names:
        for key, entry in definitions[name]["properties"].items():
            known = properties.setdefault(key, [])
            known += [] if entry in known else [entry]
    return {
        "type": "object",
        "properties": {
            key: entries[0] if len(entries) == 1 else {"anyOf": entries} for key, entries in sorted(properties.items())
        },
        "required": sorted(set.intersection(*({*definitions[name].get("required", [])} for name in names))),
        "additionalProperties": False,
    }


def schema_text() -> str:
    """The JSON Schema as text, the same bytes for the same version."""
    return json.dumps(schema(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _tables(base: type[Table]) -> Iterator[type[Table]]:
    for table in base.__subclasses__():
        yield table
        yield from _tables(table)


def _described(table: type[Table]) -> dict[str, str]:
    """The text under each field of a class and of those it derives from, by the key that a file has for it.

    pydantic can do this too, but for every class that is made, which costs a third of the time that a run takes.
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
    """The body of each class of a module; empty for tables that are made from a registry."""
    tree = ast.parse(inspect.getsource(module)) if module is not None else ast.Module([], [])
    return {node.name: node.body for node in tree.body if isinstance(node, ast.ClassDef)}


def _tidied(node: Any) -> Any:
    """The schema without what says nothing here: null, which TOML does not have, titles that repeat the key, and
    `discriminator`, a word of another language.
    """
    if isinstance(node, list):
        return [_tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    if {"type": "null"} in node.get("anyOf", []):
        (rest,) = [choice for choice in node["anyOf"] if choice != {"type": "null"}]
        kept = {key: value for key, value in node.items() if key not in ("anyOf", "default")}
        return _tidied(rest | kept)
    names = node.get("properties") if node.get("type") == "object" else None
    idle = {"title": str, "discriminator": dict}
    tidy = {key: _tidied(value) for key, value in node.items() if not isinstance(value, idle.get(key, ()))}
    return tidy | ({"properties": {key: _tidied(value) for key, value in names.items()}} if names else {})
