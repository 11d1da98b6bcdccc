"""Client certificates: shown to the hosts of their site, when TLS is set up."""

import ssl
from os import fdopen
from pathlib import Path
from tempfile import mkstemp

from wavecrawl.errors import InvalidInputError


def show_certificate(context: ssl.SSLContext, pem: str) -> None:
    """Let connections show a certificate, a PEM text with its private key. Raise InvalidInputError.

    Python reads certificates from files only. The file is readable by this user alone, and exists for a moment.
    """
    handle, name = mkstemp(prefix="wavecrawl-certificate-")
    try:
        with fdopen(handle, "w", encoding="ascii") as file:
            file.write(pem)
        context.load_cert_chain(name, password=_no_passphrase)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise InvalidInputError(
            "client_certificate: the certificate or its private key cannot be read, or they do not belong together"
        ) from error
    finally:
        Path(name).unlink()


def check_certificate(pem: str) -> None:
    """Raise InvalidInputError if a certificate and its private key cannot be used; "" can."""
    if pem:
        show_certificate(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), pem)


def _no_passphrase() -> str:
    raise ValueError("the private key is encrypted")  # without this function, OpenSSL would ask at the terminal
