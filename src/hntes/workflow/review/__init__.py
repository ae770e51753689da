"""Review of changes: what is shown, and what a person decides."""
