"""Review of changes: the view that an operator sees, and the decisions."""
