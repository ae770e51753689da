"""Reports: metrics, notifications, share advice, back-tests."""
