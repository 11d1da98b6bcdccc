"""The User-Agent of all requests."""

from wavecrawl.version import __version__


def user_agent(contact: str) -> str:
    """Return product and version, and the operator's contact, if there is one."""
    return f"wavecrawl/{__version__} (+{contact})" if contact else f"wavecrawl/{__version__}"
