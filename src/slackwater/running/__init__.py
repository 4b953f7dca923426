"""Runs: what is done with each view, and doing it in one commit."""
