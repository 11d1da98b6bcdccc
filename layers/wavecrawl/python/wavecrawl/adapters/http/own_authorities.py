"""Certificate authorities of a company, which certify hosts that no public authority does.

They are named by the environment variables of OpenSSL, requests and curl, and trusted besides the public ones.
"""

import os
import ssl
from pathlib import Path
from typing import Final

from wavecrawl.errors import InvalidInputError

VARIABLES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""The first of these that is set names a PEM file, or a folder of them."""


def own_authorities() -> str | None:
    """Return the PEM file, or the folder, of further authorities to trust, or None.

    Raise InvalidInputError if a variable names what cannot be read, or a file that contains no certificate.
    """
    name = next((one for one in VARIABLES if os.environ.get(one)), None)
    if name is None:
        return None
    path = os.environ[name]
    try:
        trust(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), path)
    except OSError as error:  # ssl.SSLError is one
        why = error.strerror or str(error)
        raise InvalidInputError(f"{name} must name a PEM file with certificates: {path}: {why}") from error
    return path


def trust(context: ssl.SSLContext, path: str) -> None:
    """Trust the authorities of a PEM file, or those of a folder that `openssl rehash` made; raise OSError."""
    if Path(path).is_dir():
        context.load_verify_locations(capath=path)
    else:
        context.load_verify_locations(cafile=path)
