"""Pictures of results: finished data in, files out.

- `base.py`: the form of a figure: what it shows, which results it can draw
- `style.py`: the style of all figures
- `shapes.py`: what several figures are made of: arrows, labels, cells, a layer of neurons
- `recall_course.py`: the course of a recall: energy and overlap by step, the states at its end
- `comparison.py`: the figure of a comparison
- `sweep.py`: the figure of a sweep
- `gif.py`: moving pictures
- `gallery/`: one figure in each file
- `rendering.py`: from results to files of figures
"""
