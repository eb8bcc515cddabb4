"""The table `[practice]` of a scenario: what varies in a practice problem, and which errors give its wrong answers.

- `pools.py`: what the numbers of a practice problem are drawn from
- `mistakes.py`: the errors of a student by name, each as changes of the scenario
- `practice_table.py`: the table itself
"""
