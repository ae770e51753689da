"""The testbed as data: the published experiments, the plans of their ports, and scenarios from a file."""
