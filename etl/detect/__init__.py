"""Detect: the alpha flows of a router and day, and the completeness of the day's data."""
