"""Registries that a test may add classes to: what it adds is gone afterwards."""

from hopattn.dynamics.own_parts import REGISTRIES


def keep(monkeypatch):
    """Let all registries be after the test as they were before."""
    for registry in REGISTRIES:
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))
        monkeypatch.setattr(registry, "own", dict(registry.own))
