"""The decisions: prefix pairs and their life, the vendor-neutral configuration, rendering, diffs, change sets."""
