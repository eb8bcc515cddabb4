"""The public names of `ha.gradients`."""

from .backward_pass import backward as backward
from .backward_pass import gradient_flow as gradient_flow
from .backward_pass import softmax_jacobian as softmax_jacobian
from .curves import saturation_of as saturation_of
from .curves import softmax_saturation as softmax_saturation
from .curves import stack_gradients as stack_gradients
from .curves import vanishing_gradients as vanishing_gradients
