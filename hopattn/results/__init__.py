"""Results as a person takes them away: labelled arrays, tables, notebooks, files.

- `display.py`: objects that a notebook shows as HTML, and that can be drawn
- `files.py`: files written whole or not at all; archives and JSON with reproducible bytes
- `frames.py`: tables for pandas and labelled arrays for xarray, with attributes
- `labelled.py`: arrays with named axes and labelled rows
"""
