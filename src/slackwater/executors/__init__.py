"""Runs programs: on the driver, in Spark, or in both, as prices say."""
