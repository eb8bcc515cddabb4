"""Views of results: text and tables on the terminal, files of sweeps, HTML in a notebook.

- `visible.py`: text that cannot control a terminal
- `consoles.py`: the consoles on standard output and standard error
- `text_table.py`: tables as lines of text that break no word and no number
- `terminal.py`: text and tables on the terminal
- `handout.py`: the arithmetic as a handout: Markdown, HTML, LaTeX
- `tables.py`: tables of sweeps, comparisons and certificates on the terminal, and progress
- `training_table.py`: the measures of a training on the terminal
- `sweep_files.py`: the table of a sweep as a file: CSV, arrays, JSON or a figure
- `memory_tables.py`: the parts of a memory, and the updates under which its energy never rises
- `notebook.py`: tables and a figure as HTML
- `explorer/`: the interactive page
"""
