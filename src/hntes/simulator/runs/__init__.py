"""Many runs: side by side, the longest first, kept so that none is made twice, written out."""
