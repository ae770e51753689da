"""Cisco IOS-XE."""
