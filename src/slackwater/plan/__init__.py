"""What a refresh will do, as values: state to keep, steps to take. Nothing here runs."""
