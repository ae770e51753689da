"""The flow files and settings of the demonstration, which lie in demo/; `hntes demo` copies them."""
