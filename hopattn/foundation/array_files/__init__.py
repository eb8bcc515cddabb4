"""Files of arrays: `.npy`, `.npz`, `.safetensors` and tables in CSV.

A header is read by a grammar of its own and believed only as far as the size of the file bears it out. Nothing in a
file is executed. Every fault raises `InvalidInput`, with the file, what stands there, and what was expected.

- `paths.py`: a file's name in messages, a file opened to read
- `stored.py`: an array as its header describes it, and its numbers
- `npy.py`: the header of a `.npy` file
- `npz.py`: the arrays of a `.npz` archive
- `safetensors.py`: the header of a `.safetensors` file
- `tables.py`: the numbers of a table in CSV
- `reading.py`: the arrays of a file of any of these formats
"""

from hopattn.foundation.array_files.paths import named as named
from hopattn.foundation.array_files.paths import opened as opened
from hopattn.foundation.array_files.paths import require_file as require_file
from hopattn.foundation.array_files.reading import MAX_NUMBERS as MAX_NUMBERS
from hopattn.foundation.array_files.reading import Described as Described
from hopattn.foundation.array_files.reading import arrays_of as arrays_of
from hopattn.foundation.array_files.reading import described as described
from hopattn.foundation.array_files.reading import mapped as mapped
from hopattn.foundation.array_files.reading import names_in as names_in
from hopattn.foundation.array_files.reading import numbers as numbers
from hopattn.foundation.array_files.reading import numbers_below as numbers_below
from hopattn.foundation.array_files.reading import stored_vectors as stored_vectors
from hopattn.foundation.array_files.reading import vectors_in as vectors_in
