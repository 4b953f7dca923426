"""The same views and changes on other systems: each in a process of its own, one at a time."""
