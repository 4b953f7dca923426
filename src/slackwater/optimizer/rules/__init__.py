"""Rewrite rules, foldered by the method they belong to."""
