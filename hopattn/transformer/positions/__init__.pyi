"""The public names of `ha.positions`."""

from .alibi import Alibi as Alibi
from .alibi import alibi as alibi
from .alibi import alibi_slopes as alibi_slopes
from .rotary import Rotary as Rotary
from .scaling import LinearScaling as LinearScaling
from .scaling import WavelengthScaling as WavelengthScaling
from .scaling import YarnScaling as YarnScaling
from .sinusoidal import sinusoidal_shift as sinusoidal_shift
from .sinusoidal import with_positions as with_positions
