"""What changes on a router: candidate, difference, summary."""
