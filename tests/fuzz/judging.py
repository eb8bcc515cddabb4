"""The law: how a case may end. It says for an outcome, in a sentence each, everything that must not happen."""

import re
from dataclasses import dataclass

MOST_SECONDS = 10.0
"""The processor time that a case may take, beside that for the files that it writes: to load PyTorch, as a comparison
does, takes half of it on a slow machine."""
SECONDS_OF_A_FILE = 0.8
"""The processor time for each of them: `--figure all` draws nine figures, and each in every format."""
MOST_MIB = 1024
"""The memory that a case may use, with what Python and the libraries need."""
MOST_LINES, MOST_LINE = 400, 4200
"""The longest message: lines, and characters of a line; the longest path of Linux has 4096."""
CODES = (0, 1, 2, 3)
"""The exit codes of a command that nobody interrupts."""
UNREAD = 141

NOT_STARTED = "Fatal Python error: init_import_site"
"""With LC_ALL=C, Python 3.11 reads the folder of an editable install as ASCII, and does not start where it is not."""

RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that control a terminal or the direction of writing. Only a line break may be printed."""
SIGNS = {
    "traceback": re.compile(r"Traceback \(most recent call last\)|Exception ignored in"),
    "fault": re.compile(r"a fault in hopattn itself: .*"),
    "warning": re.compile(r".*\b\w*Warning: .*"),
}


@dataclass(frozen=True)
class Outcome:
    """The end of a case.

    code: the exit code, 0 for a call that returned, -n for a process that signal n ended. raised: the class of the
    exception that ended it, its message and the last lines of its traceback; ours: whether it is a `HopattnError`.
    seconds, mib: processor time and memory. files: how many it has written. outside: paths that it changed and was not
    asked for. left: commands of processes that it left. hung: whether it had to be stopped.
    """

    code: int = 0
    output: str = ""
    errors: str = ""
    raised: tuple[str, str, str] | None = None
    ours: bool = False
    seconds: float = 0.0
    mib: float = 0.0
    files: int = 0
    outside: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    hung: bool = False


def faults(outcome, case):
    """Everything that must not happen in the outcome of a case, a sentence each; none if the law is kept."""
    if NOT_STARTED in outcome.errors:
        return []
    return [*_ending(outcome, case.get("closed", ())), *_use(outcome), *_told(outcome)]


def _ending(outcome, closed):
    unread = 1 in closed
    if outcome.hung:
        yield "it hangs"
    elif outcome.raised and not outcome.ours:
        yield f"raises {outcome.raised[0]}: {outcome.raised[1][:300]} ({outcome.raised[2]})"
    elif outcome.code not in (*CODES, *([UNREAD] if unread else [])):
        yield f"exit code {outcome.code}"
    elif outcome.code > 1 and not outcome.errors.strip() and not unread and 2 not in closed:
        yield f"exit code {outcome.code} without a message"


def _use(outcome):
    most = MOST_SECONDS + SECONDS_OF_A_FILE * outcome.files
    if outcome.seconds > most:
        yield f"takes more than {most:g} seconds"
    if outcome.mib > MOST_MIB:
        yield f"takes more than {MOST_MIB} MiB"
    yield from (f"changes {path}, which nobody asked for" for path in outcome.outside)
    yield from (f"leaves a process: {command}" for command in outcome.left)


def _told(outcome):
    for what, sign in SIGNS.items():
        if found := sign.search(outcome.errors):
            yield f"{what}: {found[0][:300]}"
    for name, text in (("output", outcome.output), ("errors", outcome.errors)):
        if found := RAW.search(text):
            yield f"{name} hold {found[0]!r} raw: {text[max(0, found.start() - 40) : found.end() + 20]!r}"
    message = outcome.raised[1] if outcome.raised else outcome.errors
    lines = message.split("\n")
    if len(lines) > MOST_LINES:
        yield f"a message of more than {MOST_LINES} lines"
    if max(map(len, lines)) > MOST_LINE:
        yield f"a message with a line of more than {MOST_LINE} characters: {message[:100]!r}"
