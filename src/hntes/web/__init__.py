"""The review page: what the command line says and does of changes, in a browser. It calls `pipeline`, as that does."""
