"""The command line: `hopattn COMMAND`.

- `blas_kernel.py`: which kernel BLAS takes, chosen before NumPy is imported
- `scenario_names.py`: names of scenarios, as a shell completes them
- `commands/`: one command in each file
- `main.py`: finds the commands; errors become exit codes
"""
