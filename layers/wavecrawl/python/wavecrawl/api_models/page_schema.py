"""The JSON Schema of a line of pages.jsonl.gz."""

from typing import Any

from wavecrawl.api_models.pages import PageLine


def page_schema() -> dict[str, Any]:
    """Return the schema (JSON Schema 2020-12). It is the file docs/page.schema.json."""
    schema = PageLine.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
