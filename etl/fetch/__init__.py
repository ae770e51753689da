"""Flows that a collector keeps in a message queue or a database, written as the files that a flow source reads."""
