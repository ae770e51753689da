"""Reservations as other systems publish them in JSON, read as far as their schemas say something of transfers here."""
