"""The database: tables, migrations, and the queries of the analytics engines."""
