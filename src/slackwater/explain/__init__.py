"""Values that describe a home, its views and its runs."""
