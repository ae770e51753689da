"""The lifetime of rules: ageing, pins and exclusions, the term budget, and the reasons."""
