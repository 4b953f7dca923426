"""What a home, its views and its runs are like, as values to read."""
