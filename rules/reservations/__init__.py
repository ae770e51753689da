"""Premium service for announced transfers: what may be promised on a port, and what each transfer gets."""
