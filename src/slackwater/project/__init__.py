"""A project: a folder with a spec file and SQL files that say which views to keep up to date."""
