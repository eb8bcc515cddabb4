"""The public names of `ha.landscapes`."""

from .fixed_points import Bifurcation as Bifurcation
from .fixed_points import FixedPoints as FixedPoints
from .fixed_points import bifurcation as bifurcation
from .fixed_points import fixed_points as fixed_points
from .returns import Radii as Radii
from .returns import Returns as Returns
from .returns import radii as radii
from .returns import returns as returns
from .spin_states import Basins as Basins
from .spin_states import SpinStates as SpinStates
from .spin_states import spin_states as spin_states
