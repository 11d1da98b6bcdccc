"""Certificate authorities of a company, which certify hosts that no public authority does.

They are named by the environment variables of OpenSSL, requests and curl, and trusted besides the public ones.
"""

import os
import ssl
from typing import Final

from wavecrawl.errors import InvalidInputError

VARIABLES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""The first of these that is set names a PEM file."""


def own_authorities() -> str | None:
    """Return the PEM file of further authorities to trust, or None.

    Raise InvalidInputError if a variable names a file that cannot be read or contains no certificate.
    """
    name = next((one for one in VARIABLES if os.environ.get(one)), None)
    if name is None:
        return None
    path = os.environ[name]
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except OSError as error:  # ssl.SSLError is one
        why = error.strerror or str(error)
        raise InvalidInputError(f"{name} must name a PEM file with certificates: {path}: {why}") from error
    return path
