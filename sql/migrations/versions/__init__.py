"""The schema's revisions, oldest first, written by hand."""
