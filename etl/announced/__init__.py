"""What others announce of transfers: read, bounded, and attributed to alpha flows. None of it is authenticated."""
