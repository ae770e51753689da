"""What the collector wrote: flow folders, nfcapd files, and nfdump, which reads them."""
