"""A webhook message with a verified signature."""

import msgspec


class SignedMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message that requests a crawl. It may be delivered several times, and starts one crawl."""

    source: str  # webhook, qstash
    id: str  # the same in every delivery
    token: str  # what was signed; it is accepted once
