"""Reservations: requests, the calendar, and the changes they schedule."""
