"""Responses that are streams: radio, cameras and events, whose bodies may have no end."""

from wavecrawl.domain.fetching.outcome import media_type

_ENDLESS = frozenset(
    (
        "text/event-stream",  # https://html.spec.whatwg.org/multipage/server-sent-events.html
        "multipart/x-mixed-replace",  # https://html.spec.whatwg.org/multipage/iana.html#multipart/x-mixed-replace
    )
)


def is_endless(content_type: str) -> bool:
    """Return whether a response of this Content-Type has no end by the definition of its type."""
    return media_type(content_type) in _ENDLESS


def may_be_endless(content_type: str) -> bool:
    """Return whether a response of this Content-Type may have no end, if it does not tell its length."""
    return is_endless(content_type) or media_type(content_type).startswith(("audio/", "video/"))
