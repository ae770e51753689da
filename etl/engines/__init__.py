"""Where router-days are worked on: this machine, or the executors of Spark; and DuckDB, which answers queries there."""
