"""Spark SQL text and DataFrames, by way of the plan that Catalyst has optimized."""
