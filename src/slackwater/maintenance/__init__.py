"""Merging small segments, and deleting files that are no longer needed."""
