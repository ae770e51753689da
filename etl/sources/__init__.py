"""Flow sources: one package for each kind of collector."""
