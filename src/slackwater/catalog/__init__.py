"""What is known of tables: their columns and how large they are."""

from slackwater.catalog.tables import Statistics, TableDefinition

__all__ = ["Statistics", "TableDefinition"]
