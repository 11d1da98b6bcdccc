"""`wavecrawl schema`: the JSON Schema of pages.jsonl.gz."""

import json

from wavecrawl.api_models.page_schema import page_schema
from wavecrawl.cli.console import write_line


def schema() -> None:
    """Print the JSON Schema of a line of pages.jsonl.gz.

    The pages of the REST API have fields of the same names and types.
    """
    for line in json.dumps(page_schema(), indent=2).splitlines():
        write_line(line)
