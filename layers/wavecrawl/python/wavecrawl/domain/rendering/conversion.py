"""A rendered page as it is stored beside the response that it was made from."""

from msgspec import Struct


class Conversion(Struct, frozen=True, kw_only=True, gc=False):
    """The HTML of a rendered page: a WARC record of type `conversion` (ISO 28500:2017, section 6.9)."""

    url: str
    html: bytes  # UTF-8
    refers_to: str  # id of the WARC record of the response
    made_at: float  # Unix seconds
