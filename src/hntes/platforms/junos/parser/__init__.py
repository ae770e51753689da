"""Reading Junos text."""
