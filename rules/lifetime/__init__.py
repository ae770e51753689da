"""The life of rules: ageing, budget, and why a pair has one."""
