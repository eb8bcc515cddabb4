"""Completion by a shell: the variables of the environment by which it asks for it."""

import os
import re
from collections.abc import Mapping

from hopattn.foundation.errors import InvalidInput, quoted

VARIABLE = "_HOPATTN_COMPLETE"
"""Holds the shell and what it asks for, such as `bash_complete`."""


def require_completion(environ: Mapping[str, str] = os.environ) -> None:
    """Raise `InvalidInput` if the variables ask for a completion as no shell does.

    click would end without a word, or with a traceback.
    """
    asked = environ.get(VARIABLE)
    if not asked:
        return
    from click.shell_completion import get_completion_class

    shell, _, wanted = asked.partition("_")
    if get_completion_class(shell) is None or wanted not in ("source", "complete"):
        raise InvalidInput(f"{VARIABLE}={quoted(asked)}: no shell asks like this; unset the variable")
    place = environ.get("COMP_CWORD", "")
    placed = "COMP_CWORD" in environ if shell == "fish" else re.fullmatch(r"-?[0-9]{1,9}", place)
    if wanted == "complete" and not ("COMP_WORDS" in environ and placed):
        message = "the shell gives words in COMP_WORDS, and a place among them in COMP_CWORD"
        raise InvalidInput(f"{VARIABLE}={quoted(asked)}: {message}; unset the variable")
