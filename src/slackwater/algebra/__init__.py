"""The relational algebra that every query becomes and every rewrite works on."""
