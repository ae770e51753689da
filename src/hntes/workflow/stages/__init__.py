"""The stages of a night, from flow files to judged candidates."""
