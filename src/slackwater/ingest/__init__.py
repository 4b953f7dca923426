"""Batches of changes on their way into a source."""
