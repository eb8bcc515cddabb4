"""Figures of results: finished data in, files out.

- `base.py`: the base class of a figure: what it shows, which results it can draw
- `palette.py`: the colours, on a light and on a dark sheet
- `style.py`: the styles: sheet, size and font
- `text.py`: tokens as labels, and numbers
- `choice.py`: the part of a result that a figure draws
- `headings.py`: titles above figures and panels, notes below them
- `fitting.py`: the largest font with which no texts overlap
- `shapes.py`: shapes that several figures share: arrows, boxed texts, cells, a layer of neurons
- `cue_circle.py`: a cue and the weights of one neuron in a plane, with their angle
- `labelled_points.py`: points in a plane, with labels that do not overlap
- `word_planes.py`: words in the plane of two of their axes, before and after attention
- `places.py`: the places of a walk, with a colour for each
- `recalls.py`: recalls of pictures: their states, their overlaps with patterns, and their ends in words
- `recalled_cues.py`: which cues recalled their pattern, and when each came to rest
- `recall_course.py`: a recall: energy and overlap by step, and the final states
- `comparison.py`: the figure of a comparison
- `sweep.py`: the figure of a sweep
- `gif.py`: moving pictures: the frames of a figure as GIF or MP4
- `gallery/`: one figure in each file
- `rendering.py`: from results to files of figures
- `from_arrays.py`: bare arrays as a result that figures can draw
- `from_recall.py`: a recall as a result that figures can draw
- `plotting.py`: drawing from Python, also into axes of your own
"""
