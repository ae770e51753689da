"""Reservations by committed access rates and weighted queues: a testbed of Cisco routers and an ATM bottleneck."""
