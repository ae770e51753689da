"""The commands. A module here loads a stage when its command runs, not before: help and usage errors come at once."""
