"""Prefix pairs that many records of the synthetic lake belong to."""

from ipaddress import ip_network

PAIRS = [
    (ip_network(source), ip_network(end))
    for source, end in (("0.0.0.0/1", "0.0.0.0/0"), ("198.18.0.0/24", "0.0.0.0/0"), ("8000::/1", "::/0"))
]
