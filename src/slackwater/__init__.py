"""Slackwater: standing SQL on Apache Spark, kept exact and delivered on time."""
