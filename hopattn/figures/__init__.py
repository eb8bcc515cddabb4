"""Figures of results: finished data in, files out.

- `palette.py`: the colours, on a light and on a dark background
- `style.py`: the styles: background, size and font
- `text.py`: tokens as labels, and numbers
- `sheet.py`: a figure as data: a sheet of panels of marks, and its sentences in a language
- `quantities.py`: quantities on axes: names with symbols, ranges, logarithmic scales
- `names.py`: names beside points and at the ends of curves
- `drawing.py`: the drawing of sheets: one function for each mark, one layout for all figures
- `fit.py`: the largest font with which no texts overlap
- `choice.py`: the part of a result that a figure draws
- `figure.py`: a figure of the gallery: a function from a result to a sheet
- `policies.py`: the word that stands out, the plane, the ends of axes
- `recalls.py`: recalls: states as pictures, overlaps, and ends in words; a bare recall as a sheet
- `theory_lines.py`: lines of a theory, and points of one's own, over what was measured
- `comparison.py`: the figure of a comparison
- `census.py`: the figure of a census of heads
- `rows.py`: the figure of a dataset that has none of its own: its columns of numbers
- `predictions.py`: the lines that theory predicts for a sweep
- `sweep.py`: the figure of a sweep: curves, maps, or the capacity against the size
- `gallery/`: the figures, by family
- `favourites.py`: the figures that fit a result, and the one that shows it best
- `files.py`: from sheets to files, also moving pictures
- `as_result.py`: bare arrays and recalls as results that figures can draw
- `plotting.py`: drawing from Python, also into axes of your own
"""
