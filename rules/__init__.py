"""Decisions: prefix pairs and their lifetime, the vendor-neutral configuration, change sets, reservations."""
