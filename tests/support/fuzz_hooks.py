"""Hooks that schemathesis loads (SCHEMATHESIS_HOOKS). They replace half of the generated ids by existing ones.

WAVECRAWL_FUZZ_IDS holds the existing ids as JSON, by the variables of docs/api.md.
"""

import json
import os
import re
from itertools import count
from typing import Any
from zlib import crc32

import schemathesis
from generate.examples import variable_of
from schemathesis import Case, HookContext

_KEY = "idempotency-key"
_COUNT = count()
_IDS: dict[str, str] = json.loads(os.environ["WAVECRAWL_FUZZ_IDS"])


@schemathesis.hook
def map_path_parameters(context: HookContext, path_parameters: dict[str, Any]) -> dict[str, Any]:
    """Use existing ids for some requests, chosen by the generated id; never for requests that delete."""
    operation = context.operation
    if operation is None or not path_parameters or operation.method.upper() == "DELETE":
        return path_parameters
    chosen = crc32(repr(sorted(path_parameters.items())).encode()) % 2
    return {**path_parameters, **real_ids(operation.path)} if chosen else path_parameters


@schemathesis.hook
def before_call(_context: HookContext, case: Case[Any], _kwargs: dict[str, Any]) -> None:
    """Make idempotency keys unique, as most requests would return 422 otherwise; compare with an existing crawl."""
    headers: Any = case.headers or {}
    query: Any = case.query or {}
    if re.fullmatch(r"[ -~]{1,200}", str(headers.get(_KEY, ""))):
        headers[_KEY] = f"{headers[_KEY]}-{next(_COUNT)}"
    if re.fullmatch(r"[A-Za-z0-9-]{1,64}", str(query.get("base", ""))):
        query["base"] = _IDS["BASE"]


def real_ids(path: str) -> dict[str, str]:
    """Return the existing ids for a path, by parameter name."""
    found = re.findall(r"/(\w+)/\{(\w+)\}", path)
    return {name: _IDS[variable_of(path, collection)] for collection, name in found}
