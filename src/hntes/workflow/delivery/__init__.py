"""Delivery of approved configuration to routers."""
