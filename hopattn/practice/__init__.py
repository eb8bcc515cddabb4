"""Practice problems: drawn anew from a scenario, with friendly numbers, a key, and wrong answers that have a reason.

- `problem.py`: a problem as data
- `friendly.py`: the rule that every drawn problem keeps
- `wording.py`: a problem in words; its texts are in `texts.toml`
- `telling.py`: the keys of a scenario that no sentence of a sheet tells
- `drawing.py`: from a scenario and a seed to a sheet
- `beginning.py`: a first table [practice] for a scenario that has none
- `listing.py`: the scenarios that have problems, with their questions
- `marking.py`: answers against the right ones
- `formats/`: a sheet for print, and for learning platforms

    from hopattn import practice
    practice.sheet("bank", count=5, seed=7).problems[0].letter     # "A"
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
