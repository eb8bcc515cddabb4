"""Comparisons: several memories on the same keys, values and cues.

- `cost.py`: the time and the memory that a comparison takes, from its sizes alone
- `problem.py`: keys, values, cues, targets and mask, the same for every memory
- `contenders.py`: the memories that are compared, by name
- `sampling.py`: patterns, random or given, and damaged cues
- `from_files.py`: queries, keys and values, or patterns, from the user's files
- `from_scenario.py`: the heads of a scenario, or its patterns and cues
- `stored_numbers.py`: the size of a memory
- `row.py`: one memory at one point, averaged over all trials; the title, the meaning and the format of each column
- `measuring.py`: one memory on one problem: its answers after one step and at the end; the averages over all trials
- `result.py`: all rows, as table, JSON and CSV
- `compare.py`: the comparison on given problems
- `over_random_patterns.py`: the comparison on random patterns or random damage, over a grid
- `options.py`: the command-line options that go with each source of a comparison
"""
