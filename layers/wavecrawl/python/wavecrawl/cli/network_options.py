"""Options that say how this machine reaches the network. They hold for one process and its workers.

They are no settings of a crawl: they name what this machine has, and a crawl may be resumed on another one.
"""

import os
from pathlib import Path
from typing import Annotated, Final

import typer

_CA_FILE: Final = "WAVECRAWL_CA_FILE"
_PROXY: Final = "WAVECRAWL_PROXY"
_PANEL: Final = "Network"

CaFileOption = Annotated[
    Path | None,
    typer.Option(
        "--ca-file",
        envvar=_CA_FILE,
        help="PEM file with certificate authorities to trust besides the public ones and those of this machine, for "
        "example of a company. Default: the file that SSL_CERT_FILE, REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE names.",
        rich_help_panel=_PANEL,
    ),
]

ProxyOption = Annotated[
    str | None,
    typer.Option(
        "--proxy",
        envvar=_PROXY,
        metavar="URL",
        help="HTTP proxy through which all hosts are reached but those of NO_PROXY and this machine, such as "
        "http://proxy.example.com:3128. If its URL has a password, set the variable instead. Default: HTTPS_PROXY and "
        "HTTP_PROXY.",
        rich_help_panel=_PANEL,
    ),
]


def apply_network(*, ca_file: Path | None, proxy: str | None) -> None:
    """Let this process, and the workers that it starts, reach the network as the options say.

    Raise InvalidInputError if an option, or a variable in its place, is wrong.
    """
    from wavecrawl.adapters.http.outbound_proxies import outbound_proxies  # noqa: PLC0415 - few commands send requests
    from wavecrawl.adapters.http.own_authorities import own_authorities  # noqa: PLC0415 - loads ssl

    if ca_file is not None:
        os.environ[_CA_FILE] = str(ca_file.absolute())
    if proxy is not None:
        os.environ[_PROXY] = proxy
    own_authorities()
    outbound_proxies()
