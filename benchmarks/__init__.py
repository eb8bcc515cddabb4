"""The cost of hopattn, as ratios of times that are measured in one run: `make bench`."""
