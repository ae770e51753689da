"""Premium service for announced transfers: admission on a port, and each transfer's share."""
