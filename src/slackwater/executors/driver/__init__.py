"""Runs small programs on the driver, without a Spark job, where the meaning stays Spark's.

A statement is translated for DuckDB only if every expression in it, with the types it has
there, is known to mean the same in both; all others are Spark's. An error here decides
nothing: Spark is asked again, and its answer or its error counts.
"""
