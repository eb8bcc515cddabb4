"""The named memories: every model of the literature, each a constructor in one file of this folder.

- `card.py`: the record of a named memory: constructor, source, energy, random arguments
- `*.py`: one file for each family
"""

import sys

from hopattn.foundation.registry import Choices, modules_in
from hopattn.memories.models.card import Card

_CARDS = [
    member.card
    for module in modules_in(__name__)
    for member in vars(sys.modules[module]).values()
    if hasattr(member, "card")
]
named_memories: Choices[Card] = Choices("memory", {card.name: card for card in _CARDS})
"""The card of each named memory, by name; `.build` is the constructor."""
