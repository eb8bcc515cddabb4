"""Published numbers: a record for each, with its paper and place, computed again and judged.

- `trials.py`: simulations that records alone name
- `ways.py`: how we compute a number: a formula of `ha.theory`, a scenario, a simulation
- `record.py`: a paper, the record of one of its numbers, and the judgement by verdict
- `loading.py`: the files in `records/`, one for each paper, and their errors
- `checking.py`: records chosen by names or words, and computed again on several processes

    from hopattn import papers
    papers.records()["critical-load"].compute().ours        # 0.1379
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
