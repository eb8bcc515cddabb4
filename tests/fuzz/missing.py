"""Libraries that cases do without: each takes seconds to import, and hopattn computes the same without them."""

import sys

SLOW_IMPORTS = ("torch", "jax", "entmax")


class Missing:
    """A finder for which these libraries are not installed. SciPy takes None in `sys.modules` for a library."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in SLOW_IMPORTS:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)


def hide():
    """Let the libraries be missing from here on."""
    sys.meta_path.insert(0, Missing)


def show():
    """Let them be found again."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not Missing]
