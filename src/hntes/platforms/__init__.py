"""Router platforms: each renders, parses and applies the configuration language of its routers."""
