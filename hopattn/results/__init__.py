"""Results as a person takes them away: labelled arrays, tables, notebooks, files.

- `display.py`: objects that a notebook shows as HTML
- `files.py`: files written whole or not at all; archives and JSON with reproducible bytes
- `dataset.py`: labelled arrays or rows, with every export of them
- `labelled.py`: arrays with named axes and labelled rows
"""
