"""Arista EOS (7280R3): traffic policies, QoS profiles, configuration sessions over SSH."""
