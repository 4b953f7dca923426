"""Merging small segments, and deleting what nobody needs."""
