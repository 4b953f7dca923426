"""The catalog: typed records of what a home holds, and their value at one commit."""

from slackwater.catalog.tables import Statistics, TableDefinition

__all__ = ["Statistics", "TableDefinition"]
