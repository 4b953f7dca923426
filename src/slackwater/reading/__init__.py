"""Answers of views, what changed in them, and whether they are right."""
