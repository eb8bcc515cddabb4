"""What hopattn costs, as ratios taken side by side in one run: `make bench`."""
