"""Sweeps: a function or a scenario at every point of a grid, in parallel; an interrupted sweep can be continued.

- `checkpoint.py`: the finished points, in a file that survives an interruption
- `table.py`: the result of a sweep: a labelled table, means, confidence intervals
- `kept.py`: finished sweeps that come with hopattn
- `code.py`: the code of a function, by which its checkpoint knows it
- `plan.py`: the points of a sweep, the key of each, and the seed of each trial
- `runner.py`: the sweep of a function, on processes of this machine or on a cluster
- `of_scenario.py`: the sweep of a scenario
"""
