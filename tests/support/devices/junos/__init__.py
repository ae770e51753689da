"""Junos: a tree of configuration, a shared candidate, confirmed commits, NETCONF."""
