"""From the vendor-neutral model to configuration text, platform by platform."""
