"""Figures, one file each: a figure is a class that draws finished results."""

from hopattn.plots.base import Plot
from hopattn.registry import Registry, modules_in

plots: Registry[Plot] = Registry("figure", Plot, modules_in(__name__))
