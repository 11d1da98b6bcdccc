"""The composition root: settings in, adapters chosen, use cases wired. Nothing else knows which adapter it talks to."""
