r"""The characters that an output lacks, in ASCII: β × ∞ becomes beta * inf.

Windows writes into files and pipes in a code page of 256 characters, such as cp1252. A letter that has no form in ASCII
is printed as an escape, such as `\u8a9e`, so that two words stay two.
"""

import codecs
import re
import sys
from unicodedata import combining, decomposition, name, normalize

FORMS = {
    **{"−": "-", "–": "-", "—": "-", "×": "*", "⁄": "/", "±": "+/-", "≈": "~=", "≤": "<=", "≥": ">=", "≠": "!="},
    **{"→": "->", "←": "<-", "⇄": "<->", "…": "...", "·": ".", "°": " deg", "√": "sqrt ", "∞": "inf", "∝": "~"},
    **{"∇": "grad ", "∫": "int ", "∂": "d", "∘": "o", "′": "'", "⟨": "<", "⟩": ">"},
    **{"‘": "'", "’": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'},
    **{"░": "-", "▒": "+", "▓": "%", "█": "#"},
}
"""The signs that hopattn prints, and the shades of its pictures; superscripts, Greek and accents have rules."""

RAISED = {"<super>": "^", "<sub>": "_"}
ERRORS = "hopattn-ascii"
"""The name under which `str.encode` and streams know the forms: `errors=ERRORS`."""


def in_ascii(text: str) -> str:
    r"""A text in ASCII.

    >>> in_ascii("p = ∇Ψ(β s): −.6² ≈ −½")
    'p = grad Psi(beta s): -.6^2 ~= -1/2'
    """
    forms, last = [], None
    for one in text:
        raised = RAISED.get(decomposition(one).partition(" ")[0])
        forms.append((raised if raised and raised != last else "") + "".join(map(_form, normalize("NFKD", one))))
        last = raised
    return "".join(forms)


def portable(text: str) -> str:
    """The text of a file on standard output: in ASCII unless that is UTF-8. Nobody could read another encoding."""
    return text if _is_utf() else in_ascii(text)


def portable_json(text: str) -> str:
    """JSON on standard output: with the escapes of JSON unless that is UTF-8, so that no letter is lost."""
    import json

    return text if _is_utf() else re.sub(r"[^\x00-\x7f]+", lambda found: json.dumps(found[0])[1:-1], text)


def _is_utf() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


def _form(one: str) -> str:
    """One character without parts in ASCII; empty for an accent."""
    if one.isascii() or one in FORMS:
        return FORMS.get(one, one)
    if greek := re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)", name(one, "")):
        return greek[2].lower() if greek[1] == "SMALL" else greek[2].capitalize()
    return "" if combining(one) else one.encode("ascii", "backslashreplace").decode()


def _instead(error: UnicodeError) -> tuple[str, int]:
    """The ASCII of characters that cannot be encoded, and where the text goes on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return in_ascii(error.object[error.start : error.end]), error.end


codecs.register_error(ERRORS, _instead)
