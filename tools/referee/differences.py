"""What is another between two records. A number may differ by rounding; a message may say its sentence otherwise."""

import base64
import difflib
import re

import numpy as np

LOOSER = {"landscapes.fixed_points · eigenvalues": 1e3}
"""Records whose numbers amplify rounding, by so much: eigenvalues at points where an iteration has stopped."""
NUMBER = re.compile(r"[-−]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
QUOTED = re.compile(r"'([^'\n]{1,60})'|\"([^\"\n]{1,60})\"|`([^`\n]{1,60})`")


def difference(name, old, new, within):
    """A sentence, or nothing; one that begins with "~" tells of rounding or of other words, and is no fault."""
    if new is None:
        return "is not there any more"
    if old == new:
        return ""
    if old["is"] != new["is"]:
        return f"was {brief(old)}; now {brief(new)}"
    looser = next((factor for end, factor in LOOSER.items() if name.endswith(end)), 1)
    if old["is"] == "array":
        return of_arrays(old, new, within * looser)
    return of_texts(old["text"], new["text"]) if old["is"] == "text" else of_messages(old, new)


def brief(record):
    return f"{record['is']} {record.get('text', record.get('shape', ''))}"[:300]


def of_arrays(old, new, within):
    for part in ("library", "dtype", "shape"):
        if old[part] != new[part]:
            return f"{part} was {old[part]}; now {new[part]}"
    a, b = (np.frombuffer(base64.b64decode(one["numbers"]), dtype=np.dtype(one["dtype"])) for one in (old, new))
    if a.dtype.kind in "biu":
        return f"{int(np.sum(a != b)) or 'some'} of {a.size} entries differ"
    tolerance = within * (np.finfo(a.dtype).eps / np.finfo(np.float64).eps)
    with np.errstate(all="ignore"):
        size = max(1.0, float(np.max(np.abs(a[np.isfinite(a)]), initial=0)))
        same = np.isclose(a, b, rtol=0, atol=tolerance * size, equal_nan=True)
        most = float(np.nanmax(np.abs(a - b))) if a.size else 0.0
    if np.all(same):
        return f"~rounding, {most:.1g}"
    at = int(np.argmin(same))
    return (
        f"{int(np.sum(~same))} of {a.size} numbers differ, by {most:.3g} at most; number {at} was {a[at]}, now {b[at]}"
    )


def of_texts(a, b):
    numbers = NUMBER.findall(a), NUMBER.findall(b)
    if NUMBER.sub("#", a).split() == NUMBER.sub("#", b).split() and all(map(print_alike, *numbers)):
        return "~rounding or spaces in a text"
    lines = difflib.unified_diff(a.splitlines(), b.splitlines(), lineterm="", n=0)
    return "text: " + " | ".join(line[:160] for line in lines if line[:2] not in ("--", "++", "@@"))[:900]


def print_alike(one, other):
    """Whether two printed numbers differ by one unit in the last digit at most; whole numbers by nothing."""
    if one == other or (one.isdigit() and other.isdigit()):
        return one == other
    halves = (number.lower().partition("e") for number in (one, other))
    unit = min(10.0 ** (int(power or 0) - len(digits.partition(".")[2])) for digits, _, power in halves)
    a, b = (float(number.replace("−", "-")) for number in (one, other))
    return abs(a - b) <= max(unit, 1e-12) * (1 + 1e-9)


def place(words):
    """Where a message says the fault is: each file and line in it, or the name before its first colon."""
    lines = re.findall(r"[\w.-]+\.toml:\d+", words)
    first = re.match(r"([\w .\[\]-]{1,40}):", words)
    return sorted(lines) if lines else [first[1]] if first else []


def key_words(words):
    quoted = {next(filter(None, groups)) for groups in QUOTED.findall(words)}
    return quoted | set(re.findall(r"--[a-z-]+", words)) | set(NUMBER.findall(re.sub(r"\.toml:\d+", "", words)))


def of_messages(old, new):
    a, b = old["text"], new["text"]
    if old["kind"] != new["kind"]:
        return f"was {old['kind']}: {a[:160]!r}; now {new['kind']}: {b[:160]!r}"
    if place(a) != place(b):
        return f"place was {place(a)}; now {place(b)}: {b[:200]!r}"
    if lost := {word for word in key_words(a) if word not in b}:
        return f"lost {sorted(lost)}: was {a[:200]!r}; now {b[:200]!r}"
    if "did you mean" in a and "did you mean" not in b:
        return f"lost 'did you mean': {b[:200]!r}"
    return f"~says it otherwise: {b[:120]!r}"
