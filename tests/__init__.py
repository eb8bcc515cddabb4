"""The tests. BLAS has one thread: there is a process of tests for each core, and more threads would wait, and spin."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy and SciPy read it when they are imported
