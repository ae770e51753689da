"""What IOS-XR and IOS-XE have in common."""
