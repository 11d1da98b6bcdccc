"""Options that say how this machine reaches the network. They hold for one process and its workers.

They are no settings of a crawl: they name what this machine has, and a crawl may be resumed on another one.
"""

import os
from pathlib import Path
from typing import Annotated, Final

import typer

_CA_FILE: Final = "WAVECRAWL_CA_FILE"
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


def apply_network(*, ca_file: Path | None) -> None:
    """Let this process, and the workers that it starts, reach the network as the options say.

    Raise InvalidInputError if an option, or a variable in its place, is wrong.
    """
    from wavecrawl.adapters.http.own_authorities import own_authorities  # noqa: PLC0415 - loads ssl

    if ca_file is not None:
        os.environ[_CA_FILE] = str(ca_file.absolute())
    own_authorities()
