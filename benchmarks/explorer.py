"""The page to play with in the Chromium of this machine: its first picture, and frames a second while a word moves."""

import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, Skip, Target, measured_row
from hopattn.scenario.loading import parse

PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
DRAGGED = """async (count) => {
    const moves = wordMoves();
    const start = performance.now();
    for (let i = 0; i < count; i++) {
        moves.moved("w1", [0.3 * Math.cos(i), 0.3 * Math.sin(i)]);
        await new Promise((done) => requestAnimationFrame(done));
    }
    return (1000 * count) / (performance.now() - start);
}"""


def rows(options: Options) -> Iterator[Row]:
    """Milliseconds to the first picture of `bank`, and frames a second with 16 and with 64 words."""
    tries = 3 if options.quick else 9
    yield measured_row("ms to the first picture, bank", Target("<", 300), partial(_first_picture, tries))
    for size, target in ((16, Target(">", 30)), (64, None)):
        work = f"frames a second, a word dragged among {size} words × {size} numbers"
        yield measured_row(work, target, partial(_frames, size, tries))


def _first_picture(tries: int) -> Measured:
    return _measured(ha.explore("bank"), tries, lambda page: page.evaluate(PAINTED))


def _frames(size: int, tries: int) -> Measured:
    page = ha.explore(parse(scenario_of(size), "large.toml", f"large{size}"))
    return _measured(page, tries, lambda page: page.evaluate(DRAGGED, 30 if size == 16 else 6))


def scenario_of(size: int) -> str:
    """A scenario of one softmax head over so many random unit words of as many numbers."""
    words = ha.unit(np.random.default_rng(size).normal(size=(size, size)))
    lines = "\n".join(f"w{i} = {row.tolist()}" for i, row in enumerate(words))
    axes, tokens = ([f"{letter}{i}" for i in range(size)] for letter in "xw")
    return f"""schema = 1
title = "{size} words of {size} numbers"
source = "ours"
kind = "attention"
[vocabulary]
axes = {axes}
[vocabulary.words]
{lines}
[input]
tokens = {tokens}
[[layer]]
[[layer.head]]
separation = "softmax"
mask = "causal"
"""


def _measured(page: Any, tries: int, ask: Callable[[Any], float]) -> Measured:
    """The median over some loads of a page, each asked for one number; one load before them starts the browser."""
    with tempfile.TemporaryDirectory() as folder, _browser() as browser:
        file = page.save(Path(folder) / "page.html")
        found = sorted([_asked(browser, file, ask) for _ in range(tries + 1)][1:])
    return Measured(statistics.median(found), found[0], found[-1], f"{tries} loads")


@contextmanager
def _browser() -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise Skip("chromium is not installed")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise Skip("playwright is not installed (the extra 'browser' brings it)") from None
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # root has none
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=sandbox)
        try:
            yield browser
        finally:
            browser.close()


def _asked(browser: Any, file: Path, ask: Callable[[Any], float]) -> float:
    shown = browser.new_page(viewport={"width": 1366, "height": 768})
    shown.goto(file.as_uri())
    shown.wait_for_selector("#check:not(:empty)")
    number = float(ask(shown))
    shown.close()
    return number
