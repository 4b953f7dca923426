"""Workloads for tests, demo and benchmarks, made of Arrow tables and Parquet files.

`adversarial` holds small tables made by hand, `tpch` and `orderbook` generate the two
benchmarks, and `changes` turns any of them into a stream of changes. Nothing here needs
Spark.
"""
