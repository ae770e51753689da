"""Junos."""
