"""Measurements of Slackwater itself; they return figures and print nothing."""
