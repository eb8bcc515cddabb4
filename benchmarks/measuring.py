"""Measurements: times of several works, taken in turn in one run; their ratios; and the verdict against a target."""

import importlib
import json
import math
import operator
import statistics
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.settings import SETTINGS, Setting

LEAST_ROUNDS, MOST_ROUNDS = 3, 15
PAUSE = 0.1
"""Seconds of pause before each work, until the threads of the previous one sleep. OpenBLAS threads wait actively for 50
to 100 ms (OPENBLAS_THREAD_TIMEOUT), and would take a core from the next work."""
LONG = 0.5
"""A work shorter than this, in seconds, runs once untimed before each timed run: after a pause the processor core is
asleep, and the first milliseconds are slower than in a loop."""
Times = dict[str, list[float]]
"""The seconds of each work, by name, one entry per round."""


class Skip(Exception):
    """A row cannot be measured here; the message says why."""


class Wrong(Exception):
    """The two sides of a row do not give the same numbers."""


@dataclass(frozen=True)
class Options:
    """The options of a run. quick: fewer rounds and sizes. setting: the processor and the kernels."""

    quick: bool = False
    setting: Setting = SETTINGS["compiled"]

    @property
    def budget(self) -> float:
        """The seconds after which a comparison starts no further round."""
        return 1.0 if self.quick else 6.0


@dataclass(frozen=True)
class Target:
    """A bound for a measured number, such as ≥ 0.6."""

    sign: str
    bound: float

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}"

    def met(self, value: float) -> bool:
        """Whether the value is on the right side of the bound."""
        signs = {">": operator.gt, "≥": operator.ge, "≤": operator.le, "<": operator.lt}
        return bool(signs[self.sign](value, self.bound))


@dataclass(frozen=True)
class Measured:
    """A measured number with its spread, low to high. note: the medians from which it was computed."""

    value: float
    low: float
    high: float
    note: str = ""


@dataclass(frozen=True)
class Row:
    """A row of the table.

    work, target: as text. verdict: met, short, shown, skipped, wrong or broken. measured: None if nothing was measured;
    the note then says why.
    """

    work: str
    target: str
    verdict: str
    measured: Measured | None = None
    note: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the row: work, measured, spread, target, verdict, medians or reason."""
        if self.measured is None:
            return self.work, "", "", self.target, self.verdict, self.note
        numbers = self.measured
        spread = f"{table_number(numbers.low)} to {table_number(numbers.high)}" if numbers.low < numbers.high else ""
        return self.work, table_number(numbers.value), spread, self.target, self.verdict, numbers.note

    def to_json(self) -> str:
        """The row as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> "Row":
        """The row from a line of `to_json`."""
        values = json.loads(line)
        measured = values.pop("measured")
        return cls(**values, measured=None if measured is None else Measured(**measured))


def measured_row(work: str, target: Target | None, measure: Callable[[], Measured]) -> Row:
    """The row of a measurement.

    The verdict is met or short (the target is not met; also for a MemoryError), shown without a target, skipped for
    `Skip`, wrong for `Wrong`, and broken for any other exception.
    """
    bound = "" if target is None else str(target)
    try:
        measured = measure()
    except Skip as reason:
        return Row(work, bound, "skipped", note=str(reason))
    except Wrong as reason:
        return Row(work, bound, "wrong", note=str(reason))
    except MemoryError as error:
        return Row(work, bound, "short", note=f"not enough memory: {error}")
    except Exception as error:  # the other rows are still measured
        traceback.print_exc()
        return Row(work, bound, "broken", note=f"{type(error).__name__}: {error}")
    if target is None:
        return Row(work, bound, "shown", measured)
    return Row(work, bound, "met" if target.met(measured.value) else "short", measured)


def interleaved(works: Mapping[str, Callable[[], object]], options: Options, warm: bool = True) -> Times:
    """The seconds of each work in each round; each round starts with a different work. warm: first run each once."""
    if warm:
        for work in works.values():
            work()
    times: Times = {name: [] for name in works}
    names, start = list(works), time.perf_counter()
    for number in range(MOST_ROUNDS):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            time.sleep(PAUSE)
            if not times[name] or times[name][-1] < LONG:
                works[name]()
            times[name].append(seconds(works[name]))
        if number + 1 >= LEAST_ROUNDS and time.perf_counter() - start > options.budget:
            break
    return times


def seconds(work: Callable[[], object]) -> float:
    """The duration of one run of a work, in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(times: Times, over: str, under: str, parts: float = 1.0) -> Measured:
    """The median of the ratios `over` / `under` of all rounds, with quartiles.

    parts: the factor by which the whole work exceeds the part that was timed as `over`.
    """
    if parts != 1:
        times = {**times, over: [parts * each for each in times[over]]}
    ratios = [a / b for a, b in zip(times[over], times[under], strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return Measured(middle, low, high, "; ".join(f"{name} {duration(times[name])}" for name in (over, under)))


def fastest(times: Times, *names: str) -> str:
    """The name of the work with the smallest median."""
    return min(names, key=lambda name: statistics.median(times[name]))


def slope(sizes: Sequence[float], values: Sequence[float], note: str) -> Measured:
    """The exponent b of value ∝ sizeᵇ by least squares between the logarithms, ± its standard error."""
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in values]
    line = statistics.linear_regression(x, y)
    residuals = sum((b - line.slope * a - line.intercept) ** 2 for a, b in zip(x, y, strict=True))
    error = math.sqrt(residuals / (len(x) - 2) / (statistics.pvariance(x) * len(x)))
    return Measured(line.slope, line.slope - error, line.slope + error, note)


def table_number(value: float) -> str:
    """A number as text for the table."""
    return f"{value:.2f}" if abs(value) < 99.5 else f"{value:,.0f}"


def geometric_mean(work: str, target: Target | None, rows: Sequence[Row]) -> Row:
    """The geometric mean of the ratios of several rows; skipped where one of them was not measured."""
    found = [row.measured for row in rows if row.measured is not None]
    if len(found) < len(rows):
        return Row(work, "" if target is None else str(target), "skipped", note="a size is missing")
    means = (
        math.prod(numbers) ** (1 / len(found))
        for numbers in zip(*((each.value, each.low, each.high) for each in found), strict=True)
    )
    return measured_row(work, target, lambda: Measured(*means))


def duration(times: Sequence[float]) -> str:
    """The median of times in seconds, as text in s, ms or µs."""
    middle = statistics.median(times)
    number, unit = (middle, "s") if middle >= 1 else (1e3 * middle, "ms") if middle >= 1e-3 else (1e6 * middle, "µs")
    return f"{number:.3g} {unit}"


def import_or_skip(module: str) -> Any:
    """A module that hopattn itself does not need; raises `Skip` if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise Skip(f"{module} is not installed") from None
