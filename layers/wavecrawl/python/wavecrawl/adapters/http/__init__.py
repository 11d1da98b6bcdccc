"""HTTP: the page client and the webhook sender, built on requests with a guarded transport adapter."""
