"""The margins of patterns on the terminal: a table, and what follows in sentences."""

from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from hopattn.foundation.writing import at_most, counted
from hopattn.views.array_cells import MAX_ROWS
from hopattn.views.consoles import console
from hopattn.views.terminal import show, table

if TYPE_CHECKING:
    from hopattn.experiments.separation import Separation, SeparationReport

HEADINGS = {
    "delta": "Δ",
    "beta_sparse": "β sparse",
    "beta_softmax": "β softmax",
    "beta_log_sum_relu": "β log-sum-ReLU",
    "beta_ramsauer": "β Ramsauer",
    "radius_sparse": "radius sparse",
    "radius_softmax": "radius softmax",
}
"""The headings of the numbers of each pattern; others are their names."""
BOUNDS = ("reach", "radius_sparse", "radius_softmax")
"""The numbers that are rounded down: whatever is less is sure."""
HEAD = ("keys", "equal", "hidden", "least Δ", "median Δ", "β sparse", "β softmax", "lead", "β attention")
"""The numbers of each head."""


def show_separation(reports: "Separation", whole: bool = False) -> None:
    """Write the reports to standard output. whole: all patterns, instead of the least separated ones."""
    out = console()
    if len(reports) > 1:
        rows = [[report.where, *_of_head(report)] for report in reports]
        show(out, table(["head", *HEAD], rows if whole else rows[:MAX_ROWS], right=HEAD))
        if len(rows) > MAX_ROWS and not whole:
            show(out, Text(f"… {len(rows)} heads in all; --long shows them"))
        show(
            out,
            Text(
                "Δ: the margin of a key, k·k less its largest product with another key. β: for half of the keys. lead: "
                "of the best key of a query, in the median. equal, hidden: keys that no memory, or no β, gives back. "
                "β attention: 1/√dim."
            ),
        )
        return
    (report,) = reports
    order = np.argsort(report.margins.delta, kind="stable")
    shown = np.arange(len(order)) if whole or len(order) <= MAX_ROWS else order[:MAX_ROWS]
    labels = np.array([*report.labels, "–"])  # the last for a pattern without a rival, −1
    columns = {
        name: [_number(x) if name not in BOUNDS else at_most(x, 3) for x in column[shown]]
        for name, column in report.columns.items()
    } | {"rival": labels[report.margins.rival[shown]]}
    cells = list(zip(labels[shown], *columns.values(), strict=True))
    headings = [HEADINGS.get(name, name) for name in report.columns]
    show(out, table(["pattern", *headings], cells, right=headings))
    if len(shown) < len(order):
        show(out, Text(f"… the {len(shown)} least separated of {len(order)} patterns; --long shows all"))
    show(out, Text(""))
    count, dim = report.margins.patterns.shape
    numbered = "" if report.names else ", numbered from 1"
    show(out, Text(f"{counted(count, 'pattern')} of {counted(dim, 'number')}{numbered}."))
    for line in report.advice:
        show(out, Text(line))


def _of_head(report: "SeparationReport") -> list[str]:
    m = report.margins
    counts = [str(len(m.delta)), str(int(m.twins.sum())), str(int(report.hidden.sum()))]
    betas = [np.median(m.exact_beta()), np.median(report.columns["beta_softmax"])]
    return counts + [_number(x) for x in (m.delta.min(), np.median(m.delta), *betas, report.lead, report.own_beta)]


def _number(x: float) -> str:
    return f"{x:.3g}" if np.isfinite(x) else "∞"
