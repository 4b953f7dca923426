"""The metadata of a home in one SQL database: definitions, segments, commits, history."""
