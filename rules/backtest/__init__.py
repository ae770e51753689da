"""Back-tests: the bytes of past days that a set of prefix pairs would have put into the alpha queue."""
