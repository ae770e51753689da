"""Marking for service differentiation: 240 TCP flows through one link, under several ways to drop and mark."""
