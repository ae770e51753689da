"""Decisions: prefix pairs and their lifetime, the vendor-neutral configuration, changes, reservations."""
