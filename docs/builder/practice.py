"""The errors of a student that a practice problem can have, from the texts of the English sheet."""

from docs.builder.markdown import plain, table
from hopattn.practice.wording import texts
from hopattn.scenario.mistakes import mistakes


def errors() -> str:
    """A row for each error: its name in a file, and its words in a key."""
    return table(["error", "in the key"], [[f"`{name}`", plain(texts("en")["error"][name])] for name in mistakes])
