"""What a home knows of itself, in one SQL database: definitions, segments, commits, history."""
