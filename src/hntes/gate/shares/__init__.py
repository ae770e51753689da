"""Advice on the split of a port between alpha and beta: measured load, and the effect of each split."""
