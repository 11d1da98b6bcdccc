"""The pydantic models of the REST API, shared with the Python client.

They import pydantic, the standard library, and those modules of the domain that need nothing else. Values of the domain
become models in `api/serializers`.
"""
