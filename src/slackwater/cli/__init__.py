"""The command line: what each command computes is kept apart from how it is printed."""
