"""All that knows the database: models, migrations, and the queries of the analytics engines."""
