#!/bin/sh
# What a GPU changes, in at most ten minutes: the tests with the mark `gpu`, then the rows of devices, layers and census.
# Run it in a clone with the extras torch and test: sh benchmarks/gpu.sh [PYTHON]. Without a GPU, the tests and the rows
# of "cuda" say that they are skipped, and the others are measured on the processor.
set -e
python=${1:-python}
"$python" -m pytest -q -p no:randomly -m gpu tests/torch tests/memories/test_on_devices.py
"$python" -m benchmarks --quick devices layers
"$python" -m benchmarks census
