"""What is said of the containers without an engine."""
