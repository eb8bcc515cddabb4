"""The options that several commands have: one name, one type, one meaning; and the ways that options were written.

A command adds to the sentence of a shared option what is its own.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hopattn.foundation.errors import InvalidInput

SHARED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "--out": (
        "Write PATH in the form of its ending; it may be given again",
        {"multiple": True, "type": click.Path(path_type=Path), "metavar": "PATH"},
    ),
    "--json": ("Print JSON only", {"is_flag": True}),
    "--long": ("Show all", {"is_flag": True}),
    "--list": ("Show what there is to choose", {"is_flag": True}),
    "--array": ("Take this array", {"metavar": "NAME"}),
    "--set": ("Change a value", {"multiple": True, "metavar": "KEY=VALUE"}),
    "--over": ("Go over values", {"multiple": True, "metavar": "KEY=GRID"}),
    "--measure": ("Only this measure", {"metavar": "NAME"}),
    "--trials": ("Trials at each point", {"type": click.IntRange(min=1)}),
    "--steps": ("Steps of the optimiser", {"type": click.IntRange(min=1), "default": 1000, "show_default": True}),
    "--seed": ("Random seed", {"type": click.IntRange(min=0)}),
    "--workers": ("Number of worker processes, by default one on each core", {"type": click.IntRange(min=1)}),
    "--mask": ("Which keys a query of a file may see (none)", {"metavar": "none|causal|strict"}),
    "--figure": ("Draw this figure", {"multiple": True, "metavar": "NAME"}),
    "--size": ("Width and height in inches, as in 3.4x2.4, or a ratio, as in 16:9", {"metavar": "WxH|W:H"}),
    "--style": ("A slide (default), a column of a paper, a dark slide", {"metavar": "slide|paper|dark"}),
    "--lang": ("Language of words and numbers", {"metavar": "en|de"}),
    "--title": ("Title above the picture", {"metavar": "TEXT"}),
    "--no-title": ("Leave the title out", {"is_flag": True}),
    "--dpi": ("Pixels in an inch of a PNG; a slide has 150, in print 300", {"type": click.IntRange(20, 600)}),
    "--transparent": ("Transparent background, in any style", {"is_flag": True}),
    "--frames": ("Each frame of a moving figure as a file, or a page, of its own", {"is_flag": True}),
    "--as": ("Forms of the pictures in a FOLDER/ (svg)", {"metavar": "svg,pdf,png,gif"}),
}
"""The sentence of each shared option, without its end, and its keywords for click."""
NAMES = {"--json": "as_json", "--long": "whole", "--list": "listing", "--as": "as_"}
"""The parameters whose names are not those of their options."""


def option(name: str, about: str = ".", **more: Any) -> Callable[[Any], Any]:
    """A shared option. about: the rest of its sentence. more: further keywords for click."""
    sentence, keywords = SHARED[name]
    parameter = NAMES.get(name, name.lstrip("-").replace("-", "_"))
    return click.option(name, parameter, help=sentence + about, **(dict(keywords) | more))


_DRAWN = "(svg|pdf|png|gif)(,(svg|pdf|png|gif))*"
OLD: Mapping[str, Mapping[str, str]] = {
    "run": {
        "--csv X": "--array X --out -.csv",
        "--figures FIGURES": "--figure X",
        "--figures [^-].*": "--figure all --out X/",
        "--figures": "--figure all",
        "--into X": "--out X/",
        "--format md|html|tex": "--out -.X",
        f"--format {_DRAWN}": "--as X",
    },
    "figures": {f"--format {_DRAWN}": "--as X"},
    "compare": {
        "--csv X": "--out X",
        "--figure X": "--out X",
        "--memories X": "--models X",
        "--all": "--long",
        **{
            f"--{key.replace('_', '-')} X": f"--set {key}=X"
            for key in ("beta", "load", "dim", "n_patterns", "patterns", "noise", "hidden", "correlation", "max_steps")
        },
    },
    "heads": {
        "--csv X": "--out X",
        "--figure X": "--out X",
        "--save X": "--out X/",
        "--all": "--long",
        "--missing X": "--set X",
        "--long [0-9]+": "--length X",
    },
    "papers": {"--figure X": "--out X"},
    "practice": {
        "--sheet X": "--out X",
        "--language X": "--lang X",
        "--check X": "--mark X",
        "--format moodle": "? --out -.xml",
        "--format qti": "? --out -.zip",
        "--format notebook": "? --out -.ipynb",
        "--format md|html|tex|json": "? --out -.X",
    },
    "separation": {"--all": "--long"},
}
"""For each command, the old ways, which work for one release, and the new ones.

After an option stands the pattern of its value: X for any, FIGURES for names of figures. A way that begins with ? is
left out where a file is named.
"""


class Command(click.Command):
    """A command that takes old ways as new ones, and that knows its options of pairs by the = in their metavar."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words; raises `InvalidInput` if one is left over because a pair is written as two words."""
        words = in_new_ways(ctx.info_name or "", args)
        try:
            rest = super().parse_args(ctx, [*words])
            if len(ctx.params.get("scenarios") or ()) > 1 and (advice := self._advice(words)):
                raise InvalidInput(advice)
            return rest
        except click.MissingParameter as error:
            if getattr(error.param, "name", "") not in ("scenario", "scenarios"):
                raise
            example = {"sweep": "capacity"}.get(ctx.info_name or "", "bank")
            advice = f"name a scenario, such as `{ctx.command_path} {example}`; `hopattn list` shows them"
            raise InvalidInput(advice) from None
        except click.UsageError as error:
            if type(error) is click.UsageError and (advice := self._advice(words)):
                raise InvalidInput(advice) from None
            raise

    def _advice(self, words: Sequence[str]) -> str:
        """How to write the first pair whose parts are words of their own; empty if there is none."""
        forms = {name: param.metavar or "" for param in self.params for name in param.opts if "=" in str(param.metavar)}
        for i, name in enumerate(words):
            pair = _joined(words[i + 1 :]) if name in forms else ""
            if pair:
                return f"{name} takes {forms[name]}: write {name} {shlex.quote(pair)}"
        return ""


def in_new_ways(command: str, words: Sequence[str]) -> list[str]:
    """The words of a command line, with the new ways for the old ones.

    >>> in_new_ways("separation", ["mine.npy", "--long"])
    ['mine.npy', '--long']
    """
    rest, new, without_file = [*words], list[str](), list[str]()
    while rest and rest[0] != "--":
        word, equals, attached = rest.pop(0).partition("=") if rest[0].startswith("--") else (rest.pop(0), "", "")
        value = attached if equals else next(iter(rest), None)
        patterns = {old.partition(" ")[2]: way for old, way in OLD.get(command, {}).items() if old.split()[0] == word}
        pattern = next((one for one in patterns if _fits(one, value)), None)
        if pattern is None:
            new.append(f"{word}{equals}{attached}")
            continue
        if pattern and not equals:
            rest.pop(0)
        way = [part.replace("X", value or "") for part in patterns[pattern].removeprefix("?").split()]
        (without_file if patterns[pattern].startswith("?") else new).extend(way)
        old = shlex.join([word, value or ""] if pattern else [word])
        click.echo(f"{old}: is now {shlex.join(way)}; the old way goes with the next release", err=True)
    return [*new, *([] if {"--out", "--key"} & {*new} else without_file), *rest]


def _fits(pattern: str, value: str | None) -> bool:
    """Whether a value, or none, is one of an old way."""
    if pattern != "FIGURES" or not value or value.startswith("-"):
        return not pattern or (value is not None and (pattern == "X" or re.fullmatch(pattern, value) is not None))
    from hopattn.figures.figure import gallery
    from hopattn.foundation.errors import nearest

    return all(name in gallery() or nearest(name, [*gallery()]) for name in value.split(","))


def _joined(words: Sequence[str]) -> str:
    """The pair that the first words mean: `mask causal`, `mask = causal` or `mask =causal`; empty for a whole pair.

    >>> _joined(["mask", "causal"]), _joined(["mask", "=", "causal"]), _joined(["mask=", "causal"])
    ('mask=causal', 'mask=causal', 'mask=causal')
    >>> _joined(["mask=causal", "bank"]), _joined(["mask", "--json"])
    ('', '')
    """
    key, *rest = words or [""]
    if key.count("=") == 1 and key.endswith("="):
        key, rest = key[:-1], ["=", *rest]
    if rest[:1] == ["="]:
        rest = rest[1:]
    if not key or "=" in key or not rest or rest[0].startswith("--"):
        return ""
    return f"{key}={rest[0].removeprefix('=')}"
