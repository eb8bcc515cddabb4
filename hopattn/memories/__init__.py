"""The named memories: every model of the literature, each a constructor in one file of this folder."""

import sys

from hopattn.memories.base import Card
from hopattn.registry import modules_in

named_memories: dict[str, Card] = {
    name: member.card
    for module in modules_in(__name__)
    for name, member in sorted(vars(sys.modules[module]).items())
    if hasattr(member, "card")
}
"""Each named memory by its name; `.build` is its constructor."""
