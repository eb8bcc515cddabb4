"""Mutations of the shipped scenarios: what a slip of the hand may make of a file, and what must then happen.

`python -m tests.mutations 2000` tries as many; the test does the same at a reduced count.
"""

import random
import re
import sys
import time
from collections import Counter

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import parse

SECONDS = 10.0
"""A mutated scenario that takes longer hangs."""

SIMULATIONS = {"emergence", "ensemble", "forgetting", "gradients", "ising", "landscape"}
SIMULATIONS |= {"memory_circuit", "probe", "walk"}
"""The kinds whose scenarios may take a second."""

VALUES = (
    "3",
    "-1",
    "0",
    "0.5",
    "1e308",
    "nan",
    "inf",
    "true",
    '""',
    '"x"',
    "[]",
    "[1]",
    '["x"]',
    "{}",
    "{ x = 1 }",
    "1979-05-27",
    "[[1, 0]]",
    "9" * 30,
    '"\\u001b"',
)


def drop(line, rng):
    return []


def double(line, rng):
    return [line, line]


def mistype(line, rng):
    if not line:
        return [line]
    at = rng.randrange(len(line))
    change = rng.choice(["", line[at] * 2, rng.choice("abcdefghij[]{}=.\"' 0"), line[at].swapcase()])
    return [line[:at] + change + line[at + 1 :]]


def retype(line, rng):
    key, equals, _ = line.partition("=")
    return [f"{key}= {rng.choice(VALUES)}"] if equals else [line]


def enlarge(line, rng):
    numbers = list(re.finditer(r"\d+", line))
    if not numbers:
        return [line]
    found = rng.choice(numbers)
    return [line[: found.end()] + "0" * rng.choice([1, 3, 6, 12, 400]) + line[found.end() :]]


def nest(line, rng):
    key, equals, value = line.partition("=")
    if not equals:
        return [line.replace("[", "[[", 1) if rng.random() < 0.5 else f"[a.{line.strip('[]')}]"]
    value = value.partition("#")[0].strip()
    return [f"{key}= {rng.choice(['[{}]', '{{ x = {} }}', '{{ name = {} }}', '[[{}]]']).format(value)}"]


def swap_key(line, rng):
    _, equals, value = line.partition("=")
    return [f"{rng.choice(KEYS)} ={value}"] if equals else [line]


KEYS = ("is", "at", "kind", "schema", "from", "name", "key", "mask", "beta")
KINDS = (drop, double, mistype, retype, enlarge, nest, swap_key)


def mutated(rng):
    """A shipped scenario with one to three slips, and what was done to it."""
    name = rng.choice(list(shipped()))
    lines = shipped()[name].read_text(encoding="utf-8").split("\n")
    done = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        at, kind = rng.randrange(len(lines)), rng.choice(KINDS)
        done.append(f"{name}:{at + 1} {kind.__name__}")
        lines[at : at + 1] = kind(lines[at], rng)
    return "\n".join(lines), done


def attempt(text, simulate=True):
    """The end of a run of this text: "met", "missed" or "refused"; raises every other exception.

    Unless `simulate` is true, a simulation is only read, and its end is "met".
    """
    start = time.process_time()
    try:
        scenario = parse(text, "file.toml", "file")
        if not simulate and scenario.spec.kind in SIMULATIONS:
            return "met"
        result = ha.run(scenario, explain=True)
        result.to_json()
        outcome = "met" if result.ok else "missed"
    except InvalidInput as error:
        for message in getattr(error, "problems", [str(error)]):
            if not re.fullmatch(r"file\.toml:\d+: [^\n]+(\n  [^\n]*\n *\^)?", message):
                raise AssertionError(f"names no line: {message}") from error
        outcome = "refused"
    seconds = time.process_time() - start  # of this process: others may keep the machine busy
    if seconds > SECONDS:
        raise AssertionError(f"took {seconds:.1f} s")
    return outcome


def main(count):
    counts = Counter()
    for seed in range(count):
        text, done = mutated(random.Random(seed))
        try:
            counts[attempt(text)] += 1
        except Exception as error:
            counts["FAULT"] += 1
            sys.stdout.write(f"seed {seed}: {', '.join(done)}: {type(error).__name__}: {str(error)[:300]}\n")
    sys.stdout.write(", ".join(f"{outcome} {n}" for outcome, n in sorted(counts.items())) + "\n")
    return 1 if counts["FAULT"] else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
