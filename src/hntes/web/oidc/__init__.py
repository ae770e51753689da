"""Login by OpenID Connect: the authorization code flow with PKCE, and checks of what the provider says."""
