"""Nokia SR OS (7750 SR): MD-CLI text, NETCONF sessions."""
