"""Views of results: text and tables on the terminal, files of sweeps, HTML in a notebook.

- `terminal.py`: text and tables on the terminal
- `tables.py`: tables of sweeps, comparisons and certificates on the terminal, and progress
- `sweep_files.py`: the table of a sweep as a file: CSV, arrays, JSON or a figure
- `notebook.py`: tables and a figure as HTML
"""
