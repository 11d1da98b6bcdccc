"""Certificate authorities that are trusted besides the public ones: those of a company, and those of this machine.

A company's certify hosts that no public authority does. A setting names them, or the usual variable of OpenSSL,
requests or curl.
"""

import os
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Final

from wavecrawl.errors import InvalidInputError

SETTING: Final = "WAVECRAWL_CA_FILE"
"""The variable that `--ca-file` sets for this process and its workers, and that a deployment has."""

VARIABLES: Final = (SETTING, "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""The first of these that is set names a PEM file, or a folder of them."""

_SHOWN: Final = {SETTING: f"--ca-file ({SETTING})"}


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
        raise InvalidInputError(
            f"{_SHOWN.get(name, name)} must name a PEM file with certificates: {path}: {why}"
        ) from error
    return path


def trust(context: ssl.SSLContext, path: str) -> None:
    """Trust the authorities of a PEM file, or those of a folder that `openssl rehash` made; raise OSError."""
    if Path(path).is_dir():
        context.load_verify_locations(capath=path)
    else:
        context.load_verify_locations(cafile=path)


def further_certificates(path: str) -> list[bytes]:
    """Return the authorities of a PEM file or a folder, without the public ones, each as DER; raise OSError."""
    from requests.utils import DEFAULT_CA_BUNDLE_PATH  # noqa: PLC0415 - the command line checks files without requests

    folder = Path(path)
    files = sorted(one for one in folder.iterdir() if one.is_file()) if folder.is_dir() else [folder]
    found: dict[bytes, None] = {}  # a folder also has links to its files
    for file in files:
        with suppress(ssl.SSLError):  # a folder may have other files
            found |= dict.fromkeys(_certificates(file))
    public = set(_certificates(DEFAULT_CA_BUNDLE_PATH))
    return [one for one in found if one not in public]


def _certificates(file: str | Path) -> list[bytes]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cafile=file)
    return context.get_ca_certs(binary_form=True)


def trust_system(context: ssl.SSLContext) -> None:
    """Trust the authorities of this machine, where OpenSSL or SSL_CERT_DIR says that they are.

    A folder costs nothing until a certificate needs it. A file with all of them takes 20 ms to read, so it is read only
    where there is no such folder. Machines of AWS Lambda have no administrator who could add an authority.
    """
    if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        return
    store = ssl.get_default_verify_paths()
    with suppress(OSError):  # a store that cannot be read has no authorities
        if store.capath is not None and next(Path(store.capath).glob("*.0"), None) is not None:
            context.load_verify_locations(capath=store.capath)
        elif store.cafile is not None:
            context.load_verify_locations(cafile=store.cafile)
