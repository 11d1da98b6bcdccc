"""The composition root: builds adapters from settings and connects use cases to them."""
