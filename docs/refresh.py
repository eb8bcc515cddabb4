"""Update the generated parts of README and pages: copies of files, output of commands, figures, tables.

`make docs` writes the pages; a test checks that each page is up to date.
"""

import contextlib
import inspect
import io
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from docs.builder import api, commands, defaults, gallery, papers, practice
from docs.builder.markdown import fenced
from hopattn.cli.main import main as hopattn
from hopattn.dynamics.updates import updates
from hopattn.experiments.certificate import overview
from hopattn.figures.figure import gallery as all_figures
from hopattn.learning import rules
from hopattn.memories.models import named_memories
from hopattn.retrieval.activation import activations
from hopattn.retrieval.features import feature_maps
from hopattn.retrieval.masks import mask_rules
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import similarities
from hopattn.scenario.expectations import LEADING
from hopattn.scenario.files import shipped
from hopattn.scenario.kinds import kinds
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.kinds.models import model_options
from hopattn.scenario.kinds.simulation import arguments_of, simulations
from hopattn.scenario.language.table import own_fields
from hopattn.scenario.practice_table import pools
from hopattn.scenario.schema import schema
from hopattn.views.explorer.explorer import explore

MADE = {
    "commands": commands.page,
    "outputs": commands.outputs,
    "names": api.index,
    "defaults": defaults.table,
    "scenarios": gallery.listing,
    "papers": papers.page,
    "mistakes": practice.errors,
}
"""The lists that the site shows too, with the functions that write them."""
ROOT = Path(__file__).resolve().parent.parent
REGISTRIES: dict[str, Mapping[str, Any]] = {
    "similarity": similarities,
    "separation": separations,
    "activation": activations,
    "mask": mask_rules,
    "model": named_memories,
    "rule": rules,
    "update": updates,
    "features": feature_maps,
    "pool": pools,
    "simulation": simulations,
}


def _without_rng(entry: Any) -> dict[str, tuple[Any, Any]]:
    """The parameters of an entry that a file gives; the random numbers are the scenario's."""
    return {name: parameter for name, parameter in own_fields(entry).items() if name != "rng"}


QUESTIONS = {
    "What have memories and attention in common?": ("strip", "chains", "separations", "sheet"),
    "How alike are two vectors?": ("projection",),
    "What does attention do to words?": (
        "words",
        "space",
        "attention",
        "flow",
        "qkv",
        "temperature",
    ),
    "What does a memory recall?": ("recall", "overlaps", "neurons", "tour"),
    "Why does the energy fall, and where do cues end?": ("valley", "landscape", "course", "basins", "returns"),
    "How much can a memory hold?": ("capacity", "phases", "crosstalk"),
    "How does a transformer know where a word stands?": ("positions", "offsets"),
    "What do layers and heads do together?": ("heads", "induction", "translation", "program", "sixteen", "growth"),
    "What does training change?": ("emergence",),
}
"""The figures of the gallery by the question that they answer."""
PARAMETERS: Mapping[str, Callable[[Any], Mapping[str, tuple[Any, Any]]]] = {
    "model": model_options,
    "update": own_fields,
    "features": _without_rng,
    "simulation": arguments_of,
}
"""The registries whose tables have a column of parameters, with the function that lists them."""


def _pages_below(folder: Path) -> list[Path]:
    """The pages of a folder, without those of a site that was built there."""
    return [path for path in sorted(folder.rglob("*.md")) if "_build" not in path.parts]


PAGES = (
    ROOT / "README.md",
    *_pages_below(ROOT / "docs"),
    ROOT / "figures" / "README.md",
    ROOT / "scenarios" / "README.md",
)


def refreshed(text: str) -> str:
    """The text of a page with all its generated parts made again."""
    text = re.sub(r"(<!-- file: (\S+) -->\n\n?```\w+\n).*?(```)", _file, text, flags=re.DOTALL)
    text = re.sub(r"(```console\n\$ hopattn ([^\n]*)\n).*?(```)", _console, text, flags=re.DOTALL)
    text = re.sub(r"(<!-- figures -->\n).*?(<!-- end -->)", _figures, text, flags=re.DOTALL)
    text = re.sub(r"(<!-- memories -->\n).*?(<!-- end -->)", _memories, text, flags=re.DOTALL)
    text = re.sub(r"(<!-- choices: (\w+) -->\n).*?(<!-- end -->)", _choices, text, flags=re.DOTALL)
    text = re.sub(
        r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)",
        lambda match: f"{match[1]}\n{MADE[match[2]]()}\n\n{match[3]}",
        text,
        flags=re.DOTALL,
    )
    text = re.sub(r"(<!-- kinds -->\n).*?(<!-- end -->)", _kinds, text, flags=re.DOTALL)
    described = set(re.findall(r"<!-- keys: (\w+) -->", text))
    text = re.sub(
        r"(<!-- further expectations -->\n).*?(<!-- end -->)",
        lambda match: _further_expectations(match, described),
        text,
        flags=re.DOTALL,
    )
    return re.sub(r"(<!-- keys: (\w+) -->\n).*?(<!-- end -->)", _keys, text, flags=re.DOTALL)


def _file(match: re.Match[str]) -> str:
    return f"{match[1]}{(ROOT / match[2]).read_text(encoding='utf-8')}{match[3]}"


def _console(match: re.Match[str]) -> str:
    printed = io.StringIO()
    said = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
        code = _exit_code(shlex.split(match[2]))
    if code > 1:  # the message, on standard error, is what such a command shows
        printed.write(said.getvalue())
    lines = [line.rstrip() for line in printed.getvalue().strip().split("\n")]
    return match[1] + "\n".join(lines) + f"\n{match[3]}"


def _exit_code(arguments: list[str]) -> int:
    """Run a command of hopattn; give its exit code."""
    try:
        hopattn(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)


def _memories(match: re.Match[str]) -> str:
    """For each named memory: its step, source, energy and guarantee, and its scenario."""
    parts = []
    for name, card in named_memories.items():
        about = overview(card)
        where = "; ".join(
            f"{words} {', '.join(f'`{update}`' for update in updates)}"
            for words, updates in (
                ("never rises under", about.descends_under),
                ("for some parameters under", about.for_some_under),
            )
            if updates
        )
        no_claim = "no claim that it never rises"
        shown = f"<!-- scenario: {_scenario_with(name)} -->"
        parts.append(
            f"## `{name}`\n\n{_first_paragraph(card.build)}\n\n"
            f"* Source: {about.source}\n* Energy: {about.energy}\n* Guarantee: {where or no_claim}\n"
            f'* In Python: `ha.memories.{name}`; in a scenario: `model = "{name}"`\n\n{shown}\n'
        )
    return match[1] + "\n".join(["", *parts, match[2]])


def _scenario_with(memory: str) -> str:
    """The shipped scenario of the name of a memory, or else the first one that recalls by this model."""
    files = shipped()
    model = re.compile(rf'^model = .*"{memory}"', re.MULTILINE)
    recalling = {name: path for name, path in files.items() if path.parent.name != "landscapes"}
    return (
        memory if memory in files else next(name for name, path in recalling.items() if model.search(path.read_text()))
    )


def _figures(match: re.Match[str]) -> str:
    """The figures by the question that they answer, after a list of the questions."""
    groups = by_question()
    listed = [f"* {question} {', '.join(f'[{name}](#{name})' for name in names)}" for question, names in groups.items()]
    shown = ["\n".join([f"## {question}\n", *map(_figure, names)]) for question, names in groups.items()]
    return match[1] + "\n".join(["", *listed, "", *shown, match[2]])


def by_question() -> dict[str, list[str]]:
    """The figures that there are, by their questions; one that no question names comes last."""
    figures = all_figures()
    groups = {question: [name for name in names if name in figures] for question, names in QUESTIONS.items()}
    named = {name for names in groups.values() for name in names}
    groups["For specialists"] = [name for name, figure in figures.items() if figure.research]
    more = [name for name, figure in figures.items() if name not in named and not figure.research]
    return groups | ({"More": more} if more else {})


def _figure(name: str) -> str:
    """A figure: its image, its description, its scenario, and the command that draws it."""
    figure = all_figures()[name]
    source = "From the finished sweep of" if figure.source else "From"
    return (
        f"### {name}\n\n![{figure.shows}]({name}.{'gif' if figure.film else 'svg'})\n\n"
        f"{figure.shows[0].upper()}{figure.shows[1:]}. {source} the scenario `{figure.scenario}`:\n\n"
        f"{fenced(f'hopattn figures {name}', 'text')}\n"
    )


def _kinds(match: re.Match[str]) -> str:
    """One row for each kind of scenario: its description, and the tables that no other file has."""
    common = {field.alias or name for name, field in Kind.model_fields.items()}
    rows = []
    for name, kind in kinds.items():
        own = [field.alias or key for key, field in kind.model_fields.items()]
        tables = " ".join(f"`[{key}]`" for key in own if key not in common)
        rows.append(f"| `{name}` | {_escaped(_first_paragraph(kind))} | {tables} |")
    return match[1] + "\n".join(["", "| kind | what it is | its tables |", "|---|---|---|", *rows, "", match[2]])


def _further_expectations(match: re.Match[str], described: set[str]) -> str:
    """The keys of every expectation that the page does not describe at another place."""
    classes = dict.fromkeys(LEADING.values())
    parts = [
        f"**{_first_paragraph(one)}**\n\n<!-- table: {one.__name__} -->\n\n{_key_table(one.__name__)}\n"
        for one in classes
        if one.__name__ not in described
    ]
    return match[1] + "\n".join([*(["", *parts] if parts else []), match[2]])


def _first_paragraph(entry: Any) -> str:
    return " ".join((inspect.getdoc(entry) or "").split("\n\n")[0].split())


def _choices(match: re.Match[str]) -> str:
    """The table of a registry: the name of each entry and the first paragraph of its docstring."""
    with_parameters = PARAMETERS.get(match[2])
    rows = []
    for name, entry in REGISTRIES[match[2]].items():
        first = _first_paragraph(getattr(entry, "build", entry))
        last = f" {_parameters(with_parameters(entry))} |" if with_parameters else ""
        rows.append(f'| `"{name}"` | {_escaped(first)} |{last}')
    heads = [f"| {match[2]} | what it is | parameters |", "|---|---|---|"]
    heads = heads if with_parameters else [f"| {match[2]} | what it is |", "|---|---|"]
    return match[1] + "\n".join(["", *heads, *rows, "", match[3]])


def _parameters(parameters: Mapping[str, tuple[Any, Any]]) -> str:
    """The parameters of an entry with their defaults, in TOML."""
    return ", ".join(f"`{name} = {_toml(default)}`" for name, (_, default) in parameters.items())


def _toml(default: Any) -> str:
    if default is None or default is ...:
        return "…" if default is None else "… (needed)"
    return json.dumps(default)


def _keys(match: re.Match[str]) -> str:
    return f"{match[1]}\n{_key_table(match[2])}\n\n{match[3]}"


def _key_table(name: str) -> str:
    """The table of the keys of a schema definition: value, default, description."""
    table = schema()["$defs"][name]
    rows = [
        f"| `{key}` | {_kind(entry)} | {_default(entry, key in table.get('required', []))} | "
        f"{_escaped(str(entry.get('description', '')))} |"
        for key, entry in table["properties"].items()
    ]
    return "\n".join(["| key | value | default | what it says |", "|---|---|---|---|", *rows])


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _default(entry: dict[str, Any], required: bool) -> str:
    if required:
        return "needed"
    value = entry.get("default")
    if value is None:
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value:g}`"


def _kind(entry: dict[str, Any]) -> str:
    """The allowed values of a schema entry, in words."""
    for several in ("oneOf", "anyOf"):
        if several in entry:
            return " or ".join(dict.fromkeys(_kind(choice) for choice in entry[several]))
    if "enum" in entry or "const" in entry:
        return ", ".join(f"`{_word(choice)}`" for choice in entry.get("enum", [entry.get("const")]))
    if "$ref" in entry:
        return "a table"
    if entry.get("type") == "array":
        if "items" not in entry:
            return "an array"
        inner = "a truth value" if entry["items"].get("type") == "boolean" else _kind(entry["items"])
        return f"an array of {' or '.join(map(_plural, inner.split(' or ')))}"
    if isinstance(entry.get("additionalProperties"), dict):
        return f"a table; each value {_kind(entry['additionalProperties'])}"
    if "exclusiveMinimum" in entry:
        return f"a number above {entry['exclusiveMinimum']:g}"
    if entry.get("type") == "boolean":
        return "`true` or `false`"
    kinds = {"string": "a text", "number": "a number", "integer": "a whole number"}
    return kinds.get(entry.get("type", ""), "a table")


def _plural(kind: str) -> str:
    """The plural of "a text" or of "an array of numbers"; a quoted choice stays as it is."""
    article, _, noun = kind.partition(" ")
    if noun.startswith("number "):  # a number above 0
        return noun.replace("number", "numbers", 1)
    return noun.replace("array", "arrays", 1) if article == "an" else f"{noun}s" if noun else kind


def _word(choice: Any) -> str:
    return f'"{choice}"' if isinstance(choice, str) else str(choice).lower()


if __name__ == "__main__":
    os.environ.pop("COLUMNS", None)  # the pages are as wide as a pipe
    papers.keep()
    for page in PAGES:
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
        sys.stdout.write(f"{page.relative_to(ROOT)}\n")
    sys.stdout.write(f"{explore('bank').save(ROOT / 'docs/howto/explore.html').relative_to(ROOT)}\n")
