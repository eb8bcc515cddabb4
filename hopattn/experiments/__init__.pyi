"""The public names of `ha.experiments`."""

from .comparison.over_random_patterns import compare_patterns as compare_patterns
from .comparison.over_random_patterns import compare_random as compare_random
from .forgetting import forgetting as forgetting
from .sweep.of_scenario import sweep_scenario as sweep_scenario
