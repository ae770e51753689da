"""Cisco IOS-XR."""
