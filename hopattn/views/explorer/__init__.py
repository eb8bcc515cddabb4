"""The interactive page: one HTML file, with every formula in JavaScript and reference values from NumPy.

The page is put together from the files of `parts/`: a template, styles, and one script for each idea.

- `controls.py`: the controls of the page and the limits of its values
- `attention_start.py`: a scenario with layers of attention, as the page holds it
- `memory_start.py`: a scenario with a memory, as the page holds it
- `start.py`: the state that the page starts from
- `weights_start.py`: given weights of attention, as the page holds them
- `values.py`: the reference values by which the page checks its own arithmetic
- `page.py`: the whole page, from its parts
- `explorer.py`: the page as an object, for notebooks and files
"""
