"""The figures, one file each: a figure is a class that draws finished results.

- `*.py`: one figure
"""

from hopattn.figures.base import Plot
from hopattn.foundation.registry import Registry, modules_in

plots: Registry[Plot] = Registry("figure", Plot, modules_in(__name__))
