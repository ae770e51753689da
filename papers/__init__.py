"""Published experiments: what each paper ran, what it printed, and when a simulated value counts as the same."""
