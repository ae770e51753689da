"""The review page: the review commands of the command line in a browser, on top of `workflow`."""
