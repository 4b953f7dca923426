"""The only owner of a SparkSession: finds Java, starts and stops Spark, compares results."""
