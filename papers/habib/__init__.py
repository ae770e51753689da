"""A conditioner that knows round-trip times and timeouts: simulated paths of 10 Mb/s, three-colour markers and RIO."""
