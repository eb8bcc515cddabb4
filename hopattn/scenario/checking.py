"""The check of a scenario: from the text of a file to the specification of each run, or to the list of all errors."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from pydantic import ValidationError

from hopattn.foundation.errors import MAX_LISTED, InvalidInput, bounded, nearest, quoted, shortened, unknown
from hopattn.memories.models import named_memories
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.kinds import kinds
from hopattn.scenario.kinds.base import LISTS_OF_FILE, WHOLE_FILE, Kind, Variant
from hopattn.scenario.language.lines import KeyLines, Path, key_lines
from hopattn.scenario.language.messages import schema_problems
from hopattn.scenario.language.paths import changed, value_at
from hopattn.scenario.language.syntax_faults import syntax_fault, too_large, too_many_variants
from hopattn.scenario.language.table import Problem, Refused, at, need, refusal

SCHEMA_VERSION = 1
MOST_PROBLEMS = 200
"""The search stops after this many problems; the message lists fewer."""

REPEATED = re.compile(r"^'.*' is unknown")
"""The message about a name, which may be written in many places."""
MISFIT = re.compile(r"^'.*(#\d+' is unknown|' is a word, but does not occur)|^(has shape|does not fit) ")
"""The messages about a run that is not as another place of the file says."""
JUDGES = re.compile(r":\d+: (expect|without|variant|figure)\.")
"""The places of a file that speak about a run; where several disagree with it, its text or a name is at fault."""
SUBJECT, GUESS = re.compile(r"'(.+?)' "), re.compile(r"; did you mean '(.+?)'\?")
"""The word that a message is about, and the nearest choice that it offers."""
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

    The errors are all of the schema's; else one refusal for each table, variant and expectation. where: the path of the
    file, for messages; files that the scenario names are looked for in the same folder. lines: the line number of each
    path. of_base: the paths and the messages of errors of the scenario as written, which its variants only repeat.
    changes: as in `Scenario`. arrays: of each run that is asked, by its name; computed: those of a whole run.
    origins: the origin of each changed value of a run, by its name.
    """

    def __init__(self, text: str, where: str) -> None:
        self.where, self.text = where, text
        self.context = {"folder": FilePath(where).parent}
        self.errors: set[tuple[int, str, str]] = set()
        self.of_base: set[Path | str] = set()
        self.stopped = self.unlike = False
        self.changes: dict[str, Any] = {}
        self.arrays: dict[str, Arrays] = {}
        self.computed: dict[str, Arrays] = {}
        self.origins: dict[str, dict[Path, Origin]] = {"": {}}
        self.variants: Sequence[Variant] = ()
        self.document = toml_of(text, where)
        self.lines = key_lines(text)

    def runs(self, overrides: Mapping[str, Any], ask: bool = True) -> dict[str, Kind]:
        """The specification of each run by the name of its variant, after the overrides; "" is the file as written.

        ask: whether the runs are computed, and their arrays asked for what the expectations, the sweep and the figures
        name. Raises `InvalidScenario` with all errors, in the order of their lines.
        """
        model = self._model()
        document, origins = self._with_overrides(model, overrides)
        self.origins[""] = origins
        base = self._spec(model, document)
        if base is None:
            raise self._invalid()
        self.variants = base.variant
        if self.unlike and not any(path[:2] == ("figure", "names") for path in origins):
            figure = base.figure.without_names(["", *(variant.name for variant in base.variant)])
            base = base.model_copy(update={"figure": figure})
        runs = {"": base, **self._variants(model, base, document)}
        self._end()
        for name, spec in runs.items() if ask else ():
            with self._told(name):
                self._run(name, spec)
        runs |= self._without(base, runs, ask)
        if "" in self.arrays:
            with self._told():
                base.need_grids(self.arrays[""])
            self._ask(base)
            asked = not origins or any(path[:1] == ("figure",) for path in origins)  # a change may take its words away
            if asked and not self.errors and self.arrays.keys() == runs.keys():
                with self._told(), at("figure"):
                    base.figure.need_fit(self.arrays)
        self._end()
        return runs

    def _run(self, name: str, spec: Kind) -> None:
        """Compute a run, at the least size that has all its arrays."""
        with in_main_table(spec):
            spec.need_bounds()
            least = spec.least()
            self.arrays[name] = least.run(np.random.default_rng(spec.seed))
        if least is spec:
            self.computed[name] = self.arrays[name]

    def _variants(self, model: type[Kind], base: Kind, document: dict[str, Any]) -> dict[str, Kind]:
        """The specifications of the variants by their names."""
        runs, origins = dict[str, Kind](), self.origins[""]
        of_one_run = {key: node for key, node in document.items() if key not in LISTS_OF_FILE}
        if message := too_many_variants([len(variant.changes) for variant in base.variant], of_one_run):
            self._report(("variant",), message)
            raise self._invalid()
        written = base.written_out if base.variant else {}
        for i, variant in enumerate(base.variant):
            with self._told(), at("variant", i):
                variant.need_new(["", *runs])
                with at("set"):
                    varied, own = changed(of_one_run, variant.changes, written, model.is_user_key)
                self.origins[variant.name] = origins | {p: ("variant", i, "set", key) for p, key in own.items()}
                spec = self._spec(model, varied, variant.name)
                runs |= {} if spec is None else {variant.name: spec}
        return runs

    def _without(self, base: Kind, runs: Mapping[str, Kind], ask: bool) -> dict[str, Kind]:
        """The runs of [[without]] by their names; a second run of one name, and parts that do not fit, are reported."""
        made: dict[str, Kind] = {}
        for i, table in enumerate(base.tables_without if not self.errors else ()):
            with self._told(), at("without", i):
                twice = f"'{shortened(table.run)}' is the name of two runs; give this one another `name`"
                need(table.run not in {*runs, *made}, (), twice)
                made[table.run] = base.run_without(table)
                if ask:
                    self._run(table.run, made[table.run])
        return made

    def _model(self) -> type[Kind]:
        version, kind = self.document.get("schema"), self.document.get("kind")
        if "schema" in self.document and (version != SCHEMA_VERSION or isinstance(version, bool)):
            given = str(version).lower() if isinstance(version, bool) else quoted(version)  # as TOML writes it
            reads = f"this version of hopattn reads schema = {SCHEMA_VERSION}"
            self._report(("schema",), f"{given} is unknown; {reads}")
        elif isinstance(kind, str) and kind in kinds:
            return kinds[kind]
        elif "kind" in self.document:
            known = isinstance(kind, str) and kind in named_memories
            model = f'write kind = "memory", and model = "{kind}" in [memory]' * known
            self._report(("kind",), unknown(kind, kinds, clause=model))
        else:
            typo = nearest("kind", self.document)
            near = f"; did you mean it by '{shortened(typo)}'?" if typo else ""
            if not self.document:
                near = "; the file is empty: `hopattn new` writes one to begin with"
            self._report((typo,) if typo else (), f"'kind' is missing{near} (choices: {', '.join(kinds)})")
        raise self._invalid()

    def _spec(self, model: type[Kind], document: dict[str, Any], run: str = "") -> Kind | None:
        """The specification of a run; None, with all errors reported, if the schema refuses it."""
        try:
            return model.model_validate(document, context=self.context)
        except ValidationError as error:
            self.stopped |= error.error_count() > MOST_PROBLEMS
            for problem in schema_problems(error, model, document, MOST_PROBLEMS):
                one = _of_another_kind(problem, model)
                self._report(one.path, one.message, run)
            return None

    def _with_overrides(
        self, model: type[Kind], overrides: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[Path, Origin]]:
        written: dict[str, Any] = {field.alias or name: None for name, field in model.model_fields.items()}
        if any(text.split(".")[0].strip() not in written for text in overrides):  # a short path may mean a default
            with suppress(ValidationError):
                written |= self.document
                written |= model.model_validate(self.document, context=self.context).written_out
        try:
            if overrides:
                from hopattn.dynamics.own_parts import with_names  # imported here, so that a run starts fast

                overrides = with_names(overrides)
            result, places = changed(self.document, overrides, written, model.is_user_key)
        except InvalidInput as error:
            raise InvalidScenario([f"--set {error}"]) from None
        changes = {
            text: overrides[text]
            for path, text in places.items()
            if path[0] not in (*WHOLE_FILE, "seed") and value_at(result, path) != value_at(self.document, path)
        }
        self.unlike = bool(changes)
        self.changes = {} if places.keys() & TITLES else changes
        return result, {path: f"--set {text}" for path, text in places.items()}

    def _ask(self, base: Kind) -> None:
        """Report the expectations that refer to something that does not exist.

        After an override, such an expectation is skipped instead, unless the override changed it.
        """
        known = {variant.name for variant in base.variant} | {table.run for table in base.tables_without}
        unmade = any(table.run not in self.arrays for table in base.tables_without)
        for i, expectation in enumerate(base.expect):
            paths = self.origins[""]
            if paths and not any(path == ("expect",) or path[:2] == ("expect", i) for path in paths):
                continue
            for name in expectation.variants:
                with self._told(), at("expect", i):
                    need(not name or name in known or unmade, ("variant",), partial(unknown, name, known))
                    if name in self.arrays:
                        expectation.judge(self.arrays[name])

    @contextmanager
    def _told(self, run: str = "") -> Iterator[None]:
        """Report whatever is refused inside, and go on. run: the name of the run whose changes are named instead."""
        try:
            with at():
                yield
        except Refused as refused:
            for problem in refused.problems:
                self._report(problem.path, problem.message, run)

    def _report(self, path: Path, message: str, run: str = "") -> None:
        """Add an error of a run at a path; that of a changed value has the place of the change instead."""
        if len(self.errors) > MOST_PROBLEMS:
            self.stopped = True
            raise self._invalid()
        origins = self.origins.get(run, {})
        if not run:
            self.of_base |= {path, message}
        origin = next((origins[path[:end]] for end in range(len(path), 0, -1) if path[:end] in origins), None)
        if isinstance(origin, str):
            self.errors.add((0, f"{origin}: ", message))
            return
        if run and (message in self.of_base or (origin is None and path in self.of_base)):
            return
        problem = Problem(origin, message) if origin else of_run(Problem(path, message), self.variants, run)
        self.errors.add(located(self.where, self.lines, problem))

    def _end(self) -> None:
        if self.errors:
            raise self._invalid()

    def _invalid(self) -> InvalidScenario:
        """All errors in the order of their lines; those with one cause once, with the lines of the others.

        The lack of a word that another message offers instead of a mistyped one is left out.
        """
        meant = {guess[1] for *_, message in self.errors if (guess := GUESS.search(message))}
        lines = dict[tuple[str, ...], dict[int, str]]()
        for line, place, message in sorted(self.errors):
            if (subject := SUBJECT.match(message)) and subject[1] in meant:
                continue
            cause: tuple[str, ...] = (place, message)
            unknown_name = REPEATED.search(message)
            if JUDGES.search(place) and (MISFIT.search(message) or (unknown_name and ("a run",) in lines)):
                cause = ("a run",)
            elif unknown_name:
                cause = (message,)
            lines.setdefault(cause, {}).setdefault(line, f"{place}{message}")
        also = (f"; see also line {', '.join(map(str, others))}" if others else "" for _, *others in lines.values())
        firsts = (next(iter(own.values())) for own in lines.values())
        return InvalidScenario(map("".join, zip(firsts, also, strict=True)), self.stopped)


@contextmanager
def in_main_table(spec: Kind) -> Iterator[None]:
    """Give a refusal without a place of its own that of the table that says what is computed."""
    try:
        yield
    except Refused:
        raise
    except InvalidInput as error:
        raise refusal((spec.main_table,), str(error)) from None


def of_run(problem: Problem, variants: Sequence[Variant], run: str) -> Problem:
    """A problem of a run: of a variant it stands at the variant, since the scenario as written may be right."""
    place = next((("variant", i) for i, variant in enumerate(variants) if variant.name == run), None)
    return Problem(place, ": ".join(filter(None, (dotted_place(problem.path), problem.message)))) if place else problem


def located(where: str, lines: KeyLines, problem: Problem) -> tuple[int, str, str]:
    """The line of a problem, its place (file, line, key), and what is wrong there."""
    line = lines.line_of(problem.path)
    place = f"{dotted_place(problem.path)}: " if problem.path else ""
    return line, f"{where}:{line}: {place}", problem.message


def toml_of(text: str, where: str) -> dict[str, Any]:
    """The document of a text in TOML; where: the name of its file. Raises `InvalidScenario` for another text."""
    if beyond := too_large(text):
        raise InvalidScenario([f"{where}:{beyond[0]}: {beyond[1]}"])
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        number, message, excerpt = syntax_fault(text, error)
        raise InvalidScenario([f"{where}:{number}: not TOML: {message}\n{excerpt}"]) from None
    except ValueError:  # Python refuses whole numbers of more than 4,300 digits
        digits = re.search(r"(?<!\d)\d{4300}", text.replace("_", ""))
        line = str(text.count("\n", 0, digits.start()) + 1) if digits else "1"
        raise InvalidScenario([f"{where}:{line}: holds a number of too many digits"]) from None


def _of_another_kind(problem: Problem, model: type[Kind]) -> Problem:
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


def _keys(model: type[Kind]) -> set[str]:
    """The keys of the whole file."""
    return {field.alias or name for name, field in model.model_fields.items()}


def dotted_place(path: Path) -> str:
    """A path in the form of `--set`, with entries counted from 1.

    >>> dotted_place(("layer", 0, "head", 1, "mask"))
    'layer.1.head.2.mask'
    """
    return ".".join(
        str(key + 1) if isinstance(key, int) else shortened(key) if key.isidentifier() else f'"{shortened(key)}"'
        for key in path
    )
