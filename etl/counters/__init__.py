"""Octets of interfaces as routers count them, and the comparison of flow records with them."""
