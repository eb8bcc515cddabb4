"""Figures, one file each: a figure is a class that draws finished results."""

from hopattn.foundation.registry import Registry, modules_in
from hopattn.plots.base import Plot

plots: Registry[Plot] = Registry("figure", Plot, modules_in(__name__))
