"""The public names of `hopattn.practice`."""

from .drawing import sheet as sheet
from .marking import marked as marked
from .problem import Sheet as Sheet
