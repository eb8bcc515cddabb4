"""Neurons that are updated one at a time: with couplings, and with stored patterns."""

from hopattn.spins.base import Called, Running, are_spins
from hopattn.spins.coupled import CoupledSpins
from hopattn.spins.stored import StoredSpins

__all__ = ["Called", "CoupledSpins", "Running", "StoredSpins", "are_spins"]
