"""Foundation: arrays of any library, checks, files, registries, threads, compiled loops.

Nothing here knows memories or attention; the compiled loops know their formulas alone.

- `version.py`: the version of the package
- `visible.py`: text that cannot control a terminal
- `errors.py`: the errors of a user, and the nearest valid choice for a mistyped name
- `source_date.py`: a variable of the environment that NumPy and matplotlib read
- `options.py`: options of a function that has many
- `display.py`: objects that a notebook shows as HTML
- `threads.py`: threads that share work in blocks, the size of the processor's cache
- `chunks.py`: another name of `threads.py`
- `compiled/`: loops that numba compiles, for large work
- `processes.py`: work on several processes, which end with the one that started them
- `kernels.py`: the choice between them and NumPy, when work is done
- `fast_exp.py`: the fastest exponential of NumPy on this processor
- `frames.py`: tables for pandas and labelled arrays for xarray, with attributes
- `labelled.py`: arrays with named axes and labelled rows
- `traces.py`: arrays that a derivative is taken of, and numbers that are not known yet
- `checks.py`: checks of arguments that are not arrays; random numbers; room and time
- `scalars.py`: another name of `checks.py`
- `objects.py`: another name of `checks.py`
- `seeds.py`: another name of `checks.py`
- `room.py`: another name of `checks.py`
- `grids.py`: the values of an axis of a grid, as a person writes them
- `registry.py`: named choices, found in the modules that define them
- `arrays.py`: the namespace of an array, conversions, tolerance by dtype, checks of shapes and entries
- `plain_arrays.py`: another name of `arrays.py`
- `declared.py`: checks that an annotation declares, of parameters and of fields
- `in_range.py`: calls whose result leaves the range of numbers, refused with the name of the argument
- `vectors.py`: rows at unit length, lengths, products with a matrix
- `roots.py`: the root of a falling function, the level at which a row has a given mass
- `array_headers.py`: the headers of .npy, .npz and .safetensors files; arrays that stay in their file
- `array_files.py`: the numbers of such files and of tables in CSV
- `files.py`: files written whole or not at all; archives and JSON with reproducible bytes
"""
