"""What is known of routers and their ports from elsewhere than flow files: SNMP, a table, NetBox."""
