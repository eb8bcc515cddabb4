"""The kinds of scenario: the keys of the file, how its arrays are computed and explained.

A subclass of `Kind` in a file of this folder is a kind. A file writes `kind = …` with the class name in snake case, or
with the class attribute `name`. A kind has one `compute`, which builds objects of the core from its tables, and adds
each array where it is computed, with its labels. What the tables or the core refuse is the check.

- `base.py`: the base class of every kind
- `layers.py`: the tables of layers of attention
- `models.py`: the table of a memory, and the base of the kinds with a memory of words
- `without.py`: patterns and tokens that are taken away for a run of their own, and what they were worth
- `explained_layers.py`, `explained_recall.py`: the arithmetic of layers and of a recall, as a lecture writes it
- `*.py`: a kind each, or a family: `attention.py`, `texts.py`, `circuits.py`
"""

from functools import cached_property
from importlib import import_module
from operator import itemgetter
from pkgutil import iter_modules

from hopattn.foundation.registry import Registry, entries_of, modules_in
from hopattn.scenario.kinds.base import Kind

HOMES = {
    **dict.fromkeys(("messages", "cache"), "attention"),
    **dict.fromkeys(("translation", "recurrent", "fast_weights"), "texts"),
    **dict.fromkeys(("probe", "memory_circuit", "emergence", "gradients"), "circuits"),
}
"""The modules of the kinds that are in one with others."""


class Kinds(Registry[Kind]):
    """The kinds, whose modules are imported when they are asked for: most scenarios need one of them.

    A kind is looked for in the module of its name, or in the one of `HOMES`. All modules are imported where that is not
    enough: for a list of the names, for a mistyped name, and for a kind in a module of another name.
    """

    def __init__(self) -> None:
        self.what, self.base = "kind", Kind

    @cached_property
    def _entries(self) -> dict[str, type[Kind]]:  # type: ignore[override]
        every = (pair for module in modules_in(__name__) for pair in entries_of(module, Kind))
        return dict(sorted(every, key=itemgetter(0)))

    def __getitem__(self, name: str) -> type[Kind]:
        return self._alone(name) or super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        return self._alone(name) is not None or super().__contains__(name)

    def _alone(self, name: object) -> type[Kind] | None:
        """The kind of this name from its own module; None where there is no such module or kind."""
        home = HOMES.get(str(name), str(name))
        if "_entries" in vars(self) or home not in [module.name for module in iter_modules(__path__)]:
            return None
        module = f"{__name__}.{home}"
        import_module(module)
        return dict(entries_of(module, Kind)).get(str(name))


kinds: Registry[Kind] = Kinds()
