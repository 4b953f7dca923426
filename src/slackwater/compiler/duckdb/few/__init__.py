"""Statements as Python functions over a few rows, where an engine's fixed price is all there is."""
