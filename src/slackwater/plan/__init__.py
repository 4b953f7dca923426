"""Plans of refreshes as values: state to keep, steps to take. Nothing here runs."""
