"""The named memories: every model of the literature, each a constructor in one file of this folder.

- `card.py`: what is known of a named memory: constructor, source, energy, how to draw one at random
- `*.py`: one file for each family
"""

import sys

from hopattn.foundation.registry import modules_in
from hopattn.memories.models.card import Card

_FOUND = [
    member.card
    for module in modules_in(__name__)
    for member in vars(sys.modules[module]).values()
    if hasattr(member, "card")
]
named_memories: dict[str, Card] = {card.name: card for card in sorted(_FOUND, key=lambda card: card.name)}
"""Each named memory by its name; `.build` is its constructor."""
