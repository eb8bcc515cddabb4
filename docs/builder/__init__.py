"""The site: pages are laid out in one folder, Sphinx makes HTML of them. Run it by `make site`.

- `markdown.py`: parts of a page: code, tables, plain text, docstrings
- `places.py`: the place of each file of the repository in the site, and the links between pages
- `commands.py`: the page of the command line
- `api.py`: a page for each public name
- `papers.py`: published numbers, and those that we compute
- `practice.py`: the errors of a student by name
- `thumbnails.py`: figures, cropped for cards
- `drawing.py`: what the gallery shows of each scenario: its figures, output, interactive page, what its source prints
- `gallery.py`: a page for each scenario, for each folder of scenarios, and for all of them
- `layout.py`: the folder of pages that Sphinx reads
- `mathml.py`: formulas without a script
- `linking.py`: inline code that names a function or a command becomes a link
- `picture_sizes.py`: the sizes of pictures, so that a jump ends at its heading
- `reading.py`: dark pictures, wide parts that scroll by keyboard, a short side bar
"""
