"""Everyday views over a log of events, each a text with a name and a title."""
