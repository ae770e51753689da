"""IOS-XE, where each line takes effect at once, and IOS-XR, where a target configuration is committed."""
