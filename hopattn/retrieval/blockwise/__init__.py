"""Blockwise."""
