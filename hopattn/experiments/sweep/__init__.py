"""Sweeps: a function at every point of a grid, parallel and resumable.

- `checkpoint.py`: the finished points, in a file that an interruption cannot spoil
- `table.py`: the result of a sweep: a labelled table, means, intervals
- `runner.py`: the sweep itself
- `of_scenario.py`: a scenario over a grid of its numbers
"""
