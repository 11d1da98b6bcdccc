"""What is written from the OpenAPI document the API serves: docs/api.md, and the Python client's methods and models."""
