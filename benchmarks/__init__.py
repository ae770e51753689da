"""Speed: fixed scenarios, each a script of its own."""
