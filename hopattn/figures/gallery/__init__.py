"""The gallery: one file for each figure, which is a class that draws a finished result.

- `*.py`: one figure
"""

from hopattn.figures.base import Plot
from hopattn.foundation.registry import Registry, modules_in

plots: Registry[Plot] = Registry("figure", Plot, modules_in(__name__))
