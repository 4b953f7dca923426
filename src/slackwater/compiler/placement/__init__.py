"""Cuts a program into blocks that run in every partition, with as few exchanges as possible."""
