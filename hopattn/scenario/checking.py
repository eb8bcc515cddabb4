"""The check of a scenario: from the text of a file to the specification of each run, or to the list of all errors."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from hopattn.dynamics.own_parts import with_names
from hopattn.foundation.errors import MAX_LISTED, InvalidInput, bounded, nearest, quoted, shortened, unknown
from hopattn.scenario.expectations import validator
from hopattn.scenario.expectations.base import Expectation
from hopattn.scenario.kinds import kinds
from hopattn.scenario.kinds.base import LISTS_OF_FILE, WHOLE_FILE, Spec
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.bounds import too_large, too_many_variants
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.lines import Path, key_lines, line_of
from hopattn.scenario.language.messages import is_consequence_of, schema_problems
from hopattn.scenario.language.overrides import at, changed
from hopattn.scenario.language.refused import without
from hopattn.scenario.language.syntax_faults import syntax_fault

SCHEMA_VERSION = 1
MOST_PROBLEMS = 200
"""The search stops after this many problems; the message lists fewer."""

TITLES = {("title",), ("figure", "title")}
"""The paths of the titles of a figure."""

Origin = str | Path
"""The origin of a changed value: words for a message, or the path of the change in the file."""


class InvalidScenario(InvalidInput):
    """An invalid scenario file; the message lists its problems, one on each line.

    stopped: whether the search for problems was stopped, so that the file may have further ones.
    """

    def __init__(self, problems: Iterable[str], stopped: bool = False) -> None:
        self.problems = tuple(map(bounded, problems))
        more = len(self.problems) - MAX_LISTED
        rest = [f"… and {'at least ' * stopped}{more} more"] if more > 0 else []
        lines = [*self.problems[:MAX_LISTED], *rest]
        super().__init__("\n".join(lines))


class Checker:
    """The check of the text of one file: it collects the errors of all runs and raises them together.

    where: the path of the file, for messages; files that the scenario names are looked for in the same folder.
    lines: the line number of each path. not_applicable, changes: as in `Scenario`.
    """

    def __init__(self, text: str, where: str) -> None:
        self.where, self.text = where, text
        self.context = {"folder": FilePath(where).parent}
        self.errors: set[tuple[int, str]] = set()
        self.stopped = self.unlike = self.odd_without = False
        self.not_applicable: dict[tuple[int, str], str] = {}
        self.changes: dict[str, Any] = {}
        self.layouts: dict[str, ArrayLayout] = {}
        self.document = toml_of(text, where)
        self.lines = key_lines(text)

    def runs(self, overrides: Mapping[str, Any]) -> dict[str, Spec]:
        """The specification of each run by the name of its variant, after the overrides; "" is the file as written.

        Raises `InvalidScenario` with all errors, in the order of their lines.
        """
        model = self._model()
        document, origins = self._with_overrides(model, overrides)
        base = self._spec("", model, document, origins)
        if base is None:
            raise self._invalid()
        if self.unlike and not any(path[:2] == ("figure", "names") for path in origins):
            figure = base.figure.without_names(["", *(variant.name for variant in base.variant)])
            base = base.model_copy(update={"figure": figure})
        runs = {"": base}
        of_one_run = {key: node for key, node in document.items() if key not in LISTS_OF_FILE}
        if message := too_many_variants([len(variant.changes) for variant in base.variant], of_one_run):
            self._report(("variant",), message)
            raise self._invalid()
        written = base.written_out if base.variant else {}
        for i, variant in enumerate(base.variant):
            if problems := [*variant.problems(("variant", i), runs)]:
                self._report_all(problems, {})
                continue
            place: Path = ("variant", i, "set")
            try:
                varied, own = changed(of_one_run, variant.changes, written, model.is_user_key)
            except InvalidInput as error:
                self._report(place, str(error))
                continue
            spec = self._spec(variant.name, model, varied, {**origins, **{p: (*place, key) for p, key in own.items()}})
            runs |= {} if spec is None else {variant.name: spec}
        if not self.errors:
            runs |= self._without(base, runs, origins)
        self._expectations(base, document, origins)
        if not origins or any(path[:1] == ("figure",) for path in origins):  # a change may take its words away
            self._report_all(base.figure.problems(list(runs), list(self.layouts.values())), origins)
        if self.errors:
            raise self._invalid()
        return runs

    def _without(self, base: Spec, runs: Mapping[str, Spec], origins: Mapping[Path, Origin]) -> dict[str, Spec]:
        """The runs of [[without]] by their names; a second run of one name, and parts that do not fit, are reported."""
        found: dict[str, Spec] = {}
        for i, table in enumerate(base.tables_without):
            spec, name = base.run_without(table), table.run
            problems = [problem.message for problem in spec.problems()]
            if name in runs or name in found:
                problems = [f"'{shortened(name)}' is the name of two runs; give this one another `name`"]
            self._report_all((Problem(("without", i), message) for message in problems), origins)
            if not problems:
                found[name], self.layouts[name] = spec, spec.layout()
        return found

    def _model(self) -> type[Spec]:
        version, kind = self.document.get("schema"), self.document.get("kind")
        if "schema" in self.document and (version != SCHEMA_VERSION or isinstance(version, bool)):
            given = str(version).lower() if isinstance(version, bool) else quoted(version)  # as TOML writes it
            reads = f"this version of hopattn reads schema = {SCHEMA_VERSION}"
            self._report(("schema",), f"{given} is unknown; {reads}")
        elif isinstance(kind, str) and kind in kinds:
            return kinds[kind]
        elif "kind" in self.document:
            self._report(("kind",), unknown(kind, kinds))
        else:
            typo = nearest("kind", self.document)
            near = f"; did you mean it by '{shortened(typo)}'?" if typo else ""
            if not self.document:
                near = "; the file is empty: `hopattn new` writes one to begin with"
            self._report((typo,) if typo else (), f"'kind' is missing{near} (choices: {', '.join(kinds)})")
        raise self._invalid()

    def _spec(
        self, name: str, model: type[Spec], document: dict[str, Any], origins: Mapping[Path, Origin]
    ) -> Spec | None:
        """The specification of one run, without the values that the schema refused; its problems are reported.

        None if the file still cannot be read without those values.
        """
        refused: list[Path] = []
        try:
            spec = model.model_validate(document, context=self.context)
        except ValidationError as error:
            self.stopped |= error.error_count() > MOST_PROBLEMS
            schema = schema_problems(error, model, document, MOST_PROBLEMS)
            found = [_of_another_kind(problem, model) for problem in schema]
            self._report_all(found, origins)
            refused = [problem.path for problem in found]
            repaired = without(document, refused)
            try:
                spec = model.model_validate(repaired, context=self.context)
            except ValidationError:
                return None
        only_of_input = True
        for problem in spec.problems():  # the search stops at the last problem that is reported
            only_of_input &= problem.path[:1] == ("input",)
            if not is_consequence_of(problem, refused):
                self._report_all([problem], origins)
        if only_of_input:
            self.layouts[name] = spec.layout()  # an unknown token has a row too, so expectations can be checked
        return spec

    def _with_overrides(
        self, model: type[Spec], overrides: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[Path, Origin]]:
        written: dict[str, Any] = {field.alias or name: None for name, field in model.model_fields.items()}
        if any(text.split(".")[0].strip() not in written for text in overrides):  # a short path may mean a default
            with suppress(ValidationError):
                written |= self.document
                written |= model.model_validate(self.document, context=self.context).written_out
        try:
            overrides = with_names(overrides)
            result, places = changed(self.document, overrides, written, model.is_user_key)
        except InvalidInput as error:
            raise InvalidScenario([f"--set {error}"]) from None
        changes = {
            text: overrides[text]
            for path, text in places.items()
            if path[0] not in (*WHOLE_FILE, "seed") and at(result, path) != at(self.document, path)
        }
        self.unlike = bool(changes)
        self.changes = {} if places.keys() & TITLES else changes
        return result, {path: f"--set {text}" for path, text in places.items()}

    def _expectations(self, base: Spec, document: Mapping[str, Any], origins: Mapping[Path, Origin]) -> None:
        """Report the expectations that refer to something that does not exist.

        After an override, such an expectation is skipped instead, as not applicable.
        """
        declared = {variant.name for variant in base.variant} | {table.run for table in base.tables_without}
        for i, expectation in enumerate(base.expect) if base.expect else _each_valid(document.get("expect")):
            own = any(path == ("expect",) or path[:2] == ("expect", i) for path in origins)
            for name in expectation.variants:
                problems: list[Problem] = []
                if name and name not in declared:
                    if self.odd_without:
                        continue  # it may be the run of the table of [[without]] that has an error
                    problems = [Problem(("expect", i, "variant"), unknown(name, declared))]
                elif name in self.layouts:
                    problems = [*expectation.problems(self.layouts[name], ("expect", i))]
                if problems and origins and not own:
                    key = _dotted(problems[0].path[2:])
                    reason = problems[0].message.partition(" (choices: ")[0]
                    self.not_applicable[i, name] = f"{key}: {reason}" if key else reason
                else:
                    self._report_all(problems, origins)

    def _report_all(self, problems: Iterable[Problem], origins: Mapping[Path, Origin]) -> None:
        for problem in problems:
            self._report(problem.path, problem.message, origins)
            if len(self.errors) > MOST_PROBLEMS:
                self.stopped = True
                raise self._invalid()

    def _report(self, path: Path, message: str, origins: Mapping[Path, Origin] | None = None) -> None:
        """Add an error at a path; the error of a changed value names the change instead, as `origins` has it."""
        self.odd_without |= path[:1] == ("without",)
        for end in range(len(path), 0, -1):
            origin = (origins or {}).get(path[:end])
            if isinstance(origin, str):
                self.errors.add((0, f"{origin}: {message}"))
                return
            if origin is not None:
                path = origin
                break
        line = line_of(self.lines, path)
        place = f"{_dotted(path)}: " if path else ""
        self.errors.add((line, f"{self.where}:{line}: {place}{message}"))

    def _invalid(self) -> InvalidScenario:
        return InvalidScenario((message for _, message in sorted(self.errors)), self.stopped)


def toml_of(text: str, where: str) -> dict[str, Any]:
    """The document of a text in TOML; where: the name of its file. Raises `InvalidScenario` for another text."""
    if beyond := too_large(text):
        raise InvalidScenario([f"{where}:{beyond[0]}: {beyond[1]}"])
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        fault = syntax_fault(text, error)
        raise InvalidScenario([f"{where}:{fault.line}: not TOML: {fault.message}\n{fault.excerpt}"]) from None
    except ValueError:  # Python refuses whole numbers of more than 4,300 digits
        digits = re.search(r"(?<!\d)\d{4300}", text.replace("_", ""))
        line = str(text.count("\n", 0, digits.start()) + 1) if digits else "1"
        raise InvalidScenario([f"{where}:{line}: holds a number of too many digits"]) from None


def _of_another_kind(problem: Problem, model: type[Spec]) -> Problem:
    """The problem of an unknown key of the whole file, which names the kinds that the key belongs to."""
    key = problem.path[0] if len(problem.path) == 1 else None
    if key is None or key in _keys(model):
        return problem
    owners = [f'"{name}"' for name, kind in kinds.items() if key in _keys(kind)]
    if not owners:
        return problem
    own = next(name for name, kind in kinds.items() if kind is model)
    belongs = f"kind = {' or '.join(owners[:4])}{' …' if len(owners) > 4 else ''}"
    return Problem(problem.path, f'belongs to {belongs}, and here kind = "{own}"')


def _keys(model: type[Spec]) -> set[str]:
    """The keys of the whole file."""
    return {field.alias or name for name, field in model.model_fields.items()}


def _each_valid(items: Any) -> Iterator[tuple[int, Expectation]]:
    """The expectations that the schema accepts, with their numbers; the others are reported already."""
    for i, item in enumerate(items if isinstance(items, list) else []):
        try:
            yield i, validator().validate_python(item)
        except ValidationError:
            continue


def _dotted(path: Path) -> str:
    """A path in the form of `--set`, with entries counted from 1.

    >>> _dotted(("layer", 0, "head", 1, "mask"))
    'layer.1.head.2.mask'
    """
    return ".".join(
        str(key + 1) if isinstance(key, int) else shortened(key) if key.isidentifier() else f'"{shortened(key)}"'
        for key in path
    )
