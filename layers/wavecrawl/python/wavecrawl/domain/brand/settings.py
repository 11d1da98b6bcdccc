"""The settings of brands."""

from typing import Annotated

import msgspec


class BrandSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The brand of the site, read from its home page."""

    enabled: Annotated[bool, "Whether to read colours, fonts and logo from the page at the root URL."] = True
    stylesheets: Annotated[
        int,
        "Maximum number of stylesheets of the root page to request, of its host or a subdomain, subject to robots.txt "
        "and at the pace of the host. 0: only styles inside the page are read.",
    ] = 3
