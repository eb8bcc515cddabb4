"""Views of results: text and tables on the terminal, files of sweeps, HTML in a notebook.

- `visible.py`: text that cannot control a terminal
- `array_cells.py`: numbers with the digits of the figures, and arrays with their labels
- `consoles.py`: the consoles on standard output and standard error
- `text_table.py`: tables as lines of text that break no word and no number
- `terminal.py`: text and tables on the terminal
- `run_text.py`: the arrays and the pictures of runs, nothing twice and no rows or columns of 0
- `result_text.py`: a result: its runs and the verdicts on its expectations
- `check_text.py`: checked scenarios: what was missed, and how many expectations of each source are met
- `scenario_list.py`: the scenarios that come with hopattn: by group, by word, with their sources
- `markup.py`: Markdown, HTML and LaTeX
- `handout.py`: the arithmetic as a handout in one of them
- `tables.py`: tables of sweeps and certificates on the terminal, and progress
- `training_table.py`: the measures of a training on the terminal
- `comparison_text.py`: a comparison of memories: one screen, or all of it
- `census_text.py`: the strongest heads of a census: one screen, or all heads
- `papers_text.py`: published numbers: a table of all, one of them whole, those that do not hold
- `separation_text.py`: the margins of patterns, and what follows
- `memory_tables.py`: the parts of a memory, and the updates under which its energy never rises
- `notebook.py`: tables and a figure as HTML
- `explorer/`: the interactive page
- `next_steps.py`: the ways on from a result: its figure, its arithmetic, its page
"""
