"""The public names of `ha.landscapes`."""

from .enumerated import Basins as Basins
from .enumerated import SpinStates as SpinStates
from .enumerated import spin_states as spin_states
from .sampled import Radii as Radii
from .sampled import Returns as Returns
from .sampled import radii as radii
from .sampled import returns as returns
from .stationary import Bifurcation as Bifurcation
from .stationary import FixedPoints as FixedPoints
from .stationary import bifurcation as bifurcation
from .stationary import fixed_points as fixed_points
