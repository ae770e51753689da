"""What Alembic runs: the migrations, on the connection and within the transaction that sql/engine.py gives."""

from alembic import context

from hntes.sql.models import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
with context.begin_transaction():
    context.run_migrations()
