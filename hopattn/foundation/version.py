"""The version of hopattn."""

__version__ = "0.1.0"
