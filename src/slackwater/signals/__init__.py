"""Signals: grouped streams of events that do not overlap, and the operators on them.

A pipeline is a frozen tree of operators. Each operator is one module with its meaning, its kernel
over the flat arrays of many groups, and what it keeps between runs. Nothing here knows Spark.
"""
