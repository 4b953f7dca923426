"""Lowers plans to steps: one module a method, named after it."""
