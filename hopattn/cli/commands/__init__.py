"""The commands, one file each: parse, call one function, print.

- `*.py`: one command
"""
