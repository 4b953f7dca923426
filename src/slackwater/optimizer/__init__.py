"""Decides how a view is kept: which rule each operator follows and which state it needs."""
