"""The work of a growing text: multiplications with kept keys and values and without them, by the number of words."""

import math
from typing import Any, ClassVar

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import foot, headline, left_out, pads
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, power_of_ten
from hopattn.scenario.result import Result

PANELS = {"word": "for one more word", "text": "for all words, one after the other"}
"""The panels: the beginning of the names of their counts, and their titles."""
LINES = {"anew": ("without the cache", 1, "s", "--"), "cached": ("with the cache", 0, "o", "-")}
"""The lines of a panel: the end of the names of their counts, their titles, colours, markers and dashes."""
LARGE = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


class Growth(Plot):
    """The multiplications of the first run for each new word and for the whole text, on logarithmic axes."""

    shows: ClassVar[str] = "the multiplications with the key-value cache and without it, by the number of words"
    scenario: ClassVar[str] = "key-value-cache"

    def lacks(self, result: Result) -> str:
        return "" if "multiplications" in result.runs[0].arrays else "it counts no multiplications"

    def draw(self, figure: Figure, result: Result) -> None:
        arrays, counts = result.runs[0].arrays, result.runs[0].arrays["multiplications"]
        words = [int(label) for label in counts.labels[0]]
        headline(figure, result)
        pads(figure, h_pad=0.1)
        axes = figure.subplots(1, len(PANELS), sharey=True)
        for ax, (part, title) in zip(axes, PANELS.items(), strict=True):
            for end, (name, series, marker, dashes) in LINES.items():
                values = counts.values[:, counts.labels[1].index(f"{part}_{end}")]
                times = f"× {number(2.0 ** float(arrays[f'{part}_{end}_growth'].values), 1)}"  # at the last doubling
                look: dict[str, Any] = {"color": theme().series[series]}
                ax.plot(words, values, dashes, marker=marker, label=name, **look)
                times = f"doubling: {times}" if part == "word" and end == "anew" else times
                look |= {"textcoords": "offset points", "ha": "right", "va": "bottom", "fontsize": scaled(20)}
                ax.annotate(times, (words[-1], values[-1]), (scaled(-12), scaled(3)), **look)
            ax.set(title=title, xlabel="words", xscale="log", yscale="log")
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_formatter(lambda value, _: plain(value))
            ax.minorticks_off()
            ax.grid(color=theme().faint, alpha=0.3, lw=scaled(0.8))
        axes[0].set_ylabel("multiplications")
        bottom, top = axes[0].get_ylim()  # both panels have one scale; the factors need room
        axes[0].set_ylim(top=top * (top / bottom) ** 0.05)
        keys, texts = axes[0].get_legend_handles_labels()
        others = left_out(1, len(result.runs), "runs", "run")
        foot(figure, ("× n: twice the words take n times the work", others), keys, texts)


def plain(value: float) -> str:
    """A power of ten in words: 1,000, 10 million.

    >>> plain(1000.0), plain(1e7), plain(1e15)
    ('1,000', '10 million', '10¹⁵')
    """
    if value < 1e6:
        return f"{value:,.0f}" if value >= 1 else f"{value:g}"
    if value >= 1e15:
        return power_of_ten(round(math.log10(value)))
    least, name = next((least, name) for least, name in LARGE if value >= least)
    return f"{value / least:,.0f} {name}"
