"""Sessions of Spark: started, cloned, set up, measured, and what they fail with."""
