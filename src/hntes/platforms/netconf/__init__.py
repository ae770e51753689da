"""NETCONF sessions (RFC 6241) of platforms that speak it."""
