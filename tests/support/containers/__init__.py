"""The project in containers: where there is an engine, and what is asked of it."""
