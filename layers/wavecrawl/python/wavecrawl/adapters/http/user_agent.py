"""The User-Agent of all requests."""

from wavecrawl.version import __version__


def user_agent(contact: str, suffix: str = "") -> str:
    """Return product and version, the operator's contact, if there is one, and a suffix, if there is one."""
    own = f"wavecrawl/{__version__} (+{contact})" if contact else f"wavecrawl/{__version__}"
    return f"{own} {suffix}" if suffix else own
