"""What grows with the number of words, and what arises with the number of steps of training."""

import numpy as np

from hopattn.figures.figure import figure, left_out, need
from hopattn.figures.policies import MOST_RUNS, NOTHING, named_at, numbers, runs_with
from hopattn.figures.sheet import Curve, Mark, Panel, Points, Rule, Sheet, say
from hopattn.figures.text import power_of_ten
from hopattn.scenario.result import Result


@figure("the multiplications with the key-value cache and without it, by the number of words", "key-value-cache")
def growth(result: Result) -> Sheet:
    """Multiplications for one more word on logarithmic axes."""
    run = runs_with(result, "it counts no multiplications", "multiplications")[0]
    counts = run.arrays["multiplications"]
    words = numbers(counts.labels[0])
    need(len(words) > 1, NOTHING + "it counts the multiplications of one text; give several lengths")
    marks, times = list[Mark](), list[float]()
    ways = {"cached": say("with the cache"), "anew": say("without the cache")}
    values = counts.values[:, [counts.labels[1].index(f"word_{way}") for way in ways]].T
    for i, (way, name) in enumerate(ways.items()):
        times.append(round(2.0 ** float(run.arrays[f"word_{way}_growth"].values), 1))  # at the last doubling
        marks.append(Curve(words, values[i], say("{}:\n{} ×", name, times[-1]), i))
    title = say("for long texts, twice the words ask for {} × the work with the cache, {} × without it", *times)
    ticks = {10.0**k: power_of_ten(k) for k in range(13) if values.min() <= 10**k <= values.max()}
    by, notes = say("multiplications\nfor one more word"), [left_out(1, len(result.runs), "runs", "run")]
    return Sheet([Panel(marks, "", say("words"), by, y_ticks=ticks or None, logarithmic="xy")], title, notes)


@figure("how induction heads arise in training, and what the model can do from then on", "emergence")
def emergence(result: Result) -> Sheet:
    """The attention of the best induction head of each training, and how much better it knows words that repeat."""
    run, end = result.runs[0], " in-context score"
    trainings = [name.removesuffix(end) for name in run.arrays if name.endswith(end)]
    need(trainings, "it has no training")
    heads, losses, arisen = list[Mark](), list[Mark](), dict[str, int]()
    for i, name in enumerate(trainings[:MOST_RUNS]):
        match, score = run.arrays[f"{name} prefix matching"], run.arrays[name + end]
        steps, best = numbers(match.labels[0]), match.values.max(axis=1)
        for marks, x, y in ((heads, steps, best), (losses, numbers(score.labels[0]), score.values)):
            marks += named_at(Curve(x, y, name, i))
            for step in steps[best >= 0.5][:1].tolist():
                at = np.array([[step, (y.min() + y.max()) / 2]])
                marks += [Rule(x=step), Points(at, [say("step {}", int(step))], "faint", size=0.1)]
                arisen[name] = int(step)
    by = say("steps of training")
    panels = [
        Panel(heads, say("the best induction head"), by, say("attention on what followed"), y_range=(0, 1.02)),
        Panel(losses, say("words that repeat"), by, say("loss: repeated − new\n(lower: it copies)")),
    ]
    others = left_out(min(MOST_RUNS, len(trainings)), len(trainings), "trainings")
    never, title = [name for name in trainings[:MOST_RUNS] if name not in arisen], ""
    if arisen and never:
        name, step = next(iter(arisen.items()))
        title = say("{}: an induction head arises at step {}; {}: none arises", name, step, ", ".join(never))
    return Sheet(panels, title, [say("one training each"), others, left_out(1, len(result.runs), "runs", "run")])
