"""What is known of routers and their ports from elsewhere: SNMP, running configurations, a table, NetBox."""
