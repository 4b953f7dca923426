"""Turns plans into statements that Spark runs; pure text, no Spark session."""
