"""The pydantic models of the REST API, shared with the Python client."""
