"""The public names of `ha.experiments`."""

from .comparison.over_random_patterns import compare_patterns as compare_patterns
from .comparison.over_random_patterns import compare_random as compare_random
from .first_words import forgetting as forgetting
from .sweeps.of_scenario import sweep_scenario as sweep_scenario
