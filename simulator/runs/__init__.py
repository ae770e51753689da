"""Many runs: side by side, kept on disk, written out."""
