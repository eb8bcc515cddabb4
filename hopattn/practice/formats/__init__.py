"""The formats of practice sheets: for paper, for pages, for notebooks, and for learning platforms.

A class that lies in a file of this folder is in the registry.

- `base.py`: the form of a format
- `prose.py`: the parts of a problem in Markdown, HTML and LaTeX
- `markdown.py`: Markdown with MyST's blocks of exercises
- `page.py`: an HTML file that prints well
- `latex.py`: LaTeX with the class `exam`
- `plain_data.py`: all of a sheet as JSON
- `notebook.py`: a Jupyter notebook that checks the answers
- `moodle.py`: questions for Moodle
- `qti.py`: questions for Canvas and other platforms that read QTI 1.2
- `prairielearn.py`: questions for PrairieLearn
"""

from hopattn.foundation.registry import Registry, modules_in
from hopattn.practice.formats.base import Format

formats: Registry[Format] = Registry("format", Format, modules_in(__name__))
