"""Stages of a window: each turns arrays of one length into arrays of another, many at a time."""
