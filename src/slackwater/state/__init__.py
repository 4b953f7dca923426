"""State between runs: arrangements as immutable, hash-sorted segment files, and their metadata."""
