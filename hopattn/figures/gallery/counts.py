"""What grows with the number of words, and what arises with the number of steps of training."""

import numpy as np

from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.policies import MOST_RUNS, NOTHING, named_at, numbers, some_runs
from hopattn.figures.sheet import Curve, Mark, Panel, Points, Rule, Sheet, say
from hopattn.figures.text import power_of_ten
from hopattn.scenario.result import Result


@figure("the multiplications with the key-value cache and without it, by the number of words", "key-value-cache")
def growth(result: Result) -> Sheet:
    """Multiplications for one more word on logarithmic axes."""
    runs = [run for run in result.runs if "multiplications" in run.arrays]
    (run,), _, note = some_runs(runs, 1, "it counts no multiplications")
    counts = run.arrays["multiplications"]
    words = numbers(counts.labels[0])
    need(len(words) > 1, NOTHING + "it counts the multiplications of one text; give several lengths")
    marks: list[Mark] = []
    for i, (way, name) in enumerate({"cached": say("with the cache"), "anew": say("without the cache")}.items()):
        times = round(2.0 ** float(run.arrays[f"word_{way}_growth"].values), 1)  # at the last doubling
        values = counts.values[:, counts.labels[1].index(f"word_{way}")]
        marks += named_at(
            Curve(words, values, say("{}:\n{} × the work for\ntwice the words", name, times), i),
            len(words) * (4 - i) // 6,
        )
    axes, powers = (
        (say("words"), say("multiplications\nfor one more word")),
        {10.0**k: power_of_ten(k) for k in range(13)},
    )
    y = np.concatenate([mark.y for mark in marks if isinstance(mark, Curve)])
    ticks = {power: text for power, text in powers.items() if y.min() <= power <= y.max()}
    return Sheet([Panel(marks, "", *axes, y_ticks=ticks or None, logarithmic="xy")], notes=[note])


@figure("how induction heads arise in training, and what the model can do from then on", "emergence")
def emergence(result: Result) -> Sheet:
    """The attention of the best induction head of each training, and how much better it knows words that repeat."""
    run, end = result.runs[0], " in-context score"
    trainings = [name.removesuffix(end) for name in run.arrays if name.endswith(end)]
    need(trainings, "it has no training")
    heads: list[Mark] = []
    losses: list[Mark] = []
    for i, name in enumerate(trainings[:MOST_RUNS]):
        match, score = run.arrays[f"{name} prefix matching"], run.arrays[name + end]
        steps, best = numbers(match.labels[0]), match.values.max(axis=1)
        there = steps[best >= 0.5][:1]
        for marks, x, y in ((heads, steps, best), (losses, numbers(score.labels[0]), score.values)):
            marks += named_at(Curve(x, y, name, i))
            for step in there.tolist():
                at = np.array([[step, (y.min() + y.max()) / 2]])
                marks += [Rule(x=step), Points(at, [say("step {}", int(step))], "faint", size=0.1)]
    by = say("steps of training")
    panels = [
        Panel(heads, say("the best induction head"), by, say("share of its attention"), y_range=(0, 1.02)),
        Panel(losses, say("words that repeat"), by, say("loss on repeated − on new words")),
    ]
    others = left_out(min(MOST_RUNS, len(trainings)), len(trainings), "trainings")
    return Sheet(panels, notes=[others, left_out(1, len(result.runs), "runs", "run")])
