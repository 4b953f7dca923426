"""Classical delta rules: one operator, one rule, one file."""
