"""Runs programs as one job of Spark."""
