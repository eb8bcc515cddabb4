"""Figures of results: finished data in, files out.

- `base.py`: the base class of a figure: what it shows, which results it can draw
- `style.py`: the style of all figures
- `headings.py`: titles above figures and panels
- `shapes.py`: shapes that several figures share: arrows, boxed texts, cells, a layer of neurons
- `labelled_points.py`: points in a plane, with labels that do not overlap
- `places.py`: the places of a walk, with a colour for each
- `recall_course.py`: a recall: energy and overlap by step, and the final states
- `comparison.py`: the figure of a comparison
- `sweep.py`: the figure of a sweep
- `gif.py`: moving pictures
- `gallery/`: one figure in each file
- `rendering.py`: from results to files of figures
"""
