"""Parser of Junos configuration text."""
