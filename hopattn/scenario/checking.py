"""From the text of a file to the specification of each of its runs, or to the list of all that is wrong in it."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from hopattn.foundation.errors import InvalidInput, InvalidScenario, nearest, shortened, unknown
from hopattn.scenario.expectations import AnyExpectation
from hopattn.scenario.expectations.base import Expectation
from hopattn.scenario.kinds import kinds
from hopattn.scenario.kinds.base import Spec, Variant
from hopattn.scenario.language.array_layout import Layout
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.lines import Path, key_lines, line_of
from hopattn.scenario.language.messages import complaints
from hopattn.scenario.language.overrides import changed

SCHEMA_VERSION = 1

Origin = str | Path
"""Where a changed value comes from: words to say it, or the path in the file that asked for it."""


@dataclass(frozen=True, eq=False)
class Checked:
    """What a good file comes to: a specification for each run, the line of each path, the expectations set aside."""

    runs: Mapping[str, Spec]
    lines: Mapping[Path, int]
    void: frozenset[tuple[int, str]]


def check(text: str, where: str, overrides: Mapping[str, Any]) -> Checked:
    """Check a text after changing it; raises `InvalidScenario` with all that is wrong, in the order of its lines.

    where: the file that the text comes from; files that it names are looked for in the same folder.
    """
    try:
        with np.errstate(all="ignore"):
            return _Checker(where, text).check(overrides)
    except RecursionError:
        raise InvalidScenario([f"{where}:1: is nested too deeply to be read"]) from None


class _Checker:
    """One pass over one file: collects the problems of all its runs, and raises them together."""

    def __init__(self, where: str, text: str) -> None:
        self.where, self.text = where, text
        self.context = {"folder": FilePath(where).parent}
        self.found: set[tuple[int, str]] = set()
        self.void: set[tuple[int, str]] = set()
        self.layouts: dict[str, Layout] = {}
        self.document = self._toml()
        self.lines = key_lines(text)

    def check(self, overrides: Mapping[str, Any]) -> Checked:
        runs: dict[str, Spec] = {}
        model = self._model()
        document, origins = self._overridden(overrides)
        base = self._spec("", model, document, origins)
        if base is None:
            raise self._refusal()
        runs[""] = base
        for i, variant in enumerate(base.variant):
            self._note(variant.problems(("variant", i)), {})
            runs |= self._variant(model, document, origins, variant, i, runs)
        self._expectations(base, document, origins)
        if self.found:
            raise self._refusal()
        return Checked(runs, self.lines, frozenset(self.void))

    def _toml(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            reason, _, place = str(error).partition(" (at ")
            found = re.match(r"line (\d+)", place)
            line = found[1] if found else str(self.text.count("\n") + 1)
            advice = "; a key of other letters than a-z, A-Z, 0-9, _ and - stands in quotes" if " key" in reason else ""
            raise InvalidScenario([f"{self.where}:{line}: not TOML: {shortened(reason, 200)}{advice}"]) from None
        except ValueError:  # Python reads no whole number of more than 4,300 digits
            digits = re.search(r"\d{4300}", self.text.replace("_", ""))
            line = str(self.text.count("\n", 0, digits.start()) + 1) if digits else "1"
            raise InvalidScenario([f"{self.where}:{line}: holds a number of too many digits"]) from None

    def _model(self) -> type[Spec]:
        version, kind = self.document.get("schema"), self.document.get("kind")
        if "schema" in self.document and (version != SCHEMA_VERSION or isinstance(version, bool)):
            self._complain(
                ("schema",), f"{_plain(version)} is unknown; this version of hopattn reads schema = {SCHEMA_VERSION}"
            )
        elif isinstance(kind, str) and kind in kinds:
            return kinds[kind]
        elif "kind" in self.document:
            self._complain(("kind",), unknown(kind, kinds))
        else:
            slip = nearest("kind", self.document)
            near = f"; did you mean it by '{shortened(slip)}'?" if slip else ""
            self._complain((slip,) if slip else (), f"'kind' is missing{near} (choices: {', '.join(kinds)})")
        raise self._refusal()

    def _spec(
        self, name: str, model: type[Spec], document: dict[str, Any], origins: Mapping[Path, Origin]
    ) -> Spec | None:
        """The specification of one run with its problems noted; what the schema refused is left out of it.

        None where too much is wrong for the rest to be read.
        """
        try:
            spec = model.model_validate(document, context=self.context)
        except ValidationError as error:
            wrong = list(complaints(error, model, document))
            self._note(wrong, origins)
            repaired = _without(document, [problem.path for problem in wrong])
            try:
                spec = model.model_validate(repaired, context=self.context)
            except ValidationError:
                return None
        problems = [*spec.problems()]
        self._note(problems, origins)
        if all(problem.path[:1] == ("input",) for problem in problems):
            self.layouts[name] = spec.layout()  # an unknown token is a row all the same, so expectations can be checked
        return spec

    def _variant(
        self,
        model: type[Spec],
        document: dict[str, Any],
        origins: Mapping[Path, Origin],
        variant: Variant,
        i: int,
        known: Any,
    ) -> dict[str, Spec]:
        place: Path = ("variant", i, "set")
        if variant.name in known:
            self._complain(("variant", i, "name"), f"'{variant.name}' is the name of two variants")
            return {}
        try:
            changes, own = changed(document, variant.changes)
        except InvalidInput as error:
            self._complain(place, str(error))
            return {}
        asked: dict[Path, Origin] = {**origins, **{path: (*place, text) for path, text in own.items()}}
        spec = self._spec(variant.name, model, changes, asked)
        return {} if spec is None else {variant.name: spec}

    def _overridden(self, overrides: Mapping[str, Any]) -> tuple[dict[str, Any], dict[Path, Origin]]:
        try:
            result, places = changed(self.document, overrides)
        except InvalidInput as error:
            raise InvalidScenario([f"--set {error}"]) from None
        return result, {path: f"--set {text}" for path, text in places.items()}

    def _expectations(self, base: Spec, document: Mapping[str, Any], origins: Mapping[Path, Origin]) -> None:
        """Note what the expectations speak of that is not there.

        After a change from outside, those that have lost what they speak of are set aside instead.
        """
        declared = {variant.name for variant in base.variant}
        for i, expectation in enumerate(base.expect) if base.expect else _each_valid(document.get("expect")):
            own = any(path[:2] == ("expect", i) for path in origins)
            for name in expectation.variants:
                problems: list[Problem] = []
                if name and name not in declared:
                    problems = [Problem(("expect", i, "variant"), unknown(name, declared))]
                elif name in self.layouts:
                    problems = [*expectation.problems(self.layouts[name], ("expect", i))]
                if problems and origins and not own:
                    self.void.add((i, name))
                else:
                    self._note(problems, origins)

    def _note(self, problems: Any, origins: Mapping[Path, Origin]) -> None:
        for problem in problems:
            self._complain(problem.path, problem.message, origins)

    def _complain(self, path: Path, message: str, origins: Mapping[Path, Origin] | None = None) -> None:
        for end in range(len(path), 0, -1):
            origin = (origins or {}).get(path[:end])
            if isinstance(origin, str):
                self.found.add((0, f"{origin}: {message}"))
                return
            if origin is not None:
                path = origin
                break
        line = line_of(self.lines, path)
        place = f"{_dotted(path)}: " if path else ""
        self.found.add((line, f"{self.where}:{line}: {place}{message}"))

    def _refusal(self) -> InvalidScenario:
        return InvalidScenario(message for _, message in sorted(self.found))


def _without(document: Mapping[str, Any], wrong: list[Path]) -> dict[str, Any]:
    """The document without what the schema refused, so that one can look what else is wrong in it.

    A word's vector is replaced by another, because without the word more would seem to be wrong than is; the
    expectations are all left out, to be looked at one by one.
    """
    repaired = changed(document, {})[0]
    for path in sorted(set(wrong), key=_from_the_end, reverse=True):
        if path[:1] == ("expect",):
            repaired.pop("expect", None)
        elif path[:2] == ("vocabulary", "words") and len(path) > 2:
            axes = repaired["vocabulary"].get("axes")
            repaired["vocabulary"]["words"][path[2]] = [1.0, *[0.0] * (len(axes) - 1 if isinstance(axes, list) else 0)]
        elif path:
            _remove(repaired, path)
    return repaired


def _from_the_end(path: Path) -> list[tuple[bool, int, str]]:
    """Sorts paths so that, from the last to the first, leaving one out moves none that is still to come."""
    return [(False, key, "") if isinstance(key, int) else (True, 0, key) for key in path]


def _remove(document: Any, path: Path) -> None:
    node: Any = document
    for key in path[:-1]:
        if isinstance(node, dict) and key not in node:
            return
        node = node[key]
    if isinstance(node, dict):
        node.pop(path[-1], None)
    elif isinstance(node, list) and isinstance(path[-1], int):
        del node[path[-1]]


def _each_valid(items: Any) -> Iterator[tuple[int, Expectation]]:
    """The expectations that the schema accepts, with their places; the others have been complained of."""
    adapter: TypeAdapter[Expectation] = TypeAdapter(AnyExpectation)
    for i, item in enumerate(items if isinstance(items, list) else []):
        try:
            yield i, adapter.validate_python(item)
        except ValidationError:
            continue


def _plain(value: Any) -> str:
    """A value as TOML writes it."""
    return str(value).lower() if isinstance(value, bool) else shortened(repr(value))


def _dotted(path: Path) -> str:
    """A path as `--set` takes it, entries counted from 1.

    >>> _dotted(("layer", 0, "head", 1, "mask"))
    'layer.1.head.2.mask'
    """
    return ".".join(
        str(key + 1) if isinstance(key, int) else key if key.isidentifier() else f'"{shortened(key)}"' for key in path
    )
