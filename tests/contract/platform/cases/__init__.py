"""One module for each platform, named after it, with its `CASE`."""
