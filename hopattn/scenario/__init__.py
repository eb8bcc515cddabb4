"""Scenarios: a TOML file that says what goes in, what is done, and what must come out."""
