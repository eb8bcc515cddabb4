"""The command line: `hopattn COMMAND`.

- `blas_kernel.py`: the kernel of BLAS, chosen before NumPy is imported
- `code_pages.py`: the characters that an output lacks, in ASCII
- `streams.py`: standard output and standard error, made safe
- `completing.py`: the variables by which a shell asks for completions
- `source_date.py`: a variable of the environment that NumPy and matplotlib read
- `signals.py`: Ctrl-C and SIGTERM, which stop a command
- `scenario_names.py`: the names of scenarios, which a shell can complete
- `options.py`: the options that several commands have, and the ways that options were written
- `output.py`: the table of what commands write, and the option `--out`
- `commands/`: one command in each file
- `main.py`: the group of all commands, and exit codes for errors
"""
