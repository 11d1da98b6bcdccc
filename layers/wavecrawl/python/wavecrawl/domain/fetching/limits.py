"""Limits of one HTTP request."""

from typing import Annotated

import msgspec


class FetchLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of one request."""

    timeout: Annotated[float, "Maximum duration of a request in seconds, from connecting to the last byte."] = 10.0
    max_bytes: Annotated[int, "Maximum number of bytes of a body, as transferred. The rest is cut off."] = (
        5 * 1024 * 1024
    )
    max_decoded_bytes: Annotated[
        int, "Maximum number of bytes of a body after content decoding. The rest is cut off."
    ] = 20 * 1024 * 1024
