"""Detect: the alpha flows of a router and day, and whether the data of the day is complete."""
