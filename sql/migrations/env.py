"""What Alembic runs: the migrations, on the connection and within the transaction that sql/engine.py gives."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
