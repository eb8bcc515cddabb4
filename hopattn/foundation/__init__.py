"""What every other room stands on: arrays of any library, checks, files, registries, threads. Nothing of the subject.

- `version.py`: the version of the package
- `errors.py`: the errors of a user, and the nearest valid choice for a mistyped name
- `display.py`: how an object shows itself in a notebook
- `chunks.py`: the rows of an array, some at a time
- `threads.py`: threads that share work, the size of the processor's caches
- `files.py`: files written whole or not at all; archives and JSON with reproducible bytes
- `labelled.py`: arrays whose axes and rows carry names
- `scalars.py`: checks of single numbers
- `grids.py`: the values of an axis of a grid, as a person writes them
- `registry.py`: named choices, found by the files they lie in
- `arrays.py`: the namespace of an array, conversions, tolerance by dtype, checks of shapes and entries
- `vectors.py`: rows at unit length, lengths, products with a matrix
- `roots.py`: the root of a falling function
- `array_files.py`: arrays that stay in their file, mapped into memory
"""
