"""What a person sees: the terminal, tables, a notebook.

- `terminal.py`: text and tables on the terminal
- `tables.py`: progress, sweeps, comparisons and certificates on the terminal
- `sweep_files.py`: the table of a sweep as files, a figure among them
- `notebook.py`: tables and a figure as HTML
"""
