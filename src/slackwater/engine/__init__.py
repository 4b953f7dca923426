"""Keeps a home: takes batches in, brings views up to date, answers, and cleans up."""
