"""The interactive page: one HTML file that needs no network, built from the files of `parts/`."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from hashlib import sha256
from html import escape
from typing import Any

from hopattn.figures.palette import DARK, LIGHT, Palette
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.sentences import in_comma, say
from hopattn.foundation.version import __version__
from hopattn.views.explorer.controls import controls, part
from hopattn.views.explorer.start import Start

MATHS = (
    *("vectors", "similarity", "separation", "activation", "attention"),
    *("energy", "learning", "spins", "induction", "weights"),
)
"""The scripts of the formulas, in the order of their use."""
PAGE = (
    *("state", "dom", "check", "colours", "playing", "terms", "controls", "presets", "limits", "address"),
    *("placing", "plane", "arcs", "matrix", "bars", "working", "text_editor", "word_moves", "tasks", "attention_view"),
    *("landscape", "chart", "energy_view", "pixels", "spin_view", "parts_of_words", "induction_view"),
    "weights_view",
    *("toml", "export", "lecture", "main"),
)
"""The scripts of the page, in the order of their use."""
MOST_BYTES = 350_000
"""The largest size of a page, without the weights that are given to it."""


def page_of(starts: Mapping[str, Start], cases: list[dict[str, Any]], lang: str, most: int = MOST_BYTES) -> str:
    """The page of the starts of all views, the first of which is open, with the cases by which it checks itself.

    It loads nothing: its content-security policy allows only its own script and style, by their hashes. lang: the
    name of the language that is set. most: its largest size in bytes. Raises `InvalidInput` for a larger page.
    """
    views = {view: start.data for view, start in starts.items()}
    first = next(iter(starts))
    script = "\n".join(['"use strict";', *(_plain(part(f"{name}.js")) for name in (*MATHS, *PAGE))])
    style = f"{_variables(':root', LIGHT)}\n{_variables(':root[data-theme=dark]', DARK)}\n{part('page.css')}"
    parts = {
        "policy": _policy(script, style),
        "title": escape(f"{views[first]['title']} · hopattn explore"),
        "style": style,
        "version": escape(f"hopattn {__version__}"),
        "lang": lang,
        "start": _safe_json({**_in_words(script), "first": first, "views": views, "cases": cases}),
        "script": script,
    }
    text = re.sub(r"\{\{(.+?)\}\}", lambda match: parts.get(match[1]) or escape(say(match[1])), part("page.html"))
    if (size := len(text.encode())) > most:
        limit = f"more than {most // 1000:,} kB"
        raise InvalidInput(f"{starts[first].where}: its page would have {size:,} bytes, {limit}")
    return text


def _in_words(script: str) -> dict[str, Any]:
    """The language of a script, and the labels and terms of the controls in it."""
    table = {**controls(), "terms": {key: say(text) for key, text in controls()["terms"].items()}}
    for view in table.keys() - {"terms", "sizes"}:
        table[view] = {key: {**one, "label": say(one["label"])} for key, one in table[view].items()}
    forms = {phrase: form for phrase in phrases(script) if (form := say(phrase)) != phrase}
    return {"language": {"forms": forms, "comma": in_comma(".5") != ".5"}, "controls": table}


def phrases(script: str) -> Iterator[str]:
    """The English templates of a script, which it writes as phrase`head ${i} of ${n}`.

    >>> [*phrases("phrase`${chosen ? phrase`key` : {}} of ${n}`")]
    ['{} of {}', 'key']
    """
    for match in re.finditer(r"\bphrase`", script):
        template, depth, i = "", 0, match.end()
        while depth or script[i] != "`":
            depth += {"{": 1, "}": -1}.get(script[i], 0) if depth or script[i - 1 : i + 1] == "${" else 0
            if depth and script[i] == "`":
                i = script.index("`", i + 1)
            template += script[i] if not depth and script[i] != "}" else ""
            i += 1
        yield template.replace("$", "{}")


def _plain(script: str) -> str:
    """A script without indentation and without comments that fill lines; no text of a script has several lines."""
    code = re.sub(r"^[ \t]*/\*.*?\*/[ \t]*$", "", script, flags=re.MULTILINE | re.DOTALL)
    lines = (line.strip() for line in code.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _policy(script: str, style: str) -> str:
    """The content-security policy: nothing is loaded; pictures are those that the page itself makes."""
    allowed = f"script-src {_hash(script)}; style-src {_hash(style)}; img-src data: blob:"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _safe_json(value: Any) -> str:
    """JSON that is safe in a script element: no text of a scenario can end it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return (
        text.replace("<", "\\u003c").replace(">", "\\u003e").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    )


def _variables(selector: str, palette: Palette) -> str:
    """The colours of the figures as variables of the style sheet."""
    ends = zip(*(bytes.fromhex(colour[1:]) for colour in (palette.paper, palette.ink)), strict=True)
    middle = bytes((low + high) // 2 for low, high in ends)  # of a neuron at 0, as in the figures
    values = {"line": "#d5d9de" if palette is LIGHT else "#3a414b", "unknown": f"#{middle.hex()}"}
    for name, value in asdict(palette).items():
        stops = [(name, value)] if isinstance(value, str) else [(f"{name}-{i}", one) for i, one in enumerate(value, 1)]
        values |= {key.replace("_", "-"): colour for key, colour in stops}
    return f"{selector} {{ {' '.join(f'--{name}: {value};' for name, value in values.items())} }}"
