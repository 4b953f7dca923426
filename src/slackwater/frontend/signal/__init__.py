"""Signals for users: methods that build pipelines of `slackwater.signals` and check them."""
