"""Signals that stop a command: Ctrl-C (SIGINT) and SIGTERM raise `Stopped`, so that open files and clusters are closed.

The second signal ends the process at once, and a clock does so if the order is not made within `GRACE` seconds.
"""

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

GRACE = 3.0
"""The seconds that a command may take to put things in order."""
_WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
"""The signals that stop a command, and the word that it ends with."""


class Stopped(BaseException):
    """The command was stopped by a signal. word: its last word. code: its exit code, as a shell gives it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.word, self.code = _WORDS[signal.Signals(number)], 128 + number


@contextmanager
def stoppable() -> Iterator[None]:
    """Within it, a signal raises `Stopped` in the main thread; a signal that is ignored stays so.

    A shell lets its commands in the background ignore Ctrl-C. In another thread, and after the end, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in _WORDS}
    before = {number: handler for number, handler in handlers.items() if handler not in (signal.SIG_IGN, None)}
    hook = sys.unraisablehook

    def unraised(what: Any) -> None:
        """End the process here: the error came in a callback of Python's, which it cannot leave."""
        if not isinstance(what.exc_value, Stopped):
            hook(what)
            return
        os.write(2, f"{what.exc_value.word}\n".encode())
        os._exit(what.exc_value.code)

    sys.unraisablehook = unraised
    for number in before:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, _: FrameType | None) -> None:
    for each in _WORDS:
        signal.signal(each, signal.SIG_DFL)
    stopped = Stopped(number)
    _thread.start_new_thread(_end_late, (stopped.code,))  # `threading` may hold a lock at this moment
    raise stopped


def _end_late(code: int) -> None:
    time.sleep(GRACE)
    os._exit(code)
