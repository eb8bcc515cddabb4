"""The named memories: every model of the literature, each a constructor in a file of this folder.

- `card.py`: the model card of a named memory: constructor, source, energy; checks of patterns
- `*.py`: one file for each family
"""

import sys

from hopattn.foundation.registry import Choices, modules_in
from hopattn.memories.models.card import Card

_MEMBERS = [member for module in modules_in(__name__) for member in vars(sys.modules[module]).values()]
named_memories: Choices[Card] = Choices(
    "memory", {member.card.name: member.card for member in _MEMBERS if callable(member) and hasattr(member, "card")}
)
"""The card of each named memory, by name; `.build` is the constructor."""
