"""Measure: the load of egress interfaces, minute by minute."""
