"""The kinds of scenario, one file each: the keys of the file, its arrays, how they are computed and explained.

A subclass of `Spec` in a file of this folder is a kind. A file writes `kind = …` with the class name in snake case, or
with the class attribute `name`. A kind declares its arrays, computes their values, and writes their arithmetic; the
base labels the values, and derives from the declarations what expectations and sweeps may refer to.

- `base.py`: the base class of every kind
- `encoded.py`: the base of the kinds whose texts are encoded as vectors
- `layer_arrays.py`: the arrays of a layer of heads
- `layered_text.py`: the base of the kinds with layers of attention
- `attention.py`: a text through layers of attention
- `stored_words.py`: the base of the kinds with a memory of words
- `recall_arrays.py`: the arrays of a recall, for the kind memory
- `landscape_tables.py`: the tables of the kind landscape, each with its arrays
- `*.py`: one kind each
"""

from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules

from hopattn.foundation.registry import Registry, entries_of, modules_in
from hopattn.scenario.kinds.base import Spec


class Kinds(Registry[Spec]):
    """The kinds, whose modules are imported when they are asked for: most scenarios need one of them.

    The kind that has the name of a module is looked for there alone. All modules are imported where that is not enough:
    for a list of the names, for a mistyped name, and for a kind in a module of another name.
    """

    def __init__(self) -> None:
        self.what, self.base = "kind", Spec

    @cached_property
    def _entries(self) -> dict[str, type[Spec]]:  # type: ignore[override]
        return {name: kind for module in modules_in(__name__) for name, kind in entries_of(module, Spec)}

    def __getitem__(self, name: str) -> type[Spec]:
        return self._alone(name) or super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        return self._alone(name) is not None or super().__contains__(name)

    def _alone(self, name: object) -> type[Spec] | None:
        """The kind of this name from the module of this name; None where there is no such module or kind."""
        if "_entries" in vars(self) or name not in [module.name for module in iter_modules(__path__)]:
            return None
        module = f"{__name__}.{name}"
        import_module(module)
        return dict(entries_of(module, Spec)).get(str(name))


kinds: Registry[Spec] = Kinds()
