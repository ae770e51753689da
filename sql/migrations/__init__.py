"""Alembic's environment; run through sql/engine.py only."""
