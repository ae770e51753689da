"""Alembic's environment: runs the migrations on the connection and transaction of sql/engine.py."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
