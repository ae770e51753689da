"""Advice on the split of a port between alpha and beta: measured load, and what each split would make of it."""
