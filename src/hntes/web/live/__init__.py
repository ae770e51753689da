"""Parts of pages that browsers follow by server-sent events."""
