"""Numbers in sentences: vectors beside a word, weights, scores and cosines of two words, and measures of a run."""

import re
from collections.abc import Iterator, Sequence

from hopattn.notes.claims import Claim, compared
from hopattn.notes.known import VOCABULARY, Known, Value, meant
from hopattn.notes.numbers import NUMBER, Printed, in_list
from hopattn.notes.reading import UNSURE, Block
from hopattn.scenario.arrays import Name

Reading = list[tuple[int, Printed | None, Value]]
"""The entries of a list with their places, each beside the number of a run."""

_LEAD = (
    r"(?P<lead>(?:(?:the|a|an|word|words|vector|state|token|pattern|embedding|let|of|for|at|in|is|where|with|row|"
    r"(?:attention )?weights?|scores?|output|input|query|key|value|der|die|das|den|Vektor|Wort|Zustand|von|sei|ist)"
    r"\s+)*)"
)
_START = (
    r"(?:^|[.,;:!?–—•|]|(?<=[)\]])\s*(?:and|or|but|while|und|→|\n)|"
    r"\b(?:are|with|where|let|set|word|take|that|and then|mit|wobei|Wort)\b)\s*"
)
"""Where a statement about one word may begin; elsewhere the word may be a part of a sum, as in `A + B = …`."""
_IS = (
    r"(?P<is>(?:\s|=|:|≈|→|\b(?:is|are|becomes|has|the|vector|state|now|then|ist|wird|zu|hat|den|Vektor)\b|"
    r"\bafter (?:layer \d+|attention)\b)*)"
)
_LIST = r"[(\[⟨]\s*(?P<list>[^()\[\]⟨⟩]{1,2000}?)\s*[)\]⟩](?!\s*[·×+*/^−]|\s*-\s*\S)"
_SHORT = 3
"""A name of so few letters, such as "in", needs a sign or an emphasis before it is taken for a name in a sentence."""
_QUOTE = r"[\"'“”„‘’«»]?"
_OF_TWO = (
    r"\b(?P<what>weight|Gewicht|score)\s+(?:from|von)\s+{a}\s+(?:to|on|auf|zu|nach)\s+{b}",
    r"\b(?P<what>weight|Gewicht|score):?\s+{a}\s*→\s*{b}",
    r"{a}\s+(?:looks\s+at|attends\s+to)\s+{b}\s+with\s+(?:an?\s+|the\s+)?(?:attention\s+)?(?P<what>weight)",
    r"\b(?P<what>cosine|Kosinus|Cosinus|similarity|dot\s+product|Skalarprodukt)(?:\s+similarity)?"
    r"\s+(?:of|between|from|von|zwischen)\s+{a}\s+(?:and|to|with|und|zu|mit)\s+{b}",
    r"\b(?P<what>cos|cosine|sim|similarity)\s*\(\s*{a}\s*,\s*{b}\s*\)",
)
"""Sentences about two words."""
_PLACE = r"(?P<place>(?:\s+(?:in|of|at|after)\s+(?:the\s+)?(?:layer|head)\s+\d+)*)"
_EQUALS = (
    r"(?:\s|=|:|≈|\b(?:is|of|equals|comes\s+to|becomes|now|then|about|roughly|exactly|therefore|ist|beträgt|etwa|rund)"
    r"\b)*"
)
_NUMBER = (
    rf"(?<![\w.,])(?P<number>{NUMBER})(?![\w¦]|[.,]\d|\s*(?:±|–\s?[\d.]|\^|[·×*/+]|\\)|"
    r"\s+(?:to|or|bis|oder|times|of|more|less|larger|smaller|points?|words?|percent)\b)"
)


def prose_claims(block: Block, runs: Sequence[Known], are_pairs: bool = False) -> list[Claim]:
    """The numbers of a paragraph that stand beside names of the runs, each compared; or those of pairs of names."""
    text = block.text
    found = {} if are_pairs else dict(_measures(block, text, runs))
    for name, one, other in _any_name(text, runs):
        found |= {} if are_pairs else dict(_vectors(block, text, name, runs))
        found |= dict(_pairs(block, text, one, other, runs))
    return [found[place] for place in sorted(found)]


def _any_name(text: str, runs: Sequence[Known]) -> Iterator[tuple[str, str, str]]:
    """The regular expressions of any name of the runs that a text has: as one name, and as the first and second."""
    flat = " ".join(text.lower().split())
    names = {name for run in runs for name in run.names if name.lower() in flat}
    ordered = (re.escape(name).replace(r"\ ", r"\s+") for name in sorted(names, key=len, reverse=True))
    any_name = rf">{'|'.join(ordered)})(?![\w#-]){_QUOTE}"
    if names:
        name, one, other = (f"{_QUOTE}(?<![\\w#-])(?P<{group}{any_name}" for group in ("name", "one", "other"))
        yield name, one, other


def _vectors(block: Block, text: str, name: str, runs: Sequence[Known]) -> Iterator[tuple[int, Claim]]:
    """The numbers of lists beside a name, by their places."""
    for found in re.finditer(_START + _LEAD + name + _IS + _LIST, text, re.I):
        start, end, sign = found.start("name"), found.end("name"), re.search("[=:≈→]", found["is"])
        emphasised = not block.raw[end].isspace() and not block.raw[start - 1].isspace() and start
        if not sign and not emphasised and len(found["name"]) <= _SHORT:
            continue
        lists = list(_vector_readings(found, runs))
        best = max((agreeing for agreeing, _ in lists), default=0)
        ties = [entries for agreeing, entries in lists if agreeing == best]
        if not ties or ("=" not in found["is"] and 2 * best < len(ties[0])):
            continue
        for i, (place, printed, value) in enumerate(ties[0]):  # one array for the whole list, the word's own first
            if printed is not None:
                at = found.start("list") + place
                yield at, compared(block.line_at(at), f"{found['name']}, number {i + 1}", printed, [value])


def _vector_readings(found: re.Match[str], runs: Sequence[Known]) -> Iterator[tuple[int, Reading]]:
    """The readings of a list beside a name, each with the number of entries that agree.

    The list is a row of an array that the words beside it name. Where they name none, it is the word's vector in the
    vocabulary, the input or the state; or a row of another array that agrees whole.
    """
    for run in runs:
        named = meant([found["lead"] + found["is"]], [name for name in run.arrays if VOCABULARY not in name])
        for array, values in run.rows(found["name"], named or list(run.arrays)):
            parts = in_list(found["list"], len(values))
            right = [Value(float(value), array, run.run) for value in values]
            entries = [(place, one, value) for (place, one), value in zip(parts, right, strict=bool(parts))]
            agreeing = sum(one is not None and one.agrees(value.number) for _, one, value in entries)
            usual = named or Name.parse(array).quantity in (VOCABULARY, "input", "state")
            if entries and (usual or agreeing == len(entries)):
                yield agreeing, entries


def _pairs(block: Block, text: str, one: str, other: str, runs: Sequence[Known]) -> Iterator[tuple[int, Claim]]:
    """The numbers that sentences give for two words, by their places."""
    for form in _OF_TWO:
        for found in re.finditer(form.format(a=one, b=other) + _PLACE + _EQUALS + _NUMBER, text, re.I):
            what, one_, other_ = (found[group] for group in ("what", "one", "other"))
            values = [value for run in runs for value in _values(run, what.lower(), one_, other_)]
            turned = [value for run in runs for value in _values(run, what.lower(), other_, one_)]
            kept = meant([f"{what} {found['place']}"], list(dict.fromkeys(value.array for value in values)))
            values = [value for value in values if not kept or value.array in kept]
            about = found[0][: found.end("place") - found.start()]
            yield from _single(block, text, found, about, values, turned)


def _values(run: Known, what: str, one: str, other: str) -> Iterator[Value]:
    """The numbers of a run that a word such as "cosine" may mean for two words."""
    if what in ("weight", "gewicht"):
        yield from run.entries("weights", one, other)
    elif what == "score":
        yield from run.entries("scores", one, other)
    else:
        cosines = what.startswith(("cos", "kos"))
        yield from run.products(one, other, cosines)
        if what.startswith("sim"):
            yield from run.products(one, other, True)
            yield from run.entries("scores", one, other)


def _measures(block: Block, text: str, runs: Sequence[Known]) -> Iterator[tuple[int, Claim]]:
    """The numbers beside the name of a measure, or beside the words of an expectation, by their places."""
    flat, values = " ".join(text.lower().split()), dict[str, list[Value]]()
    for run in runs:
        for name, value in run.measures():
            if name.lower() in flat:
                values.setdefault(name, []).append(Value(value, name, run.run))
    for name, own in values.items():
        words = re.escape(name).replace(r"\ ", r"\s+")
        pattern = rf"(?:^|[.,;:!?(|]|\b(?:the|and|der|die|das|und)\b)\s*{words}(?![\w-])"
        for found in re.finditer(pattern + _EQUALS + _NUMBER, text, re.I):
            yield from _single(block, text, found, name, own)


def _single(
    block: Block, text: str, found: re.Match[str], about: str, values: Sequence[Value], accepted: Sequence[Value] = ()
) -> Iterator[tuple[int, Claim]]:
    """The number of a sentence, unless the sentence may be about something else than the run."""
    at, printed = found.start("number"), Printed.parse(found["number"])
    before = re.split(r"[.!?]\s", text[:at])[-1]
    whole = re.match(r"\s*(?:$|[.,;:!?)\]—|]|and\b|und\b)", text[found.end() :])
    if printed and values and not UNSURE.search(before) and (whole or re.search(r"[.,/%]", printed.text)):
        yield at, compared(block.line_at(at), " ".join(about.split()), printed, values, accepted)
