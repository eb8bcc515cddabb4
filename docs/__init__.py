"""The pages, and what makes them: `refresh.py`, `certify.py`, and the site (`builder/`)."""
