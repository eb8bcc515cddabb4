"""The commands, one file each. A command parses its arguments, calls one function and prints the result.

- `*.py`: one command
"""
