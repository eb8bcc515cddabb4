"""Measures: what weights and states are told by."""
