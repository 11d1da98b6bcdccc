"""Limits of one HTTP request."""

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Limits of one request."""

    timeout: Annotated[float, "Seconds from the start of the connection to the last byte."] = 10.0
    max_bytes: Annotated[int, "Bytes of the body as transferred."] = 5 * 1024 * 1024
    max_decoded_bytes: Annotated[int, "Bytes of the body after content decoding."] = 20 * 1024 * 1024
