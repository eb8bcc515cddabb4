"""The public names of `ha.positions`."""

from .distance_biases import Alibi as Alibi
from .distance_biases import alibi as alibi
from .distance_biases import alibi_slopes as alibi_slopes
from .planes import rotation as rotation
from .rotary import Rotary as Rotary
from .rotary import rope as rope
from .scaling import LinearScaling as LinearScaling
from .scaling import WavelengthScaling as WavelengthScaling
from .scaling import YarnScaling as YarnScaling
from .sinusoids import sinusoidal as sinusoidal
from .sinusoids import sinusoidal_shift as sinusoidal_shift
from .sinusoids import with_positions as with_positions
