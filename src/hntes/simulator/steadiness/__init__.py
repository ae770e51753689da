"""How far two runs lie apart, and whether a fluid result would stand if the network were a little different."""
