"""The tests. In a quick run BLAS has one thread: there is a process of tests for each core, and threads would wait."""

import os

from tests.counts import FULL

if not FULL:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy reads it when it is imported
