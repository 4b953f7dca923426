"""Expressions, the functions they are built from, and facts about them."""
