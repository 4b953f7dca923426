"""DuckDB's dialect: statements that this process can compute itself.

Every value is printed under exactly the type that Spark gives it, so that what follows computes
with the same digits. What is in none of the tables raises `NotLocalError` and is left to Spark.
"""
