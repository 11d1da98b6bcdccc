"""Generator of docs/api.md from the OpenAPI document of the API."""
