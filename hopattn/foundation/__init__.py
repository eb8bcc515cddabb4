"""Foundation: arrays of any library, checks, files, registries, threads, compiled loops.

Nothing here knows memories or attention; the compiled loops know their formulas alone.

- `version.py`: the version of the package
- `errors.py`: the errors of a user, and the nearest valid choice for a mistyped name
- `writing.py`: numbers and words as people read them
- `lazy.py`: names that are loaded when they are first used
- `threads.py`: threads that share work in blocks, the size of the processor's cache
- `kernels.py`: the choice between NumPy and compiled loops, when work is done
- `compiled/`: loops that numba compiles, for large work
- `traces.py`: arrays that require a gradient, and values that are not available while a library traces a function
- `checks.py`: checks of arguments that are not arrays; random numbers; room and time
- `registry.py`: named choices, found in the modules that define them
- `shapes.py`: names of axes, and what to say where an array has others
- `arrays.py`: the namespace of an array, conversions, tolerance by dtype, checks of entries; the fit of several arrays
- `boundary.py`: what the signature of a public call says of its arguments, and its numbers of its result
- `torch_words.py`: PyTorch's words for what our functions take
- `other_words.py`: the words of other libraries and of the field for what is here
- `argument_names.py`: the names that a public call or object has, and what to write instead of another
- `used_files.py`: the files that a command reads or writes, none of which it replaces
- `shown.py`: objects that are shown whatever their parts are
- `shown_types.py`: the words for types in the signatures that `help()` shows
- `vectors.py`: rows at unit length, lengths, products with a matrix
- `flows.py`: the solution of a differential equation from many starts
- `intervals.py`: the intervals of shares and means
- `roots.py`: the root of a falling function, the level at which a row has a given mass
- `array_headers.py`: the headers of .npy, .npz and .safetensors files; arrays that stay in their file
- `endings.py`: the endings of their names, and what to do with files of other programs
- `tables.py`: tables of numbers in text
- `array_files.py`: what such files mean: numbers, patterns, heads
"""
