"""Notices to operators: what happened since the last one, in a sentence each, sent by a library."""
