"""Changes of a router: candidate, diff, summary."""
